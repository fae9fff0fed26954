"""The sentence ends that `sentencex` proposes, which reads a text in blocks."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import sentencex

from langchain_mchunk.boundaries import joined
from langchain_mchunk.further_ends import CLOSED
from langchain_mchunk.spans import skip_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.spans import Range

# Of more than 10 KB of UTF-8, sentencex cuts pieces at blank lines, which it loses; and the more
# quotes a paragraph leaves open, the slower it gets.
_MOST_BYTES: Final = 9_600
_FEWEST: Final = _MOST_BYTES // 4  # characters that are never more bytes
_BATCH: Final = 1 << 17  # characters: few calls of numpy, and arrays that stay in cache

# White space on which sentencex fails before an initial, by its first byte in UTF-8.
_ODD_SPACES: Final = {
    0xC2: "\x85\xa0",
    0xE1: "\u1680",
    0xE2: "\u2028\u2029\u202f\u205f" + "".join(map(chr, range(0x2000, 0x200B))),
    0xE3: "\u3000",
}
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]++\n")
_LIKELY_ENDS: Final = (". ", "! ", "? ", ".\n", "\u3002", "\uff01", "\uff1f", "\u0964 ", "\u06d4 ")
_AFTER_STOP: Final = re.compile(CLOSED)


def proposals(text: str, blocks: Sequence[Range], language: str) -> npt.NDArray[np.int64]:
    """Find the ends that sentencex proposes inside of neighbouring blocks."""
    sizes = array("q", [blocks[0][0]])
    last = [0]  # the last piece of each block: where it ends is no proposal
    for start, end in blocks:
        block = text[start:end].rstrip()
        sizes.fromlist([*map(len, sentencex.segment(language, _readable(block)))])
        sizes[-1] += end - start - len(block)
        last.append(len(sizes) - 1)
    return np.delete(np.cumsum(sizes), last)


def batches(text: str, low: int, high: int) -> Iterator[list[Range]]:
    """Cut `low:high` into blocks that sentencex reads well, and yield them some hundred KB a time.

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


def _readable(block: str) -> str:
    """Replace what sentencex fails on or does not know, character by character."""
    block = _BLANK_LINE.sub(_emptied, block)
    if block.isascii():
        return block
    try:
        code = block.encode()
    except UnicodeEncodeError:  # half characters
        code = block.encode("utf-8", "replace")
        block = code.decode()
    for lead, spaces in _ODD_SPACES.items():
        if lead in code:
            for space in spaces:
                block = block.replace(space, " ")
    return block


def _emptied(line: re.Match[str]) -> str:
    return "\n" * len(line[0])
