"""The size of a slice in tokens, read off the tokens of its whole text, which is encoded once.

At a *seam* every tiktoken pattern ends a pre-token, whatever stands around: behind a letter or
digit before a stop or a line break, and behind any sign before a blank. From seam to seam a slice
and its document have the same tokens: only what lies outside its outer seams is encoded again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

import regex
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# ASCII, ideographic and full-width stops; no apostrophe, behind which a contraction goes on.
_STOPS: Final = (
    r"""\r\n.,;:!?)\]}"\u2026\u3001\u3002\u300d\u300f\uff01\uff09\uff0c\uff1a\uff1b\uff1f"""
)
_SEAM: Final = rf"\S[\ \t] | [\p{{L}}\p{{N}}][{_STOPS}]"  # the seam is between its two characters
_NEXT_SEAM: Final = regex.compile(_SEAM, regex.VERBOSE)
_LAST_SEAM: Final = regex.compile(f"(?r){_SEAM}", regex.VERBOSE)
_SEAM_WITHIN: Final = 96  # characters from an end of a slice

_BLOCK: Final = 1 << 18  # characters encoded at a time, up to the next seam
_LONGEST_BLOCK: Final = 600_000  # where no seam comes: a million blanks overflow tiktoken's stack

_SLACK: Final = 64  # tokens of the text beyond twice the limit: more need no measuring


class TokenRuler:
    """Looks where the tokens of the whole text say, and measures by encoding the slice.

    Args:
        text: The text.
        ends: Where each of its tokens ends, ascending; one that ends inside a character counts as
            ending behind it.
        count: The number of tokens of a text.
    """

    def __init__(self, text: str, ends: Sequence[int], count: Callable[[str], int]) -> None:
        self._text = text
        self._ends = ends
        self._count = count

    def size(self, start: int, end: int) -> int:
        """Return the number of tokens of `text[start:end]`."""
        return self._count(self._text[start:end])

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Tell whether `text[start:end]` has at most `limit` tokens."""
        inside = bisect_left(self._ends, end) - bisect_right(self._ends, start)
        return inside <= 2 * limit + _SLACK and self.size(start, end) <= limit

    def reach(self, start: int, limit: int) -> int:
        """Return the end of the last character within `limit` tokens from `start`."""
        last = bisect_right(self._ends, start) + limit
        if last >= len(self._ends):
            return len(self._text)
        end = self._ends[last - 1]
        inside = self._ends[last] == end  # the next token goes on in the same character
        return max(start, end - inside)

    def back(self, end: int, limit: int) -> int:
        """Return the start of the first character within `limit` tokens up to `end`."""
        last = max(bisect_left(self._ends, end) + 1, bisect_right(self._ends, end))
        return min(end, self._ends[last - limit - 1]) if last > limit else 0


class SeamRuler(TokenRuler):
    """A token ruler of a tiktoken encoding: what lies between two seams is not encoded again."""

    def __init__(self, text: str, ends: Sequence[int], count: Callable[[str], int]) -> None:
        super().__init__(text, ends, count)
        self._widest = 1 if text.isascii() else 4  # bytes, and so tokens, of a character

    @override
    def size(self, start: int, end: int) -> int:
        head, tail = self._seam_after(start, end), self._seam_before(start, end)
        if head is None or tail is None or head > tail:
            return self._count(self._text[start:end])
        between = bisect_right(self._ends, tail) - bisect_right(self._ends, head)
        for low, high in ((start, head), (tail, end)):
            if low < high:
                between += self._count(self._text[low:high])
        return between

    @override
    def fits(self, start: int, end: int, limit: int) -> bool:
        return (end - start) * self._widest <= limit or super().fits(start, end, limit)

    def _seam_after(self, start: int, end: int) -> int | None:
        if start == 0:
            return 0
        match = _NEXT_SEAM.search(self._text, start - 1, min(start + _SEAM_WITHIN, end) + 1)
        return match.start() + 1 if match else None

    def _seam_before(self, start: int, end: int) -> int | None:
        if end >= len(self._text):
            return end
        low = max(start, end - _SEAM_WITHIN, 1)
        match = _LAST_SEAM.search(self._text, low - 1, end + 1)
        return match.start() + 1 if match else None


def blocks(text: str) -> Iterator[str]:
    """Cut a long text at seams into blocks with the tokens of the whole: memory stays low.

    Where no seam comes within 600,000 characters it is cut all the same: off by a token or so.
    """
    start = 0
    while len(text) - start > _BLOCK:
        seam = _NEXT_SEAM.search(text, start + _BLOCK - 1, start + _LONGEST_BLOCK)
        end = seam.start() + 1 if seam else start + _LONGEST_BLOCK
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]
