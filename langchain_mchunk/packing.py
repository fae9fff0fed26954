"""Which boundaries are taken: the strongest one in the second half of each chunk's window.

The window reaches as far as the limit allows. Ranges that fit are not cut; the next chunk repeats
at most the overlap, from a boundary on. Every chunk is measured as emitted before it is taken.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from langchain_mchunk.boundaries import grapheme_floor
from langchain_mchunk.spans import rstrip_blank, skip_blank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from langchain_mchunk.boundaries import Cuts
    from langchain_mchunk.sizes import Ruler
    from langchain_mchunk.spans import Range


class Packer:
    """Packs ranges of one text into chunks.

    Args:
        text: The text.
        ruler: Its ruler.
        levels: Boundaries by strength, strongest first; the last level should be words.
        size: Hard limit of a chunk, in the ruler's unit.
        overlap: At most this much is shared by neighbours, in the ruler's unit.
        strip: Blank ends do not count.
        unbroken: Ranges that are not cut if they fit; of nested ones the outermost that fits.
            One may end behind the text.
        walls: Offsets (of headings) that no overlap holds or crosses.
    """

    def __init__(
        self,
        text: str,
        ruler: Ruler,
        levels: Sequence[Cuts],
        *,
        size: int,
        overlap: int,
        strip: bool = True,
        unbroken: Iterable[Range] = (),
        walls: Iterable[int] = (),
    ) -> None:
        self._text = text
        self._ruler = ruler
        self._levels = levels
        self._size = size
        self._overlap = overlap
        self._strip = strip
        self._ranges = unbroken
        self._walls = sorted(walls)

    @cached_property
    def _unbroken(self) -> list[Range]:
        """The ranges not to cut, found when the first chunk is: a text that fits needs none."""
        return whole(self._ranges, self._fit)

    @cached_property
    def _unbroken_ends(self) -> list[int]:
        return [end for _, end in self._unbroken]

    def fits(self, start: int, end: int) -> bool:
        """Tell whether `text[start:end]`, as it would be emitted, is within the limit."""
        end = min(end, len(self._text))
        start = self._skip(start, end)
        return self._ruler.fits(start, self._kept(start, end), self._size)

    def _fit(self, start: int, end: int) -> bool:
        """Tell it of a range that is not to be cut: such a one seldom has blank ends."""
        raw = self._ruler.fits(start, min(end, len(self._text)), self._size)
        return raw or self.fits(start, end)

    def pack(self, start: int, end: int) -> Iterator[Range]:
        """Cut `start:end` into chunks that fill the limit, trimmed if that is asked."""
        fresh = self._skip(start, end)  # the first character that no chunk holds yet
        at = fresh
        while fresh < end:
            at, stop, kept = self._chunk(at, fresh, end)
            yield at, kept
            fresh = self._skip(stop, end)
            at = self._overlap_start(at, kept, fresh, end)

    def _chunk(self, at: int, fresh: int, end: int) -> tuple[int, int, int]:
        """Return start, end and trimmed end of the chunk at `at`, or `fresh` if only that fits."""
        high = self._reach(at, end)
        while True:
            stop = self._stop(at, fresh, high, end)
            if stop is None:
                at, high = fresh, self._reach(fresh, end)
                continue
            kept = self._kept(at, stop)
            if kept == at + 1 or self._ruler.fits(at, kept, self._size):
                return at, stop, kept
            high = self._shrunk(at, kept)

    def _stop(self, at: int, fresh: int, high: int, end: int) -> int | None:
        """Choose the end of a chunk in `fresh+1..high`, or None if the overlap takes the room."""
        stop = self._border(at, fresh, high, end)
        if stop is not None:
            return stop
        if at < fresh and self._border(fresh, fresh, self._reach(fresh, end), end) is not None:
            return None
        stop = self._anywhere(at, fresh, high)
        if stop is None and at == fresh:
            return max(high, at + 1)  # a grapheme cluster that is larger than the limit
        return stop

    def _shrunk(self, at: int, kept: int) -> int:
        """Guess a nearer end for a chunk that is too large up to `kept`."""
        size = max(self._ruler.size(at, kept), 1)
        return max(at + 1, min(kept - 1, at + (kept - at) * self._size // size))

    def _border(self, at: int, fresh: int, high: int, end: int) -> int | None:
        """Choose the strongest boundary in the second half of `at:high`, else the last before."""
        if high <= fresh:
            return None
        half = max(at + (high - at + 1) // 2, fresh + 1)
        high = self._skip(high, end)
        if high >= end:
            return end
        for level in self._levels:
            stop = self._last(level, half, high)
            if stop is not None:
                return stop
        earlier = [self._last(level, fresh + 1, half - 1) for level in self._levels]
        return max((stop for stop in earlier if stop), default=None)

    def _anywhere(self, at: int, fresh: int, high: int) -> int | None:
        """Cut where no boundary is: before an unbroken range, else between grapheme clusters."""
        if high <= fresh:
            return None
        block = self._around(high)
        if block and block[0] > fresh:
            return block[0]
        if block and at < fresh:
            return None  # the range fits, but not behind the overlap
        return grapheme_floor(self._text, fresh, high)

    def _overlap_start(self, at: int, kept: int, fresh: int, end: int) -> int:
        """Return the start of the chunk behind `at:kept`: with the most overlap, else `fresh`."""
        if not self._overlap or fresh >= end:
            return fresh
        wall = bisect_right(self._walls, fresh) - 1
        low = max(at, self._walls[wall] if wall >= 0 else 0) + 1
        low = max(low, self._ruler.back(kept, self._overlap))
        block = self._around(low)
        low = block[1] if block else low
        if low >= kept:
            return fresh  # spares a search for each level
        for level in reversed(self._levels):
            start = self._first(level, low, kept - 1)
            if start is not None:
                start = self._skip(start, kept)
                return start if self._ruler.fits(start, kept, self._overlap) else fresh
        return fresh

    def _last(self, level: Cuts, low: int, high: int) -> int | None:
        """Return the last boundary in `low..high` that is inside no unbroken range."""
        while (cut := level.last(low, high)) is not None:
            block = self._around(cut)
            if block is None:
                return cut
            high = block[0]
        return None

    def _first(self, level: Cuts, low: int, high: int) -> int | None:
        """Return the first boundary in `low..high` that is inside no unbroken range."""
        while (cut := level.first(low, high)) is not None:
            block = self._around(cut)
            if block is None:
                return cut
            low = block[1]
        return None

    def _around(self, cut: int) -> Range | None:
        """Return the unbroken range that `cut` would break."""
        i = bisect_right(self._unbroken_ends, cut)
        if i < len(self._unbroken) and self._unbroken[i][0] < cut:
            return self._unbroken[i]
        return None

    def _reach(self, start: int, end: int) -> int:
        return min(self._ruler.reach(start, self._size), end)

    def _skip(self, start: int, end: int) -> int:
        return skip_blank(self._text, start, end) if self._strip else min(start, end)

    def _kept(self, start: int, end: int) -> int:
        """Return the end of a chunk as emitted."""
        return rstrip_blank(self._text, start, end) if self._strip else end


def whole(ranges: Iterable[Range], fits: Callable[[int, int], bool]) -> list[Range]:
    """Return the ranges not to cut, in order: of nested ones the outermost that fits.

    Two that overlap, as a heading glued to its block and that block, become one if that fits.
    """
    kept: list[Range] = []
    ordered = sorted(ranges, key=itemgetter(1), reverse=True)
    ordered.sort(key=itemgetter(0))  # stable: by start, the longest first
    for start, end in ordered:
        last_start, last_end = kept[-1] if kept else (0, 0)
        if end <= last_end:
            continue  # inside a range that stays whole
        if start < last_end and fits(last_start, end):
            kept[-1] = (last_start, end)
        elif fits(start, end):
            kept.append((start, end))
    return kept
