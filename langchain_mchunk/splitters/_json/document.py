"""A JSON document, written once the way `json.dumps` writes it, with the places of its containers.

Read with one match of a regular expression a value and a stack of its own: nesting has no limit.
"""

from __future__ import annotations

import re
import sys
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from langchain_mchunk.splitters._json.errors import complaint, duplicate, not_json, skip
from langchain_mchunk.splitters._json.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Container

NONE: Final = range(0)
EVERY: Final = range(sys.maxsize)

_CLOSER: Final = {"[": "]", "{": "}"}
_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_ENTRY: Final = re.compile(
    rf"""
    (?: {_STRING} :[ ] )? ()  # the value starts behind its key
    (?: ( [\[{{] ) (?! [\]}}] ) | {_STRING} | \[\] | \{{\}} | [^,\]}}]++ )
    """,
    re.VERBOSE,
)

_Value: TypeAlias = tuple[int, str, str | None, str | None, str | None]


class Kids(NamedTuple):
    """The entries of a container: offsets where each starts, where its value starts, where it ends."""

    entries: list[int]
    values: list[int]
    ends: list[int]


class Document(NamedTuple):
    """The written text of one JSON document."""

    text: str
    ends: dict[int, int]
    """The offset behind each container that is not empty by its own offset, outer ones first."""
    lists: set[int]
    """The offsets of lists that are written as objects with the keys 0, 1, 2 …"""

    def kids(self, container: int) -> Kids:
        """Find the entries of the container at an offset."""
        kids = Kids([], [], [])
        at, stop = container + 1, self.ends[container] - 1
        while at < stop:
            entry = _ENTRY.match(self.text, at)
            value = entry.start(1)
            kids.entries.append(at)
            kids.values.append(value)
            at = self.ends[value] if entry[2] else entry.end()
            kids.ends.append(at)
            at += len(", ")
        return kids


def read(
    text: str, start: int, stop: int, grammar: Grammar, indexed: Container[int] = NONE
) -> Document:
    """Read the document that is `text[start:stop]` and write it.

    Args:
        text: A text.
        start: Where the document starts, white space included.
        stop: Where it ends, white space included.
        grammar: How strings are written.
        indexed: The containers, counted in the order of their openers, that are written as objects
            with the keys 0, 1, 2 … if they are lists.

    Raises:
        ValueError: `text[start:stop]` is not one JSON document.
    """
    reader = _Reader(text, stop, grammar, indexed)
    rest = skip(text, reader.read(start), stop)
    if rest < stop:
        raise not_json(text, rest, "the end of the document", stop)
    return reader.document()


class _Container:
    """A container that is being read."""

    __slots__ = ("count", "indexed", "kind", "names", "order")

    def __init__(self, kind: str, order: int, *, indexed: bool) -> None:
        self.kind = kind
        self.order = order
        self.names: set[str] | None = set() if kind == "{" else None
        self.indexed = indexed
        self.count = 0

    def place(self) -> str:
        self.count += 1
        return f'"{self.count - 1}": '


class _Reader:
    """Offsets are taken from the lengths of the parts at the end: until then a place is a number of parts."""

    def __init__(self, text: str, stop: int, grammar: Grammar, indexed: Container[int]) -> None:
        self._text = text
        self._stop = stop
        self._grammar = grammar
        self._indexed = indexed
        self._parts: list[str] = []
        self._opened: list[int] = []
        self._closed: list[int] = []
        self._lists: list[int] = []
        self._stack: list[_Container] = []

    def read(self, at: int) -> int:
        """Read one value with all that is in it; return the offset behind it."""
        text, stop, write, stack = self._text, self._stop, self._parts.append, self._stack
        container = _Container("[", -1, indexed=False)  # as if the text were in a list
        match_value = self._grammar.copied["["].match
        names = None
        while True:
            start = at
            match = match_value(text, at, stop)
            if match is None:
                at, key, opener, value, tail = self._read_any(at, container.kind)
            else:
                at = match.end()
                key, opener, value, tail = match.groups()
            if names is not None:
                if key in names:
                    raise duplicate(text, start)
                names.add(key)
                write(f"{key}: {value or opener}")
            elif container.indexed:
                write(container.place() + (value or opener))
            else:
                write(value or opener)
            if tail == "," and stack:
                write(", ")
                continue
            if opener:
                self._open(opener)
            else:
                self._close(tail, at - len(tail))
            if not stack:
                return at
            container = stack[-1]
            names = container.names
            match_value = self._grammar.copied[container.kind].match

    def document(self) -> Document:
        offsets = [0, *accumulate(map(len, self._parts))]
        starts = [offsets[place] - 1 for place in self._opened]
        ends = dict(zip(starts, map(offsets.__getitem__, self._closed), strict=True))
        return Document("".join(self._parts), ends, {starts[order] for order in self._lists})

    def _read_any(self, at: int, kind: str) -> _Value:
        """Read a value that cannot be copied, or say what is wrong."""
        match = self._grammar.any[kind].match(self._text, at, self._stop)
        if match is None:
            raise complaint(self._text, at, self._stop, kind)
        key, opener, value, tail = match.groups()
        rewrite = self._grammar.rewrite
        return match.end(), key and rewrite(key), opener, value and rewrite(value), tail

    def _open(self, opener: str) -> None:
        order = len(self._opened)
        indexed = opener == "[" and order in self._indexed
        if indexed:
            self._lists.append(order)
            self._parts[-1] = self._parts[-1][:-1] + "{"
        self._opened.append(len(self._parts))
        self._closed.append(0)
        self._stack.append(_Container(opener, order, indexed=indexed))

    def _close(self, tail: str, at: int) -> None:
        """Write what ends behind a value: containers, then a comma unless all have ended."""
        for place, sign in enumerate(tail, at):
            if sign == "," and self._stack:
                self._parts.append(", ")
                return
            if sign in ",]}":
                self._close_container(sign, place)
        if self._stack:
            raise self._unfinished(skip(self._text, at + len(tail), self._stop))

    def _close_container(self, closer: str, at: int) -> None:
        if not self._stack or closer != _CLOSER[self._stack[-1].kind]:
            raise self._unfinished(at)
        container = self._stack.pop()
        self._parts.append("}" if container.indexed else closer)
        self._closed[container.order] = len(self._parts)

    def _unfinished(self, at: int) -> ValueError:
        expected = "the end of the document"
        if self._stack:
            expected = f"',' or {_CLOSER[self._stack[-1].kind]!r}"
        return not_json(self._text, at, expected, self._stop)
