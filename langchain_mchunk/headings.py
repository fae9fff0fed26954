"""From flat headings to the path above each place.

A heading closes every earlier one of its level or deeper. Of several headings without text between
them the last is in force for all of them, so that a chunk beginning with the run has its full path.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Heading(NamedTuple):
    """A heading that begins at `start`, has `level` (1 is outermost) and reads `title`.

    `start` is its first character, `end` the first non-blank offset behind it: there begins what it
    heads.
    """

    start: int
    end: int
    level: int
    title: str


def paths(headings: Iterable[Heading]) -> list[tuple[str, ...]]:
    """Return for each heading the titles down to its own, outermost first, empty ones left out."""
    result: list[tuple[str, ...]] = []
    levels: list[int] = []
    titles: list[str] = []
    for _, _, level, title in headings:
        while levels and levels[-1] >= level:
            levels.pop()
            titles.pop()
        levels.append(level)
        titles.append(title)
        result.append(tuple(filter(None, titles)))
    return result


class Outline:
    """The path in force at each offset of a text; a heading line counts as under itself."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._starts = [heading.start for heading in headings]
        self._paths = paths(headings)
        for i in range(len(headings) - 2, -1, -1):
            if headings[i].end >= self._starts[i + 1]:
                self._paths[i] = self._paths[i + 1]

    def at(self, offset: int) -> tuple[str, ...]:
        """Return the titles in force at `offset`, outermost first."""
        i = bisect_right(self._starts, offset) - 1
        return self._paths[i] if i >= 0 else ()


def glued(headings: Iterable[Heading]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that must stay whole so that no heading is parted from what follows it."""
    for heading in headings:
        yield heading.start, heading.end + 1
