"""A ruler is laid on one text and says how large a slice is, in the unit of `chunk_size`."""

from collections.abc import Callable
from operator import index
from typing import Protocol, TypeAlias, runtime_checkable

LengthFunction: TypeAlias = Callable[[str], int]


class Ruler(Protocol):
    """Sizes of the slices of one text.

    `size` and `fits` are the truth. `reach` and `back` say where to look first: they assume that a
    longer slice is not smaller, so a border found with their help has to be confirmed by `fits`.
    """

    def size(self, start: int, end: int) -> int:
        """Return the size of `text[start:end]`."""

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Tell whether the size of `text[start:end]` is at most `limit`."""

    def reach(self, start: int, limit: int) -> int:
        """Return the furthest end of a slice from `start` within `limit`."""

    def back(self, end: int, limit: int) -> int:
        """Return the earliest start of a slice up to `end` within `limit`."""


@runtime_checkable
class Measure(Protocol):
    """A length function that has a ruler of its own, faster than calling it on slices."""

    def __call__(self, text: str, /) -> int:
        """Return the size of `text`."""

    def ruler(self, text: str) -> Ruler:
        """Lay a ruler on `text`."""


def ruler(length_function: LengthFunction, text: str) -> Ruler:
    """Lay on `text` the ruler that fits `length_function`."""
    if length_function is len:
        return CharacterRuler(text)
    if isinstance(length_function, Measure):
        return length_function.ruler(text)
    return FunctionRuler(length_function, text)


class CharacterRuler:
    """Characters: arithmetic."""

    def __init__(self, text: str) -> None:
        self._end = len(text)

    def size(self, start: int, end: int) -> int:
        """Return the size of `text[start:end]`."""
        return end - start

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Tell whether the size of `text[start:end]` is at most `limit`."""
        return end - start <= limit

    def reach(self, start: int, limit: int) -> int:
        """Return the furthest end of a slice from `start` within `limit`."""
        return min(start + limit, self._end)

    def back(self, end: int, limit: int) -> int:
        """Return the earliest start of a slice up to `end` within `limit`."""
        return max(end - limit, 0)


class FunctionRuler:
    """Any `str -> int`: galloping from the last density, then bisection.

    The function is called O(log n) times a search, on no slice much longer than twice the answer.
    """

    def __init__(self, length_function: LengthFunction, text: str) -> None:
        self._function = length_function
        self._text = text
        self._density = 1.0  # characters a unit, as the last search found
        self._last: tuple[int, int, int] = (-1, 0, 0)

    def size(self, start: int, end: int) -> int:
        """Return the size of `text[start:end]`."""
        size = self._function(self._text[start:end])
        if not isinstance(size, int):
            size = whole_number(size)
        return size

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Tell whether the size of `text[start:end]` is at most `limit`."""
        width = self._guess(limit)
        while start + 2 * width < end:  # a part that is too large spares measuring the whole
            if self.size(start, start + width) > limit:
                return False
            width *= 2
        return self.size(start, end) <= limit

    def reach(self, start: int, limit: int) -> int:
        """Return the furthest end of a slice from `start` within `limit`."""
        if self._last[:2] != (start, limit):
            room = len(self._text) - start
            width = self._widest(lambda width: self.size(start, start + width), room, limit)
            self._last = (start, limit, start + width)
        return self._last[2]

    def back(self, end: int, limit: int) -> int:
        """Return the earliest start of a slice up to `end` within `limit`."""
        return end - self._widest(lambda width: self.size(end - width, end), end, limit)

    def _guess(self, limit: int) -> int:
        return max(1, int(limit * self._density))

    def _widest(self, measure: Callable[[int], int], room: int, limit: int) -> int:
        """Return the largest width up to `room` that measures at most `limit`."""
        low, high = 0, min(self._guess(limit), room)
        while measure(high) <= limit:
            if high == room:
                return room
            low, high = high, min(2 * high, room)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if measure(middle) <= limit else (low, middle)
        if limit:
            self._density = max(low, 1) / limit
        return low


def whole_number(size: object) -> int:
    """Return what a length function gave, as numpy's integers, or say that it is no size."""
    try:
        return index(size)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"length_function must return an int, got {size!r}") from None
