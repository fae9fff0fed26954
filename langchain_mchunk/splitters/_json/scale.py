"""What a chunk measures: the path that opens it, a slice of the document, what closes it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from langchain_mchunk.sizes import LengthFunction, Ruler, ruler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SLACK: Final = 16  # units: more than a text gains where it is joined to another


class Path:
    """What stands around the entries of a container: openers and keys from the root on, closers.

    Attributes:
        parent: The path around the container itself.
        depth: How many containers are open.
        before: The characters of the openers and keys.
        size: The size of the path alone, or a little more.
    """

    __slots__ = ("before", "closer", "depth", "opener", "parent", "size")

    def __init__(self, parent: Path | None, opener: str, closer: str, size: int) -> None:
        self.parent = parent
        self.opener = opener
        self.closer = closer
        self.size = size
        self.depth: int = parent.depth + len(closer) if parent else 0
        self.before: int = parent.before + len(opener) if parent else 0

    def outwards(self) -> Iterator[Path]:
        """Go from this path to the empty one."""
        path: Path | None = self
        while path is not None:
            yield path
            path = path.parent

    def opening(self) -> str:
        """Return the text before the entries."""
        return "".join([path.opener for path in self.outwards()][::-1])

    def closing(self) -> str:
        """Return the text behind the entries."""
        return "".join([path.closer for path in self.outwards()])


NOWHERE: Final = Path(None, "", "", 0)


class Scale(Protocol):
    """Tells whether chunks of one document fit.

    A chunk is given by the path that opens it, a slice `start:end` of the document and the path
    that closes it.
    """

    def enter(self, path: Path, opener: str, closer: str) -> Path:
        """Return the path in a container with these signs under `path`."""

    def has_room(self, path: Path, key: str) -> bool:
        """Tell whether the path of an entry leaves room for anything."""

    def size(self, opening: Path, start: int, end: int, closing: Path) -> int:
        """Return the size of a chunk."""

    def fits(self, opening: Path, start: int, end: int, closing: Path) -> bool:
        """Tell whether a chunk is within the limit."""

    def fits_alone(self, path: Path, start: int, end: int) -> bool:
        """Tell the same of one entry under its path, where many are asked about."""

    def reach(self, opening: Path, start: int) -> int:
        """Return about where a chunk has to end."""


def scale(length_function: LengthFunction, text: str, limit: int) -> Scale:
    """Return the scale that fits `length_function`, for the chunks of the document `text`."""
    if length_function is len:
        return CharacterScale(limit)
    return FunctionScale(length_function, text, limit)


class CharacterScale:
    """Characters: arithmetic."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def enter(self, path: Path, opener: str, closer: str) -> Path:
        """Return the path in a container with these signs under `path`."""
        return Path(path, opener, closer, path.size + len(opener) + len(closer))

    def has_room(self, path: Path, key: str) -> bool:
        """Tell whether the path of an entry leaves room for anything."""
        return path.size + len(key) < self._limit

    def size(self, opening: Path, start: int, end: int, closing: Path) -> int:
        """Return the size of a chunk."""
        return opening.before + end - start + closing.depth

    def fits(self, opening: Path, start: int, end: int, closing: Path) -> bool:
        """Tell whether a chunk is within the limit."""
        return opening.before + end - start + closing.depth <= self._limit

    def fits_alone(self, path: Path, start: int, end: int) -> bool:
        """Tell the same of one entry under its path."""
        return path.size + end - start <= self._limit

    def reach(self, opening: Path, start: int) -> int:
        """Return where a chunk has to end."""
        return start + self._limit - opening.size


class FunctionScale:
    """Any `str -> int`: the text of the chunk is made and measured."""

    def __init__(self, length_function: LengthFunction, text: str, limit: int) -> None:
        self._function = length_function
        self._text = text
        self._limit = limit
        self._opening = (NOWHERE, "")  # the last one asked about, and its text
        self._last = ((NOWHERE, 0, 0), 0)  # the last chunk asked about, and its size
        self._large = (0, len(text) + 1)  # a slice that is known to be too large
        self._density = 1.0  # characters a unit in what was measured last

    @cached_property
    def _ruler(self) -> Ruler:
        return ruler(self._function, self._text)

    def enter(self, path: Path, opener: str, closer: str) -> Path:
        """Return the path in a container with these signs under `path`."""
        size = path.size + self._function(opener) + self._function(closer)
        return Path(path, opener, closer, size)

    def has_room(self, path: Path, key: str) -> bool:
        """Tell whether the path of an entry leaves room for anything.

        It is measured as a whole only where the sum of its parts, which is larger, says no.
        """
        own = self._function(key)
        if path.size + own < self._limit:
            return True
        size = self._function(path.opening() + key + path.closing())
        path.size = min(path.size, size)
        return size < self._limit

    def size(self, opening: Path, start: int, end: int, closing: Path) -> int:
        """Return the size of a chunk."""
        chunk = (opening, start, end + closing.depth)  # closers that follow in the text count once
        if self._last[0] != chunk:
            if self._opening[0] is not opening:
                self._opening = (opening, opening.opening())
            text = self._opening[1] + self._text[start:end] + closing.closing()
            self._last = (chunk, self._function(text))
            self._density = len(text) / max(self._last[1], 1)
        return self._last[1]

    def fits(self, opening: Path, start: int, end: int, closing: Path) -> bool:
        """Tell whether a chunk is within the limit."""
        return (
            not self._exceeds(start, end) and self.size(opening, start, end, closing) <= self._limit
        )

    def fits_alone(self, path: Path, start: int, end: int) -> bool:
        """Tell the same of one entry under its path.

        The entry is measured alone first: the path may be much longer.
        """
        if self._exceeds(start, end):
            return False
        own = self._function(self._text[start:end])
        return path.size + 2 * own + _SLACK <= self._limit or self.fits(path, start, end, path)

    def reach(self, opening: Path, start: int) -> int:
        """Return about where a chunk has to end."""
        return start + self._width(max(self._limit - opening.size, 1))

    def _exceeds(self, start: int, end: int) -> bool:
        """Tell of a slice that is far too wide whether it is too large, measuring only a part.

        A slice that is too large is looked for in it: no container around that needs measuring.
        """
        width = self._width(2 * self._limit)
        if end - start <= 2 * width:
            return False
        if start <= self._large[0] and self._large[1] <= end:
            return True
        if self._ruler.fits(start, end, self._limit):
            return False
        inner = (start + width, start + 2 * width)
        if not self._ruler.fits(*inner, self._limit):
            self._large = inner
        return True

    def _width(self, units: int) -> int:
        return int(units * self._density) + 1


def furthest(fits: Callable[[int], bool], low: int, guess: int, high: int) -> int:
    """Return the largest number in `low..high` that fits, if all up to it do and `low` does.

    Looks near `guess` first, then in growing steps, then by bisection.
    """
    step = 1
    if guess > low and not fits(guess):
        high = guess - 1
        while high - step > low and not fits(high - step):
            high -= step + 1
            step *= 2
        low = max(low, high - step)
    else:
        low = max(low, guess)
        while low < high and fits(min(low + step, high)):
            low = min(low + step, high)
            step *= 2
        high = min(low + step - 1, high)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
