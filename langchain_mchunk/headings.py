"""From flat headings to the path above each place.

A heading closes every earlier one of its level or deeper. Of several headings without text between
them the last is in force for all of them, so that a chunk beginning with the run has its full path.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    # What a Heading holds; plain tuples are made, and let go, in a third of the time.
    HeadingFields: TypeAlias = tuple[int, int, int, str]


class Heading(NamedTuple):
    """A heading that begins at `start`, has `level` (1 is outermost) and reads `title`.

    `start` is its first character, `end` the first non-blank offset behind it: there begins what it
    heads.
    """

    start: int
    end: int
    level: int
    title: str


class Outline:
    """The path in force at each offset of a text; a heading line counts as under itself.

    Attributes:
        starts: Where each run of headings without text between them begins.
    """

    def __init__(self, headings: Iterable[HeadingFields]) -> None:
        self.starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        levels: list[int] = []
        titles: list[str] = []
        for run in _runs(headings):
            for _, _, level, title in run:
                while levels and levels[-1] >= level:
                    levels.pop()
                    titles.pop()
                levels.append(level)
                titles.append(title)
            self.starts.append(run[0][0])
            self._paths.append(tuple(filter(None, titles)))

    def at(self, offset: int) -> tuple[str, ...]:
        """Return the titles in force at `offset`, outermost first, empty ones left out."""
        i = bisect_right(self.starts, offset) - 1
        return self._paths[i] if i >= 0 else ()


def _runs(headings: Iterable[HeadingFields]) -> Iterator[list[HeadingFields]]:
    """Group the headings that have no text between them."""
    run: list[HeadingFields] = []
    behind = 0
    for heading in headings:
        if run and behind < heading[0]:
            yield run
            run = []
        run.append(heading)
        behind = heading[1]
    if run:
        yield run


def glued(headings: Iterable[HeadingFields]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that must stay whole so that no heading is parted from what follows it."""
    for start, end, _, _ in headings:
        yield start, end + 1
