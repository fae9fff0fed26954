"""Which separators are taken: the last one within the limit ends a chunk.

A text is cut at the first of several separators that occurs in it; a piece between two of them that
is larger than the limit, at the first of those after it, and so on. Chunks and overlaps are runs of
whole pieces. LangChain's recursive splitter finds the same chunks by adding up piece after piece.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

from typing_extensions import override

from langchain_mchunk.spans import rstrip_blank, skip_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.breaks import Breaks
    from langchain_mchunk.separators import Laid
    from langchain_mchunk.sizes import Ruler

# A chunk: start, stop, None. Or a piece that is too large, and the number of the next separator.
Part: TypeAlias = tuple[int, int, int | None]


class Merger(ABC):
    """Cuts one text into chunks.

    Args:
        separators: The separators laid on the text, in the order they are tried.
        size: Hard limit of a chunk.
        overlap: At most this much is shared by neighbours.
    """

    def __init__(self, separators: Sequence[Laid], *, size: int, overlap: int) -> None:
        self._separators = separators
        self._size = size
        self._overlap = overlap

    def merge(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut `start:end` into chunks; their blank ends are not trimmed yet."""
        runs = [self._parts(start, end, 0)]
        while runs:
            for low, high, separator in runs[-1]:
                if separator is not None:
                    runs.append(self._parts(low, high, separator))
                    break
                yield low, high
            else:
                runs.pop()

    def _parts(self, start: int, end: int, separator: int) -> Iterator[Part]:
        """Cut a piece at the first separator that occurs in it; without any it is a chunk."""
        for number in range(separator, len(self._separators)):
            breaks = self._separators[number](start, end)
            if breaks is not None:
                return self._run(breaks, number + 1)
        return iter([(start, end, None)])

    @abstractmethod
    def _run(self, breaks: Breaks, finer: int) -> Iterator[Part]:
        """Merge the pieces between `breaks`; one that is too large is left to separator `finer`."""


class CharacterMerger(Merger):
    """Adds up the characters of pieces, with separators that are kept, as LangChain does."""

    @override
    def _run(self, breaks: Breaks, finer: int) -> Iterator[Part]:
        start, end = breaks.start, breaks.end
        while end - start > self._size:
            stop = breaks.last(start, start + self._size)
            if stop is None:
                stop = breaks.first(start + self._size + 1, end) or end
                yield start, stop, finer
                start = stop
            else:
                yield start, stop, None
                start = self._next(breaks, start, stop, end) if self._overlap else stop
        if start < end:
            yield start, end, None

    def _next(self, breaks: Breaks, start: int, stop: int, end: int) -> int:
        """Return where the chunk after `start:stop` starts: the next piece fits in, too."""
        low = stop - self._overlap
        again = breaks.first(low if low > start else start + 1, stop - 1)
        if again is None:
            return stop
        low = (breaks.first(stop + 1, end) or end) - self._size
        if again < low:
            again = breaks.first(low, stop - 1)
        return again or stop


class SliceMerger(Merger):
    """Measures each chunk as emitted, in any unit.

    Args:
        text: The text.
        ruler: Its ruler.
        separators: The separators laid on the text, in the order they are tried.
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
        super().__init__(separators, size=size, overlap=overlap)
        self._text = text
        self._ruler = ruler
        self._strip = strip

    @override
    def _run(self, breaks: Breaks, finer: int) -> Iterator[Part]:
        start, end = breaks.start, self._kept(breaks.start, breaks.end)
        least = 0  # what an overlap goes with has to be in the chunk
        while (start := self._skip(start, end)) < end:
            if self._ruler.fits(start, end, self._size):
                yield start, end, None
                return
            after = self._furthest(breaks, start, max(least, start + 1), end)
            stop = breaks.stop(after)
            if self._fits(start, stop):
                yield start, stop, None
                start, least = self._next(breaks, start, after, end)
            else:
                yield start, stop, finer
                start, least = after, 0

    def _furthest(self, breaks: Breaks, start: int, least: int, end: int) -> int:
        """Return the last break up to which a chunk fits, else the first one."""
        high = self._skip(self._ruler.reach(start, self._size), end)
        while (after := breaks.last(start, high)) is not None and after >= least:
            stop = breaks.stop(after)
            if self._fits(start, stop):
                return after
            high = stop - 1
        return breaks.first(least, end) or end

    def _next(self, breaks: Breaks, start: int, after: int, end: int) -> tuple[int, int]:
        """Return where the chunk behind the break `after` starts, and the least end for it."""
        if not self._overlap or after >= end:
            return after, 0
        kept = self._kept(start, breaks.stop(after))
        least = breaks.stop(breaks.first(after + 1, end) or end)
        low = max(self._ruler.back(kept, self._overlap), start + 1)
        if not self._fits(low, least):
            low = max(self._ruler.back(self._kept(after, least), self._size), low)
        while (again := breaks.first(low, after - 1)) is not None:
            low = self._skip(again, least)
            if self._ruler.fits(low, kept, self._overlap) and self._fits(low, least):
                return low, least
            low += 1
        return after, 0

    def _fits(self, start: int, stop: int) -> bool:
        return self._ruler.fits(start, self._kept(start, stop), self._size)

    def _skip(self, start: int, end: int) -> int:
        return skip_blank(self._text, start, end) if self._strip else min(start, end)

    def _kept(self, start: int, stop: int) -> int:
        return rstrip_blank(self._text, start, stop) if self._strip else stop
