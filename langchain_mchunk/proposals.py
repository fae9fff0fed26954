"""The sentence ends that `sentencex` proposes, which reads a text in blocks."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import sentencex

from langchain_mchunk.boundaries import joined
from langchain_mchunk.further_ends import CLOSED
from langchain_mchunk.spans import skip_blank
from langchain_mchunk.stops import WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from langchain_mchunk.spans import Range

# Of more than 10 KB of UTF-8, sentencex cuts pieces at blank lines, which it loses; and the more
# quotes a paragraph leaves open, the slower it gets.
_MOST_BYTES: Final = 9_600
_FEWEST: Final = _MOST_BYTES // 4  # characters that are never more bytes
_BATCH: Final = 1 << 19  # characters: few calls of numpy, and arrays of no more than some MB

# On white space beyond ASCII sentencex fails before an initial.
_ODD_SPACES: Final = str.maketrans(dict.fromkeys(filter(lambda c: c > "\x7f", WHITE_SPACE), " "))
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]++\n")
_LIKELY_ENDS: Final = (". ", "! ", "? ", ".\n", "\u3002", "\uff01", "\uff1f", "\u0964 ", "\u06d4 ")
_AFTER_STOP: Final = re.compile(CLOSED)


def proposals(
    text: str, blocks: Sequence[Range], language: str, odd: Sequence[int]
) -> npt.NDArray[np.int64]:
    """Find the ends that sentencex proposes in neighbouring blocks, and those of the blocks.

    `odd` says where, in order, there are blank lines that hold blanks, and white space beyond
    ASCII.
    """
    sizes = array("q", [blocks[0][0]])
    for start, end in blocks:
        block = text[start:end].rstrip()
        is_odd = bisect_left(odd, start) < bisect_left(odd, end)
        pieces = _segmented(_readable(block) if is_odd else block, language)
        sizes.fromlist([*map(len, pieces)])
        sizes[-1] += end - start - len(block)
    return np.cumsum(sizes)[1:]


def batches(text: str, low: int, high: int) -> Iterator[list[Range]]:
    """Cut `low:high` into blocks that sentencex reads well, and yield many at a time.

    A block ends at a blank line, else behind a stop, else at a space.
    """
    batch: list[Range] = []
    for block in _blocks(text, low, high):
        batch.append(block)
        if block[1] - batch[0][0] >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _blocks(text: str, at: int, high: int) -> Iterator[Range]:
    width = _MOST_BYTES
    while at < high:
        size = _bytes(text[at : at + width])
        while size > _MOST_BYTES and width > _FEWEST:
            width //= 2
            size = _bytes(text[at : at + width])
        end = at + width
        end = _cut(text, at + 1, end) if end < high else high
        while end < high and joined(text, end):
            end += 1
        yield at, end
        at = end
        if size <= _MOST_BYTES // 2:
            width = min(2 * width, _MOST_BYTES)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _cut(text: str, low: int, high: int) -> int:
    blank = text.rfind("\n\n", low, high)
    if blank < 0 and text.find("\r", low, high) >= 0:
        blank = max(text.rfind(line, low, high) for line in ("\n\r\n", "\r\r"))
    if blank >= 0:
        return skip_blank(text, blank, len(text))
    half = (low + high) // 2
    stop = max(text.rfind(end, half, high) for end in _LIKELY_ENDS)
    if stop >= 0:
        match = _AFTER_STOP.match(text, stop + 1)
        return match.end() if match else high
    return text.rfind(" ", half, high) + 1 or high


def _segmented(block: str, language: str) -> Iterable[str]:
    try:
        pieces: list[str] = sentencex.segment(language, block)
    except UnicodeEncodeError:  # half characters
        pieces = sentencex.segment(language, block.encode("utf-8", "replace").decode())
    return pieces


def _readable(block: str) -> str:
    """Replace what sentencex fails on or does not know, character by character."""
    if not block.isascii():
        block = block.translate(_ODD_SPACES)
    return _BLANK_LINE.sub(_emptied, block)


def _emptied(line: re.Match[str]) -> str:
    return "\n" * len(line[0])
