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

from langchain_mchunk.boundaries import WORD, grapheme_ceil, grapheme_floor

if TYPE_CHECKING:
    from collections.abc import Iterator

Keep: TypeAlias = Literal["start", "end"] | None

_CLUSTER_WIDTH: Final = 64  # characters; few clusters are longer


class Breaks(Protocol):
    """The breaks in `start:end`, a range without what is dropped at its ends."""

    start: int
    end: int

    def last(self, low: int, high: int) -> int | None:
        """Return the last break before which a chunk stops in `low..high`."""

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

    def _apart(self, low: int, high: int) -> bool:
        """Tell whether a match begins and ends between two clusters, be it of one or two."""
        around = self._text[low - (low > 0) : high + 1]
        return around.isascii() or (self._between(low) and self._between(high))

    def _between(self, at: int) -> bool:
        return at <= self.start or grapheme_floor(self._text, self.start, at) == at


class Searched(_Range):
    """The occurrences of a string that is kept; no two of them overlap in the text."""

    def __init__(self, text: str, string: str, keep: Keep, start: int, end: int) -> None:
        super().__init__(text, start, end)
        self._piece = text[start:end]
        self._string = string
        self._width = len(string)
        self._shift = start + len(string) if keep == "end" else start  # from place to break

    def last(self, low: int, high: int) -> int | None:
        """Return the last break in `low..high`."""
        low, high = max(low - self._shift, 0), high - self._shift + self._width
        while (at := self._piece.rfind(self._string, low, high)) >= 0:
            if self._apart(self.start + at, self.start + at + self._width):
                return at + self._shift
            high = at
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        low, high = max(low - self._shift, 0), high - self._shift + self._width
        while (at := self._piece.find(self._string, low, high)) >= 0:
            if self._apart(self.start + at, self.start + at + self._width):
                return at + self._shift
            low = at + self._width
        return None


class Listed(_Range):
    """The matches of a pattern, which sees nothing but the range; they are kept."""

    def __init__(
        self, text: str, pattern: re.Pattern[str], keep: Keep, start: int, end: int
    ) -> None:
        super().__init__(text, start, end)
        lows, highs = matches(text, pattern, start, end)
        self._lows = lows
        self._highs = highs
        self._breaks = highs if keep == "end" else lows  # as offsets from `start`

    def __bool__(self) -> bool:
        return bool(self._breaks)

    def last(self, low: int, high: int) -> int | None:
        """Return the last break in `low..high`."""
        low, start = low - self.start, self.start
        at = bisect_right(self._breaks, high - start) - 1
        while at >= 0 and self._breaks[at] >= low:
            if self._apart(start + self._lows[at], start + self._highs[at]):
                return start + self._breaks[at]
            at -= 1
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        high, start = high - self.start, self.start
        at = bisect_left(self._breaks, low - start)
        while at < len(self._breaks) and self._breaks[at] <= high:
            if self._apart(start + self._lows[at], start + self._highs[at]):
                return start + self._breaks[at]
            at += 1
        return None


class Gaps(_Range):
    """The matches of a pattern that are not kept; those side by side are one."""

    def __init__(self, text: str, pattern: re.Pattern[str], start: int, end: int) -> None:
        super().__init__(text, start, end)
        self._stops, self._breaks = array("I"), array("I")
        for low, high in zip(*matches(text, pattern, start, end), strict=True):
            self._add(start + low, start + high)
        if self._stops and self._stops[0] == start:
            self.start = self._breaks[0]
        if self._breaks and self._breaks[-1] == end:
            self.end = max(self._stops[-1], self.start)

    def __bool__(self) -> bool:
        return bool(self._breaks)

    def last(self, low: int, high: int) -> int | None:
        """Return the last break before which a chunk stops in `low..high`."""
        at = bisect_right(self._stops, high) - 1
        return self._breaks[at] if at >= 0 and self._stops[at] >= low else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        at = bisect_left(self._breaks, low)
        return self._breaks[at] if at < len(self._breaks) and self._breaks[at] <= high else None

    def stop(self, at: int) -> int:
        """Return where the chunk before the break `at` stops."""
        number = bisect_left(self._breaks, at)
        found = number < len(self._breaks) and self._breaks[number] == at
        return self._stops[number] if found else at

    def _add(self, low: int, high: int) -> None:
        if not self._apart(low, high):
            return
        if self._breaks and self._breaks[-1] >= low:
            self._breaks[-1] = high
        else:
            self._stops.append(low)
            self._breaks.append(high)


class Words(_Range):
    """White space, which begins the next chunk."""

    def last(self, low: int, high: int) -> int | None:
        """Return the last break in `low..high`."""
        high = min(high + 1, self.end)
        while match := WORD.backward.search(self._text, low, high):
            high = match.start()
            if self._between(high) and self._between(high + 1):
                return high
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        for match in WORD.forward.finditer(self._text, low, min(high + 1, self.end)):
            if self._between(match.start()) and self._between(match.end()):
                return match.start()
        return None


class Clusters(_Range):
    """The borders of grapheme clusters."""

    def last(self, low: int, high: int) -> int | None:
        """Return the last break in `low..high`."""
        if low > high:
            return None
        at = grapheme_floor(self._text, self.start, min(high, self.end))
        return None if at is None or at < low else at

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        width = _CLUSTER_WIDTH
        while low + width < high:
            at = grapheme_ceil(self._text, self.start, low, low + width)
            if at < low + width:
                return at
            width *= 8
        return grapheme_ceil(self._text, self.start, low, high) if low <= high else None


class Characters(_Range):
    """The borders of characters: for a cluster that is too large."""

    def last(self, low: int, high: int) -> int | None:
        """Return the last break in `low..high`."""
        return high if low <= high else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first break in `low..high`."""
        return low if low <= high else None


def matches(
    text: str, pattern: re.Pattern[str], start: int, end: int
) -> tuple[array[int], array[int]]:
    """List where the matches of `pattern` in `text[start:end]` begin and where they end.

    The slice is searched by itself. A match that ends between a carriage return and a line feed
    takes in both.
    """
    piece = text[start:end]
    spans: Iterator[tuple[int, int]] = map(re.Match.span, pattern.finditer(piece))
    if "\r" in piece:
        spans = _widened(piece, spans)
    flat = array("I", chain.from_iterable(spans))
    return flat[::2], flat[1::2]


def _widened(piece: str, spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for low, high in spans:
        yield (
            low - (piece[max(low - 1, 0) : low + 1] == "\r\n"),
            high + (piece[max(high - 1, 0) : high + 1] == "\r\n"),
        )
