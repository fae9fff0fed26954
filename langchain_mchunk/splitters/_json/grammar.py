"""RFC 8259 in regular expressions, and strings as `json.dumps` writes them."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from typing import Final

WS: Final = r"[ \t\n\r]*+"
STRING_START: Final = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+'
STRING: Final = f'{STRING_START}"'
ATOM: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null"

# A value, by the opener of the container it stands in. The groups: its key (in a list ""), then an
# opener, or else a value that has no parts and what ends behind it.
VALUES: Final = {
    opener: re.compile(
        rf"""
        {WS} {key}
        (?: ( [\[{{] ) (?! {WS} [\]}},] )
          | ( {STRING} | {ATOM} | \[{WS}\] | \{{{WS}\}} ) ( (?: {WS} [\]}}] )*+ (?: {WS} , )? )
        )
        """,
        re.VERBOSE,
    )
    for opener, key in {"[": "()", "{": f"({STRING}){WS}:{WS}"}.items()
}

# An entry in a document as it is written; the first group, which is empty, stands before the value.
_WRITTEN: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
ENTRY: Final = re.compile(
    rf"""
    (?: {_WRITTEN} :[ ] )? ()
    (?: ( [\[{{] ) (?! [\]}}] ) | {_WRITTEN} | \[\] | \{{\}} | [^,\]}}]++ )
    """,
    re.VERBOSE,
)

# How `json.dumps` writes characters in a string: as they are, and with four digits behind `\u`.
_LONG: Final = "(?! 000[89acd] )"  # not these: they are written \b \t \n \f \r
_HIGH: Final = r"d[89ab][0-9a-f]{2} (?! \\ud[c-f] )"
_LOW: Final = "d[c-f][0-9a-f]{2}"
_WRITTEN_AS: Final = {
    True: (r"[ !#-\[\]-~]", rf"{_LONG} (?! 00[2-6] | 007[0-9a-e] ) [0-9a-f]{{4}}"),
    False: (
        r'[^"\\\x00-\x1f\ud800-\udfff]',
        rf"(?: {_LONG} 00[01][0-9a-f] | {_HIGH} | {_LOW} )",
    ),
}
_ESCAPES: Final = 4096  # different ones that are kept
_ESCAPE: Final = re.compile(r"\\(?:/|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....)")
_BEYOND_ASCII: Final = re.compile(r"[\x7f-\U0010ffff]++")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


class Strings:
    """How strings are written: as `json.dumps` does, but lone surrogates are always escaped.

    Attributes:
        bracket: In a text that is written so, all up to behind the next bracket of a container that
            is not empty, or up to the end; the group is that bracket.
    """

    def __init__(self, *, ensure_ascii: bool) -> None:
        self._ensure_ascii = ensure_ascii
        self._encode = json.JSONEncoder(ensure_ascii=ensure_ascii).encode
        self._escape = lru_cache(_ESCAPES)(lambda escape: self.rewrite(f'"{escape}"')[1:-1])
        plain, coded = _WRITTEN_AS[ensure_ascii]
        string = rf'"{plain}*+ (?: \\ (?: ["\\bfnrt] | u {coded} ) {plain}*+ )*+"'
        self.bracket = re.compile(
            rf"""
            (?: {string} | [,:][ ](?!\s) | [^"\s,:\[\]{{}}]++ | \[\] | \{{\}} )*+
            (?: ([\[\]{{}}]) | \Z )
            """,
            re.VERBOSE,
        )

    def encode(self, string: str) -> str:
        """Write a string, with its quotes."""
        return escape_surrogates(self._encode(string))

    def rewrite(self, value: str) -> str:
        """Write a value that has no parts anew."""
        if value[0] == '"':
            return self.encode(json.loads(value))
        return value[0] + value[-1] if value[0] in "[{" else value

    def rewrite_all(self, text: str) -> str:
        """Write all strings of a JSON text anew that has no white space but in them."""
        if "\\u" in text or "\\/" in text:
            text = text.replace(r"\\", "\1")  # no string holds a control character
            text = _ESCAPE.sub(lambda match: self._escape(match[0]), text)
            text = text.replace("\1", r"\\")
        if self._ensure_ascii and (not text.isascii() or "\x7f" in text):
            return _BEYOND_ASCII.sub(lambda match: self._encode(match[0])[1:-1], text)
        return escape_surrogates(text)


@cache
def strings(*, ensure_ascii: bool) -> Strings:
    """Return how strings are written."""
    return Strings(ensure_ascii=ensure_ascii)


def escape_surrogates(text: str) -> str:
    r"""Write lone surrogates as `\ud800`."""
    if not text.isascii() and _SURROGATE.search(text):
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text
