"""Which separators are taken: the last within the limit ends a chunk.

A text is cut at the first of several separators that occurs in it; a piece between two of them that
is larger than the limit is cut at the separators after that one. Chunks and overlaps are runs of whole
pieces. LangChain's recursive splitter finds the same chunks by adding up piece after piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from langchain_mchunk.breaks import Break
from langchain_mchunk.spans import rstrip_blank, skip_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.breaks import Breaks
    from langchain_mchunk.separators import Laid
    from langchain_mchunk.sizes import Ruler

# A chunk (start, stop, None), or a piece to be cut at the separators from number `level` on.
Part: TypeAlias = tuple[int, int, int | None]


class Merger:
    """Cuts one text into chunks.

    Args:
        text: The text.
        ruler: Its ruler.
        separators: The separators laid on it, in the order they are tried.
        size: Hard limit of a chunk, in the ruler's unit.
        overlap: At most this much is shared by neighbours, in the ruler's unit.
        strip: Blank ends do not count.
    """

    def __init__(
        self,
        text: str,
        ruler: Ruler,
        separators: Sequence[Laid],
        *,
        size: int,
        overlap: int,
        strip: bool,
    ) -> None:
        self._text = text
        self._ruler = ruler
        self._separators = separators
        self._size = size
        self._overlap = overlap
        self._strip = strip

    def merge(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut `start:end` into chunks; their blank ends are not trimmed yet."""
        runs = [self._parts(start, end, 0)]
        while runs:
            for low, high, level in runs[-1]:
                if level is not None:
                    runs.append(self._parts(low, high, level))
                    break
                yield low, high
            else:
                runs.pop()

    def _parts(self, start: int, end: int, level: int) -> Iterator[Part]:
        """Cut a piece at the first separator from `level` on that occurs in it."""
        for number, separator in enumerate(self._separators[level:], level + 1):
            breaks = separator(start, end)
            if breaks is not None:
                return self._run(breaks, number)
        return iter([(start, end, None)])

    def _run(self, breaks: Breaks, level: int) -> Iterator[Part]:
        """Merge the pieces between `breaks` into chunks; those too large are left to `level`."""
        start, end = breaks.start, self._kept(breaks.start, breaks.end)
        least = 0  # an overlap goes with the piece after it
        while (start := self._skip(start, end)) < end:
            if self._ruler.fits(start, end, self._size):
                yield start, end, None
                return
            stop = self._furthest(breaks, start, max(least, start + 1), end)
            if self._fits(start, stop.stop):
                yield start, stop.stop, None
                start, least = self._next(breaks, start, stop, end)
            else:
                yield start, stop.stop, level
                start, least = stop.start, 0

    def _furthest(self, breaks: Breaks, start: int, least: int, end: int) -> Break:
        """Return the last break up to which a chunk fits, else the first one."""
        high = self._skip(self._ruler.reach(start, self._size), end)
        found = breaks.last(least, high)
        while found and not self._fits(start, found.stop):
            found = breaks.last(least, found.stop - 1)
        return found or breaks.first(least, end) or Break(end, end)

    def _next(self, breaks: Breaks, start: int, last: Break, end: int) -> tuple[int, int]:
        """Return where the chunk after `start:last.stop` starts, and where it ends at the earliest."""
        if not self._overlap or last.start >= end:
            return last.start, 0
        kept = self._kept(start, last.stop)
        new = breaks.first(last.start + 1, end) or Break(end, end)
        low = max(self._ruler.back(kept, self._overlap), start + 1)
        if not self._fits(low, new.stop):
            low = max(self._ruler.back(self._kept(last.start, new.stop), self._size), low)
        while (again := breaks.first(low, last.start - 1)) is not None:
            low = self._skip(again.start, new.stop)
            if self._ruler.fits(low, kept, self._overlap) and self._fits(low, new.stop):
                return low, new.stop
            low = again.start + 1
        return last.start, 0

    def _fits(self, start: int, stop: int) -> bool:
        return self._ruler.fits(start, self._kept(start, stop), self._size)

    def _skip(self, start: int, end: int) -> int:
        return skip_blank(self._text, start, end) if self._strip else min(start, end)

    def _kept(self, start: int, stop: int) -> int:
        return rstrip_blank(self._text, start, stop) if self._strip else stop
