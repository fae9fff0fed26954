"""A JSON document, written once the way `json.dumps` writes it, with the places of its containers.

`json` reads it, white space and strings are set right in the text as a whole, and one match of a
regular expression a bracket finds the containers. What `json` refuses, or cannot read because it is
nested too deep, is read value by value instead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_mchunk.splitters._json.grammar import ENTRY, Strings
from langchain_mchunk.splitters._json.reader import Reader, matched

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_BLANKS: Final = str.maketrans("", "", " \t\n\r")


class Kids(NamedTuple):
    """The entries of a container: where each starts, where its value starts, where it ends."""

    entries: list[int]
    values: list[int]
    ends: list[int]


class JSONText(NamedTuple):
    """The written text of one JSON document."""

    text: str
    ends: dict[int, int]
    """The offset behind each container that is not empty, by its own offset."""
    lists: frozenset[int] = frozenset()
    """The offsets of lists that are written as objects with the keys 0, 1, 2 …"""

    def kids(self, container: int) -> Kids:
        """Find the entries of the container at an offset."""
        kids = Kids([], [], [])
        at, stop = container + 1, self.ends[container] - 1
        while at < stop:
            entry = matched(ENTRY, self.text, at, stop)
            value = entry.start(1)
            kids.entries.append(at)
            kids.values.append(value)
            at = self.ends[value] if entry[2] else entry.end()
            kids.ends.append(at)
            at += len(", ")
        return kids


def read(text: str, start: int, stop: int, strings: Strings) -> JSONText:
    """Read the document that is `text[start:stop]` and write it.

    Raises:
        ValueError: `text[start:stop]` is not one JSON document, or an object in it has a key twice.
    """
    source = text[start:stop]
    if _is_json(source):
        ends = _ends(source, strings)
        if ends is None:
            source = strings.rewrite_all(_spaced(source))
            ends = _ends(source, strings)
        if ends is not None:
            return JSONText(source, ends)
    return JSONText(*Reader(text, stop, strings).document(start))


def _is_json(text: str) -> bool:
    """Tell whether `json` reads a text; numbers are only looked at."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_once, parse_int=len, parse_float=len, parse_constant=_refuse
    )
    try:
        decoder.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _once(pairs: Sequence[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _ends(text: str, strings: Strings) -> dict[int, int] | None:
    """Find where the containers end, if a JSON text is written as it has to be."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    match_bracket = strings.bracket.match
    at = 0
    while match := match_bracket(text, at):
        at = match.end()
        sign = match[1]
        if sign is None:
            return ends
        if sign in "[{":
            opened.append(at - 1)
        else:
            ends[opened.pop()] = at
    return None


def _spaced(text: str) -> str:
    """Set the white space between the tokens of a JSON text: `", "` and `": "`."""
    escaped = "\\" in text
    if escaped:  # control characters stand in no JSON string
        text = text.replace(r"\\", "\1").replace(r"\"", "\2")
    parts = text.split('"')  # every other one is a string
    tokens = "\0".join(parts[::2])
    tokens = tokens.translate(_NO_BLANKS).replace(",", ", ").replace(":", ": ")
    parts[::2] = tokens.split("\0")
    text = '"'.join(parts)
    return text.replace("\2", r"\"").replace("\1", r"\\") if escaped else text
