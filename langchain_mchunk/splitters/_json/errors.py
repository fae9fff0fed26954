"""What is wrong with a text that is not JSON, and where."""

from __future__ import annotations

import re
from typing import Final

from langchain_mchunk.spans import BOM
from langchain_mchunk.splitters._json.grammar import STRING, STRING_START, WS

_WS: Final = re.compile(WS)
_STRING: Final = re.compile(STRING)
_STRING_START: Final = re.compile(STRING_START)
_LINE_BREAK: Final = re.compile(r"\r\n?|\n")
_STANDING: Final = re.compile(r'"[^"\r\n]{0,30}+"?|[^\s\[\]{},:"]{1,30}+|(?s:.)')
_KEY: Final = "a key in double quotes"


def skip(text: str, at: int, stop: int) -> int:
    """Return the offset behind white space."""
    match = _WS.match(text, at, stop)
    return match.end() if match else at


def not_json(text: str, at: int, expected: str, stop: int) -> ValueError:
    """Make the error that says line, column (both from 1) and what stood there."""
    before = text[:at].removeprefix(BOM)
    breaks = [found.end() for found in _LINE_BREAK.finditer(before)]
    column = len(before) - (breaks[-1] if breaks else 0) + 1
    return ValueError(
        f"text must be JSON, but at line {len(breaks) + 1}, column {column} "
        f"{expected} was expected, got {_standing(text, at, stop)}"
    )


def duplicate(text: str, at: int) -> ValueError:
    """Make the error for a key that its object already has."""
    at = skip(text, at, len(text))
    return not_json(text, at, "a key that the object does not have yet", len(text))


def complaint(text: str, at: int, stop: int, kind: str) -> ValueError:
    """Find out why no value could be read at `at`, in a list (`"["`) or an object (`"{"`)."""
    at, expected = _trouble(text, at, stop, kind)
    return not_json(text, at, expected, stop)


def _trouble(text: str, at: int, stop: int, kind: str) -> tuple[int, str]:
    at = skip(text, at, stop)
    if kind == "{":
        key = _STRING.match(text, at, stop)
        if key is None:
            return _in_string(text, at, stop, _KEY)
        at = skip(text, key.end(), stop)
        if not text.startswith(":", at, stop):
            return at, "':'"
        at = skip(text, at + 1, stop)
    if text.startswith(("[", "{"), at, stop):
        return skip(text, at + 1, stop), _KEY if text[at] == "{" else "a value"
    return _in_string(text, at, stop, "a value")


def _in_string(text: str, at: int, stop: int, expected: str) -> tuple[int, str]:
    """Go to where a string breaks off, if one starts here."""
    begun = _STRING_START.match(text, at, stop)
    if begun is None:
        return at, expected
    at = begun.end()
    if text.startswith("\\", at, stop):
        return at, r"an escape such as \n or \u00e9"
    return at, "a closing quote or an escaped control character"


def _standing(text: str, at: int, stop: int) -> str:
    match = _STANDING.match(text, at, stop)
    if match:
        return ascii(match[0])
    return "the end of the text" if stop >= len(text) else "the end of the line"
