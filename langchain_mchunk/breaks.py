"""Where a separator parts a range of a text: searched in C where that is asked, or listed beforehand.

A break is no single offset: a separator that is not kept lies between two chunks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias

from langchain_mchunk.boundaries import WORD, grapheme_ceil, grapheme_floor

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

Keep: TypeAlias = Literal["start", "end"] | None

_CLUSTER_WIDTH: Final = 64  # characters; few clusters are longer


class Break(NamedTuple):
    """A chunk ends at `stop`, the next begins at `start`; between them lies what is dropped."""

    stop: int
    start: int


class Breaks(Protocol):
    """The breaks in a range of a text, `start:end`, which leaves out what is dropped at its ends."""

    start: int
    end: int

    def last(self, low: int, high: int) -> Break | None:
        """Return the last break whose `stop` is in `low..high`."""

    def first(self, low: int, high: int) -> Break | None:
        """Return the first break whose `start` is in `low..high`."""


class Searched:
    """A string that is kept and of which no two occurrences overlap: nothing is listed."""

    def __init__(self, text: str, string: str, keep: Keep, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self._text = text
        self._string = string
        self._width = len(string)
        self._shift = len(string) if keep == "end" else 0  # from an occurrence to its break

    def last(self, low: int, high: int) -> Break | None:
        """Return the last break whose `stop` is in `low..high`."""
        low = max(low - self._shift, self.start)
        high = min(high - self._shift + self._width, self.end)
        while (at := self._text.rfind(self._string, low, high)) >= 0:
            if self._apart(at):
                return Break(at + self._shift, at + self._shift)
            high = at
        return None

    def first(self, low: int, high: int) -> Break | None:
        """Return the first break whose `start` is in `low..high`."""
        low = max(low - self._shift, self.start)
        high = min(high - self._shift + self._width, self.end)
        while (at := self._text.find(self._string, low, high)) >= 0:
            if self._apart(at):
                return Break(at + self._shift, at + self._shift)
            low = at + self._width
        return None

    def _apart(self, at: int) -> bool:
        around = self._text[at - 1 : at + self._width + 1]
        return around.isascii() or (
            between_clusters(self._text, self.start, at)
            and between_clusters(self._text, self.start, at + self._width)
        )


class Listed:
    """The matches of a pattern in a range; those side by side that are not kept are one break."""

    def __init__(
        self, text: str, pattern: re.Pattern[str], keep: Keep, start: int, end: int
    ) -> None:
        self.start = start
        self.end = end
        matches = whole_matches(text, pattern, start, end)
        if keep is None:
            self._stops, self._starts = _gaps(matches)
            if self._stops and self._stops[0] == start:
                self.start = self._starts[0]
            if self._starts and self._starts[-1] == end:
                self.end = max(self._stops[-1], self.start)
        else:
            side = 0 if keep == "start" else 1
            self._stops = self._starts = array("I", (match[side] for match in matches))

    def __bool__(self) -> bool:
        return bool(self._stops)

    def last(self, low: int, high: int) -> Break | None:
        """Return the last break whose `stop` is in `low..high`."""
        at = bisect_right(self._stops, high) - 1
        return self._break(at) if at >= 0 and self._stops[at] >= low else None

    def first(self, low: int, high: int) -> Break | None:
        """Return the first break whose `start` is in `low..high`."""
        at = bisect_left(self._starts, low)
        return self._break(at) if at < len(self._starts) and self._starts[at] <= high else None

    def _break(self, at: int) -> Break:
        return Break(self._stops[at], self._starts[at])


class Words:
    """White space, before which a chunk ends."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self._text = text

    def last(self, low: int, high: int) -> Break | None:
        """Return the last break whose `stop` is in `low..high`."""
        high = min(high + 1, self.end)
        while match := WORD.backward.search(self._text, low, high):
            high = match.start()
            if self._apart(high):
                return Break(high, high)
        return None

    def first(self, low: int, high: int) -> Break | None:
        """Return the first break whose `start` is in `low..high`."""
        for match in WORD.forward.finditer(self._text, low, min(high + 1, self.end)):
            if self._apart(match.start()):
                return Break(match.start(), match.start())
        return None

    def _apart(self, at: int) -> bool:
        return between_clusters(self._text, self.start, at) and between_clusters(
            self._text, self.start, at + 1
        )


class Clusters:
    """The borders of grapheme clusters."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self._text = text

    def last(self, low: int, high: int) -> Break | None:
        """Return the last break whose `stop` is in `low..high`."""
        at = grapheme_floor(self._text, self.start, min(high, self.end))
        return None if at is None or at < low else Break(at, at)

    def first(self, low: int, high: int) -> Break | None:
        """Return the first break whose `start` is in `low..high`."""
        width = _CLUSTER_WIDTH
        while (stop := low + width) < high:
            at = grapheme_ceil(self._text, self.start, low, stop)
            if at < stop:
                return Break(at, at)
            width *= 8
        if low > high:
            return None
        at = grapheme_ceil(self._text, self.start, low, high)
        return Break(at, at)


class Characters:
    """The borders of characters: for a cluster that is too large."""

    def __init__(self, text: str, start: int, end: int) -> None:  # noqa: ARG002 - as for clusters
        self.start = start
        self.end = end

    def last(self, low: int, high: int) -> Break | None:
        """Return the last break whose `stop` is in `low..high`."""
        return Break(high, high) if low <= high else None

    def first(self, low: int, high: int) -> Break | None:
        """Return the first break whose `start` is in `low..high`."""
        return Break(low, low) if low <= high else None


def between_clusters(text: str, start: int, at: int) -> bool:
    """Tell whether `at` is between two grapheme clusters; `start` is so."""
    return at <= start or grapheme_floor(text, start, at) == at


def whole_matches(
    text: str, pattern: re.Pattern[str], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the matches of `pattern` in `text[start:end]` that break no grapheme cluster.

    The slice is searched by itself, so that a pattern sees nothing around it. A match that ends
    between a carriage return and a line feed takes in both.
    """
    for match in pattern.finditer(text[start:end]):
        low, high = match.span()
        low, high = start + low, start + high
        around = text[max(low - 1, 0) : high + 1]
        if not around.isascii() or "\r" in around:
            low -= text[max(low - 1, 0) : low + 1] == "\r\n"
            high += text[max(high - 1, 0) : high + 1] == "\r\n"
            if not (between_clusters(text, start, low) and between_clusters(text, start, high)):
                continue
        yield low, high


def _gaps(matches: Iterable[tuple[int, int]]) -> tuple[array[int], array[int]]:
    """Return where the gaps begin and end; of matches side by side they are one."""
    stops, starts = array("I"), array("I")
    for low, high in matches:
        if starts and starts[-1] >= low:
            starts[-1] = max(starts[-1], high)
        else:
            stops.append(low)
            starts.append(high)
    return stops, starts
