"""A LaTeX title as a reader sees it: text without markup, formulas as in the source.

Commands and signs as in "LaTeX2e: An unofficial reference manual", chapters 22 and 23.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SIGNS: Final = {  # commands that stand for characters; any other stands for nothing
    **{sign: sign for sign in "%$&#_{}"},
    **dict.fromkeys(" \t\n\r,;:>", " "),
    **dict.fromkeys(("quad", "qquad", "newline", "linebreak", "space", "par"), " "),
    **{"aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø"},
    **{"l": "ł", "L": "Ł", "ss": "ß", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ"},
    **{"TH": "Þ", "S": "§", "P": "¶", "dag": "†", "ddag": "‡", "copyright": "©", "pounds": "£"},
    **{"dots": "…", "ldots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—"},
    **{"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|"},
    **{"textless": "<", "textgreater": ">", "textunderscore": "_", "textquotesingle": "'"},
    **{"textregistered": "®", "texttrademark": "™", "textdegree": "°", "euro": "€"},
    **{"TeX": "TeX", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX"},
}
_LIGATURES: Final = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " "}
_ACCENTS: Final = {  # combining characters
    **{"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306"},
    **{".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323"},
    **{"c": "\u0327", "k": "\u0328", "b": "\u0331"},
}
_ARGUMENTS: Final = {  # which arguments a reader sees (+) and which not (-)
    **dict.fromkeys(("label", "index", "glossary", "hspace", "vspace", "phantom", "hphantom"), "-"),
    **dict.fromkeys(("footnote", "footnotetext", "thanks", "todo", "color", "includegraphics"), "-"),
    **dict.fromkeys(("cite", "citep", "citet", "textcite", "parencite", "autocite", "nocite"), "-"),
    **dict.fromkeys(("ref", "eqref", "pageref", "autoref", "cref", "Cref", "nameref"), "-"),
    **dict.fromkeys(("href", "textcolor", "hyperref", "hyperlink", "hypertarget", "raisebox"), "-+"),
    **dict.fromkeys(("rule", "fontsize"), "--"),
    **{"texorpdfstring": "+-", "footnotemark": ""},
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
_OPTIONS = re.compile(r"(?:\[[^]]*+\]\s*+)*+")
_GROUP = re.compile(r"\s*+\{")
_BRACE = re.compile(r"\\[\s\S]|%[^\r\n]*+|([{}])")


def readable(source: str) -> str:
    """Take the markup off a title.

    Labels, footnotes, citations and references go, accents and signs become characters, formulas stay
    as they are written, white space is collapsed. The time is quadratic in braces, at worst.
    """
    parts: list[str] = []
    unseen: dict[int, int] = {}  # arguments to jump over: start -> end
    at = 0
    while part := _PART.search(source, at):
        parts.append(source[at : part.start()])
        at = part.end()
        if part["brace"]:
            at = unseen.get(part.start(), at)
        elif part["word"] in _ARGUMENTS:
            at = _end(_OPTIONS, source, at)
            unseen |= _unseen(source, at, _ARGUMENTS[part["word"]])
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


def _unseen(source: str, at: int, arguments: str) -> dict[int, int]:
    """Return the ranges of those arguments that a reader does not see."""
    ranges = {}
    for argument in arguments:
        group = _GROUP.match(source, at)
        if not group:
            break
        at = _closed(source, group.end() - 1)
        if argument == "-":
            ranges[group.end() - 1] = at
    return ranges


def _closed(source: str, opening: int) -> int:
    """Return the offset behind the group that opens at `opening`."""
    depth = 0
    for brace in _BRACE.finditer(source, opening):
        depth += {"{": 1, "}": -1}.get(brace[1], 0)
        if not depth:
            return brace.end()
    return len(source)


def _end(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match else at
