"""JSON read value by value with a stack of its own: any nesting, and errors that say where."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from langchain_mchunk.splitters._json.errors import complaint, duplicate, not_json, skip
from langchain_mchunk.splitters._json.grammar import VALUES, Strings

if TYPE_CHECKING:
    import re

_CLOSER: Final = {"[": "]", "{": "}"}


class _Container:
    """A container that is being read: its opener, the part of the document it starts, its keys."""

    __slots__ = ("kind", "names", "part")

    def __init__(self, kind: str, part: int) -> None:
        self.kind = kind
        self.part = part
        self.names: set[str] = set()


class Reader:
    """Writes a document in parts, of which each container starts one and ends one."""

    def __init__(self, text: str, stop: int, strings: Strings) -> None:
        self._text = text
        self._stop = stop
        self._strings = strings
        self._parts: list[str] = []
        self._ends: dict[int, int] = {}  # by the first part of each container, the part behind it
        self._stack: list[_Container] = []

    def document(self, at: int) -> tuple[str, dict[int, int]]:
        """Read the document that starts at `at`; return its text and where its containers end."""
        at = self._value(at, "[")  # as if the text were in a list
        while self._stack:
            at = self._value(at, self._stack[-1].kind)
        rest = skip(self._text, at, self._stop)
        if rest < self._stop:
            raise self._unfinished(rest)
        offsets = list(accumulate(map(len, self._parts), initial=0))
        ends = {offsets[part]: offsets[end] for part, end in self._ends.items()}
        return "".join(self._parts), ends

    def _value(self, at: int, kind: str) -> int:
        """Read one value, and what ends behind it; return the offset behind."""
        match = VALUES[kind].match(self._text, at, self._stop)
        if match is None:
            raise complaint(self._text, at, self._stop, kind)
        key, opener, value, tail = match.groups()
        if key:
            self._key(self._strings.rewrite(key), at)
        if opener:
            self._stack.append(_Container(opener, len(self._parts)))
            self._parts.append(opener)
        else:
            self._parts.append(self._strings.rewrite(value))
            self._close(tail, match.start(4))
        return match.end()

    def _key(self, key: str, at: int) -> None:
        names = self._stack[-1].names
        if key in names:
            raise duplicate(self._text, at)
        names.add(key)
        self._parts.append(f"{key}: ")

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
        self._parts.append(closer)
        self._ends[self._stack.pop().part] = len(self._parts)

    def _unfinished(self, at: int) -> ValueError:
        expected = "the end of the document"
        if self._stack:
            expected = f"',' or {_CLOSER[self._stack[-1].kind]!r}"
        return not_json(self._text, at, expected, self._stop)


def matched(pattern: re.Pattern[str], text: str, at: int, stop: int) -> re.Match[str]:
    """Return the match of a pattern where it is known to match."""
    match = pattern.match(text, at, stop)
    if match is None:
        raise AssertionError(f"no {pattern.pattern} at {at}")
    return match
