"""What JSON looks like: the regular expressions of RFC 8259, and strings as `json.dumps` writes them."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Final

WS: Final = r"[ \t\n\r]*+"
STRING_START: Final = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+'
STRING: Final = f'{STRING_START}"'
ATOM: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null"
EMPTY: Final = rf"\[{WS}\]|\{{{WS}\}}"
SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


class Grammar:
    """The expressions for a value, by the opener of the container it stands in.

    All have the same groups: the key (in a list `""`), then the opener of a container that is not empty,
    or else a scalar or empty container and what ends behind it.

    Attributes:
        copied: A value that is copied as it stands: no string that `json.dumps` would write otherwise.
        any: A value of any form.
    """

    def __init__(self, *, ensure_ascii: bool) -> None:
        plain = r"[ !#-\[\]-~]" if ensure_ascii else r'[^"\\\x00-\x1f\ud800-\udfff]'
        string = rf'"{plain}*+(?:\\["\\bfnrt]{plain}*+)*+"'
        self.copied = _values(string, r"\[\]|\{\}")
        self.any = _values(STRING, EMPTY)
        self._encode = json.JSONEncoder(ensure_ascii=ensure_ascii).encode

    def encode(self, string: str) -> str:
        """Write a string as JSON, lone surrogates always escaped: they could not be encoded."""
        return escape_surrogates(self._encode(string))

    def rewrite(self, value: str) -> str:
        """Write a scalar or an empty container of a JSON text anew."""
        if value[0] == '"':
            return self.encode(json.loads(value))
        return value[0] + value[-1] if value[0] in "[{" else value


@cache
def grammar(*, ensure_ascii: bool) -> Grammar:
    """Return the grammar for strings that are written in ASCII, or as they are."""
    return Grammar(ensure_ascii=ensure_ascii)


def escape_surrogates(text: str) -> str:
    r"""Write lone surrogates as `\ud800`."""
    if SURROGATE.search(text):
        return SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text


def _values(string: str, empty: str) -> dict[str, re.Pattern[str]]:
    keys = {"[": "()", "{": f"({string}){WS}:{WS}"}
    return {
        opener: re.compile(
            rf"""
            {WS} {key}
            (?: ( [\[{{] ) (?! {WS} [\]}},] )
              | ( {string} | {ATOM} | {empty} ) ( (?: {WS} [\]}}] )*+ (?: {WS} , )? )
            )
            """,
            re.VERBOSE,
        )
        for opener, key in keys.items()
    }
