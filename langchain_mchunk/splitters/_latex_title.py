"""A LaTeX title as a reader sees it: text without markup, formulas as in the source.

Commands and signs as in "LaTeX2e: An unofficial reference manual", chapters 22 and 23.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from langchain_mchunk.splitters._latex_source import Source


def _table(pairs: str) -> dict[str, str]:
    words = pairs.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_SIGNS: Final = {  # commands that stand for characters; any other stands for nothing
    **{sign: sign for sign in "%$&#_{}"},
    **dict.fromkeys(" \t\n\r,;:>", " "),
    **dict.fromkeys(("quad", "qquad", "newline", "linebreak", "space", "par"), " "),
    **_table("""
        aa å AA Å ae æ AE Æ oe œ OE Œ o ø O Ø l ł L Ł ss ß i \u0131 j ȷ dh ð DH Ð th þ TH Þ
        S § P ¶ dag † ddag ‡ copyright © pounds £ euro € textdegree ° textregistered ®
        texttrademark ™ dots … ldots … textellipsis … textendash \u2013 textemdash —
        textbackslash \\ textasciitilde ~ textasciicircum ^ textbar | textless < textgreater >
        textunderscore _ TeX TeX LaTeX LaTeX LaTeXe LaTeX2e BibTeX BibTeX"""),
}
_LIGATURES: Final = {"---": "—", "--": "\u2013", "``": "“", "''": "”", "~": " "}
_ACCENTS: Final = _table(  # combining characters
    "` \u0300 ' \u0301 ^ \u0302 ~ \u0303 = \u0304 u \u0306 . \u0307 \" \u0308 "
    "r \u030a H \u030b v \u030c d \u0323 c \u0327 k \u0328 b \u0331"
)
_ARGUMENTS: Final = {  # which arguments a reader sees (+) and which not (-)
    **dict.fromkeys(("label", "index", "glossary", "hspace", "vspace", "phantom", "hphantom"), "-"),
    **dict.fromkeys(
        ("footnote", "footnotetext", "thanks", "todo", "color", "includegraphics"), "-"
    ),
    **dict.fromkeys(("cite", "citep", "citet", "textcite", "parencite", "autocite", "nocite"), "-"),
    **dict.fromkeys(("ref", "eqref", "pageref", "autoref", "cref", "Cref", "nameref"), "-"),
    **dict.fromkeys(
        ("href", "textcolor", "hyperref", "hyperlink", "hypertarget", "raisebox"), "-+"
    ),
    **dict.fromkeys(("rule", "fontsize"), "--"),
    "texorpdfstring": "+-",
    "footnotemark": "",
}

_PART = re.compile(
    r"""(?P<comment> %[^\r\n]*+ (?:\r\n?+|\n)?+ [ \t]*+ )
    | (?P<brace> [{}] )
    | (?P<formula> \$ (?:[^$\\]|\\[\s\S])*+ \$ | \\\( (?:[^\\]|\\[^)])*+ \\\) )
    | (?P<break> \\\\ \*?+ (?:\[[^]]*+\])?+ )
    | \\(?P<accent> [`'^~=."] | [uHvrcdkb](?![A-Za-z@]) ) \s*+ (?:\{\s*+)?+
        (?P<letter> \\[ij](?![A-Za-z@])\s*+ | [^\W\d_] )
    | \\(?P<word> [A-Za-z@]++ ) \*?+ \s*+
    | \\(?P<symbol> [\s\S] )
    | (?P<ligature> ---?+ | `` | '' | ~ )""",
    re.VERBOSE,
)
_OPTIONS = re.compile(r"(?:\[[^]]*+\])*+")
_GROUP = re.compile(r"\s*+\{")


def readable(source: str) -> str:
    """Take the markup off a title.

    Labels, footnotes, citations and references go, accents and signs become characters, formulas
    stay as they are written, white space is collapsed.
    """
    title = Source(source)
    parts: list[str] = []
    unseen: dict[int, int] = {}  # arguments to jump over: start -> end
    at = 0
    while part := _PART.search(source, at):
        parts.append(source[at : part.start()])
        at = part.end()
        if part["brace"]:
            at = unseen.get(part.start(), at)
        elif part["word"] in _ARGUMENTS:
            at = title.end_of(_OPTIONS, at)
            unseen |= _unseen(title, at, _ARGUMENTS[part["word"]])
        else:
            parts.append(_shown(part))
    parts.append(source[at:])
    return " ".join("".join(parts).split())


def _shown(part: re.Match[str]) -> str:
    """Return the characters that a part of a title stands for."""
    match part.lastgroup:
        case "formula":
            return part[0]
        case "break":
            return " "
        case "ligature":
            return _LIGATURES[part[0]]
        case "letter":
            letter = part["letter"].strip("\\ \t\r\n")
            return unicodedata.normalize("NFC", letter + _ACCENTS[part["accent"]])
        case "word" | "symbol":
            return _SIGNS.get(part["word"] or part["symbol"], "")
        case _:
            return ""


def _unseen(title: Source, at: int, arguments: str) -> dict[int, int]:
    """Return the ranges of the arguments that a reader does not see; one not closed is the rest."""
    ranges = {}
    for argument in arguments:
        group = _GROUP.match(title.text, at)
        if not group:
            break
        at = title.group_end(group.end() - 1) + 1 or len(title.text)
        if argument == "-":
            ranges[group.end() - 1] = at
    return ranges
