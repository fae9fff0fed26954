"""The commands of LaTeX that a reader of its structure must know, and how their arguments look."""

from __future__ import annotations

import re
from typing import Final

from langchain_mchunk.splitters._latex_source import COMMENT, GAP

LEVELS: Final = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
}
COMMANDS: Final = {
    "begin": ("begin",),
    "end": ("end",),
    "heading": tuple(LEVELS),
    "item": ("item", "bibitem"),
    "row": ("tabularnewline",),
    "link": ("url", "href", "nolinkurl", "path"),  # a % in an address begins no comment
    "verb": ("verb", "Verb", "lstinline"),
    "mint": ("mintinline", "mint"),
    "false": ("iffalse",),
    "definition": (
        *("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"),
        *("newenvironment", "renewenvironment", "def", "gdef", "edef", "xdef"),
        *("NewDocumentCommand", "RenewDocumentCommand", "ProvideDocumentCommand"),
        *("DeclareDocumentCommand", "NewDocumentEnvironment", "RenewDocumentEnvironment"),
    ),
}
VERBATIM: Final = {
    *("verbatim", "Verbatim", "BVerbatim", "LVerbatim", "SaveVerbatim", "VerbatimOut"),
    *("lstlisting", "minted", "tcblisting", "comment", "filecontents"),
}
INSIDE_FORMULAS = re.compile(r"array|matrix|cases|split|(?:align|gather|multlin)ed|tabular")

_WORD_END: Final = r"(?![A-Za-z@])"
HEADING: Final = rf"\\(?:{'|'.join(LEVELS)}){_WORD_END}{GAP}[\[*{{<]"


def _words(*kinds: str) -> str:
    """Return a pattern of commands; looking at two letters first spares trying each of them."""
    words = [word for kind in kinds for word in COMMANDS[kind]]
    hints = "|".join(sorted({word[:2] for word in words}))
    return rf"(?:(?={hints})(?:{'|'.join(words)}){_WORD_END})"


def _group(inside: str, depth: int) -> str:
    """Return a pattern of a group; groups in it nest to a bounded depth, so that it is linear."""
    groups = rf"(?:{_group(inside, depth - 1)}{inside})*+" if depth else ""
    return rf"\{{{inside}{groups}\}}"


_PLAIN: Final = rf"(?:[^{{}}\\%\r\n]++|(?!{HEADING})\\[^{{}}\\%\r\n])*+"
_ARGUMENT: Final = rf"{_PLAIN}(?:{_group(_PLAIN, 0)}{_PLAIN})*+"
# 1: the command, 2: its first argument, if that is simple.
COMMAND = re.compile(rf"\\([][\\%$]|{_words(*COMMANDS)})(?:[ \t]*+\{{({_ARGUMENT})\}})?+")
_OPAQUE: Final = _words("begin", "end", "heading", "link", "verb", "mint", "false", "definition")
NOTHING_INSIDE = re.compile(rf"[^\\%]*+(?:\\(?![][]|{_OPAQUE})[\s\S][^\\%]*+)*+")

_OPTION: Final = r"\[[^][\r\n]*+\]"
_VERBATIM_GROUP: Final = _group(r"[^{}\r\n]*+", 6)
# What stands between two signs is bounded, or a line of unclosed ones would take quadratic time.
_TO_SAME_SIGN: Final = r"[^\r\n]{0,400}?\1"
VERB = re.compile(rf"\*?+(?:{_OPTION})?+(?:{_VERBATIM_GROUP}|([^\sA-Za-z*{{]){_TO_SAME_SIGN})")
LANGUAGE = re.compile(rf"(?:{_OPTION})?+{_VERBATIM_GROUP}")
ADDRESS = re.compile(
    rf"(?:{_OPTION})?+(?:[ \t]*+{_VERBATIM_GROUP}|([^\s\w*(){{}}[\]\\$%]){_TO_SAME_SIGN})"
)
# What \iffalse leaves out, up to the first \else or \fi before another \iffalse: the end of a
# conditional in it, which is not counted, hides too little rather than too much.
FALSE = re.compile(
    rf"""(?: [^\\%]++ | {COMMENT} | \\(?!(?:iffalse|else|fi){_WORD_END})[\s\S] )*+
    (?= \\(?:else|fi){_WORD_END} )""",
    re.VERBOSE,
)
# Beamer adds overlay specifications, as in \section<presentation>: its User Guide, 10.2.
HEADING_SIGNS = re.compile(rf"{GAP}(?:(?:\*|<[^<>\r\n]*+>){GAP})*+")
DEFINED = re.compile(rf"\*?+{GAP}(?:\\(?:[A-Za-z@]++|[^A-Za-z@]))?+")
NEXT_GROUP = re.compile(rf"(?:#[1-9][^\s{{}}\\%#]*+|{_OPTION}|{GAP}(?=[\[{{#]))*+\{{")
