"""Where a separator parts a range of a text: searched in C where asked, or listed beforehand.

A break is the offset where a next chunk may start. A separator that is not kept lies before it: the
chunk then stops earlier. A match that begins or ends inside a grapheme cluster is no break.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from typing_extensions import override

from langchain_mchunk.boundaries import WORD, between_clusters, grapheme_ceil, grapheme_floor

if TYPE_CHECKING:
    from collections.abc import Iterator

Keep: TypeAlias = Literal["start", "end"] | None

_CLUSTER_WIDTH: Final = 64  # characters; few clusters are longer


class Breaks(Protocol):
    """The breaks in `start:end`, a range without what is dropped at its ends."""

    start: int
    end: int

    def last(self, start: int, high: int) -> int | None:
        """Return the last break before which the chunk from `start` on stops up to `high`."""

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""

    def stop(self, at: int) -> int:
        """Return where the chunk before the break `at` stops."""


class _Range:
    """A range of a text where nothing is dropped."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self.start = start
        self.end = end

    def stop(self, at: int) -> int:
        """Return `at`."""
        return at


class _Piece(_Range):
    """A range searched by itself: what is private counts from its start."""

    def __init__(self, text: str, start: int, end: int) -> None:
        super().__init__(text, start, end)
        self._piece = text[start:end]

    def _apart(self, low: int, high: int) -> bool:
        """Tell whether a match begins and ends between two clusters."""
        around = self._piece[low - (low > 0) : high + 1]
        return around.isascii() or (
            between_clusters(self._piece, 0, low) and between_clusters(self._piece, 0, high)
        )


class Searched(_Piece):
    """The occurrences of a string that is kept; no two of them overlap in the text."""

    def __init__(self, text: str, string: str, keep: Keep, start: int, end: int) -> None:
        super().__init__(text, start, end)
        self._simple = self._piece.isascii()
        self._string = string
        self._width = len(string)
        self._shift = start + len(string) if keep == "end" else start  # from a match to its break
        self._least = start if keep == "end" else start - 1  # from a chunk's start to a match

    def last(self, start: int, high: int) -> int | None:
        """Return the last break behind `start` up to `high`."""
        low, high = start - self._least, high - self._shift + self._width
        while (at := self._piece.rfind(self._string, low, high)) >= 0:
            if self._simple or self._apart(at, at + self._width):
                return at + self._shift
            high = at
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        low, high = max(low - self._shift, 0), high - self._shift + self._width
        while (at := self._piece.find(self._string, low, high)) >= 0:
            if self._simple or self._apart(at, at + self._width):
                return at + self._shift
            low = at + self._width
        return None


class Listed(_Piece):
    """The matches of a pattern; they are kept."""

    def __init__(
        self, text: str, pattern: re.Pattern[str], keep: Keep, start: int, end: int
    ) -> None:
        super().__init__(text, start, end)
        self._lows, self._highs = matches(self._piece, pattern)
        self._breaks = self._highs if keep == "end" else self._lows

    def __bool__(self) -> bool:
        return bool(self._breaks)

    def last(self, start: int, high: int) -> int | None:
        """Return the last break behind `start` up to `high`."""
        at = bisect_right(self._breaks, high - self.start) - 1
        while at >= 0 and self._breaks[at] > start - self.start:
            if self._apart(self._lows[at], self._highs[at]):
                return self._breaks[at] + self.start
            at -= 1
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        at = bisect_left(self._breaks, low - self.start)
        while at < len(self._breaks) and self._breaks[at] <= high - self.start:
            if self._apart(self._lows[at], self._highs[at]):
                return self._breaks[at] + self.start
            at += 1
        return None


class Gaps(_Piece):
    """The matches of a pattern that are not kept; those side by side are one."""

    def __init__(self, text: str, pattern: re.Pattern[str], start: int, end: int) -> None:
        super().__init__(text, start, end)
        self._stops, self._breaks = array("I"), array("I")
        for low, high in zip(*matches(self._piece, pattern), strict=True):
            if self._apart(low, high):
                self._add(start + low, start + high)
        if self._stops and self._stops[0] == start:
            self.start = self._breaks[0]
        if self._breaks and self._breaks[-1] == end:
            self.end = max(self._stops[-1], self.start)

    def __bool__(self) -> bool:
        return bool(self._breaks)

    def last(self, start: int, high: int) -> int | None:
        """Return the last break before which the chunk from `start` on stops up to `high`."""
        at = bisect_right(self._stops, high) - 1
        return self._breaks[at] if at >= 0 and self._stops[at] > start else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        at = bisect_left(self._breaks, low)
        return self._breaks[at] if at < len(self._breaks) and self._breaks[at] <= high else None

    @override
    def stop(self, at: int) -> int:
        """Return where the chunk before the break `at` stops."""
        number = bisect_left(self._breaks, at)
        found = number < len(self._breaks) and self._breaks[number] == at
        return self._stops[number] if found else at

    def _add(self, low: int, high: int) -> None:
        if self._breaks and self._breaks[-1] >= low:
            self._breaks[-1] = high
        else:
            self._stops.append(low)
            self._breaks.append(high)


class Words(_Range):
    """White space, which begins the next chunk."""

    def last(self, start: int, high: int) -> int | None:
        """Return the last break behind `start` up to `high`."""
        high = min(high + 1, self.end)
        while match := WORD.backward.search(self._text, start + 1, high):
            high = match.start()
            if self._parts(high):
                return high
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        for match in WORD.forward.finditer(self._text, low, min(high + 1, self.end)):
            if self._parts(match.start()):
                return match.start()
        return None

    def _parts(self, at: int) -> bool:
        return all(between_clusters(self._text, self.start, side) for side in (at, at + 1))


class Clusters(_Range):
    """The borders of grapheme clusters."""

    def __init__(self, text: str, start: int, end: int) -> None:
        super().__init__(text, start, end)
        self._known = start  # a border, so near that looking for others from there is cheap

    def last(self, start: int, high: int) -> int | None:
        """Return the last break behind `start`, which is one, up to `high`."""
        self._known = start
        return grapheme_floor(self._text, start, high) if start < high else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        width = _CLUSTER_WIDTH
        while low <= high:
            stop = min(low + width, self.end)
            at = grapheme_ceil(self._text, self._known, low, stop)
            if at < stop or stop == self.end:
                return at if at <= high else None
            if stop > high:
                return None
            width *= 8
        return None


class Characters(_Range):
    """The borders of characters: for a cluster that is too large."""

    def last(self, start: int, high: int) -> int | None:
        """Return the last break behind `start` up to `high`."""
        return high if start < high else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        return low if low <= high else None


def matches(piece: str, pattern: re.Pattern[str]) -> tuple[array[int], array[int]]:
    """List where the matches of `pattern` in `piece` begin and where they end.

    One that begins or ends between a carriage return and a line feed takes in both.
    """
    spans: Iterator[tuple[int, int]] = map(re.Match.span, pattern.finditer(piece))
    if "\r" in piece and "\r\n" in piece:  # the search for one character is much faster
        spans = _widened(piece, spans)
    flat = array("I", chain.from_iterable(spans))
    return flat[::2], flat[1::2]


def _widened(piece: str, spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for low, high in spans:
        yield (
            low - (piece[max(low - 1, 0) : low + 1] == "\r\n"),
            high + (piece[max(high - 1, 0) : high + 1] == "\r\n"),
        )
