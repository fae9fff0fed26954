"""section: a heading and the blocks below it are one chunk; without headings each block is."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from typing_extensions import Unpack, override

from langchain_mchunk.boundaries import Places, prose
from langchain_mchunk.headings import Outline, glued
from langchain_mchunk.spans import Span, skip_blank
from langchain_mchunk.splitters.base import SpanSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_mchunk.headings import HeadingFields
    from langchain_mchunk.options import SharedOptions
    from langchain_mchunk.spans import Range

_FEW: Final = 3  # a text of fewer blocks has no structure to follow

# What a line may begin with, up to three spaces in: CommonMark 0.31, 4.2 and 4.5.
_MARK = r"""
    (?: (?P<blank> [^\S\r\n]*+ (?= [\r\n] | \Z ) )
      | [ ]{0,3} (?P<hashes> \#{1,6}+ ) (?: [ \t] (?P<title> [^\r\n]*+ ) | (?= [\r\n] | \Z ) )
      | [ ]{0,3} (?P<fence> `{3,}+ (?= [^`\r\n]*+ (?: [\r\n] | \Z ) ) | ~{3,}+ ) [^\r\n]*+
    )"""
_LINE_BREAK = r"(?: \r\n?+ | \n )"
_FIRST_MARK = re.compile(rf"\ufeff? {_MARK}", re.VERBOSE)
_NEXT_MARK = re.compile(_LINE_BREAK + _MARK, re.VERBOSE)
_NEXT_MARK_LF = re.compile(r"\n" + _MARK, re.VERBOSE)  # found several times faster
_FENCE_END = re.compile(
    rf"{_LINE_BREAK} [ ]{{0,3}} (`{{3,}}+|~{{3,}}+) [ \t]*+ (?= [\r\n] | \Z )", re.VERBOSE
)


class Structure(NamedTuple):
    """Blocks (behind the first heading no more than needed), headings and fenced code of a text."""

    blocks: list[Range]
    headings: list[HeadingFields]
    fences: list[Range]


class SectionSplitter(SpanSplitter):
    r"""Splits plain text and light Markdown by sections.

    The text is cut at blank lines and before ATX headings, never inside fenced code. From three
    such blocks on, a heading and all blocks down to the next heading are one chunk, and so is each
    block before the first heading; what is larger than `chunk_size` is packed into windows. A text
    of fewer blocks is packed as a whole. `keep_separator` has no effect.

    Args:
        chunk_size: Hard limit of a chunk, in units of `length_function`. Only one character that is
            larger alone goes beyond it.
        **options: The shared options, see `BaseSplitter`.

    Example:
        >>> splitter = SectionSplitter()
        >>> chunks = splitter.create_documents(["# A\n\nOne.\n\n## B\n\nTwo.\n\nThree."])
        >>> [(chunk.metadata["headers"], chunk.page_content) for chunk in chunks]
        [('A', '# A\n\nOne.'), ('A > B', '## B\n\nTwo.\n\nThree.')]
    """

    def __init__(self, *, chunk_size: int = 800, **options: Unpack[SharedOptions]) -> None:
        super().__init__(chunk_size=chunk_size, **options)

    @override
    def spans(self, text: str) -> Iterator[Span]:
        blocks, headings, fences = structure(text)
        starts = [start for start, _, _, _ in headings]
        packer = self.packer(
            text,
            [Places(starts), *prose(text)],
            unbroken=chain(fences, glued(headings)),
            walls=starts,
        )
        outline = Outline(headings)
        few = len(blocks) < _FEW
        ranges = [(0, len(text))] if few else sections(blocks, outline.starts, len(text))
        for start, end in ranges:
            pieces = [(start, end)] if packer.fits(start, end) else packer.pack(start, end)
            for low, high in pieces:
                yield Span(low, high, outline.at(skip_blank(text, low, high)))


def sections(blocks: list[Range], starts: list[int], end: int) -> Iterator[Range]:
    """Yield each block before the first of `starts`, then all from one of these to the next."""
    first = starts[0] if starts else end
    yield from (block for block in blocks if block[0] < first)
    yield from pairwise([*starts, end])


def structure(text: str) -> Structure:
    """Find the blocks, headings and fences of `text` in one pass."""
    blocks: list[Range] = []
    headings: list[HeadingFields] = []
    fences: list[Range] = []
    start = fence_end = 0
    for match in _marks(text):
        mark = match.start()
        if mark < fence_end:
            continue
        kind = match.lastgroup
        if kind == "fence":
            fence_end = _fence_end(text, match)
            fences.append((match.start("fence"), fence_end))
            continue
        if not headings or len(blocks) < _FEW:
            _close(blocks, text, start, mark)
        start = match.end()
        if kind != "blank":
            heading = _heading(text, match)
            headings.append(heading)
            start = heading[0]
    _close(blocks, text, start, len(text))
    return Structure(blocks, headings, fences)


def _marks(text: str) -> Iterator[re.Match[str]]:
    if first := _FIRST_MARK.match(text):
        yield first
    yield from (_NEXT_MARK if "\r" in text else _NEXT_MARK_LF).finditer(text)


def _close(blocks: list[Range], text: str, start: int, end: int) -> None:
    """Add a block that is not blank."""
    start = skip_blank(text, start, end)
    if start < end:
        blocks.append((start, end))


def _heading(text: str, match: re.Match[str]) -> HeadingFields:
    start, behind = match.span("hashes")
    end = skip_blank(text, match.end(), len(text))
    return start, end, behind - start, _title(match["title"] or "")


def _title(line: str) -> str:
    """Return a heading's title: without the closing run of #s that stands behind white space."""
    title = " ".join(line.split())
    if title.endswith("#"):
        bare = title.rstrip("#")
        if not bare or bare.endswith(" "):
            return bare.rstrip()
    return title


def _fence_end(text: str, opening: re.Match[str]) -> int:
    """Return the end of the line that closes a fence: the same character, at least as many."""
    fence = opening["fence"]
    for match in _FENCE_END.finditer(text, opening.end()):
        if match[1].startswith(fence):
            return match.end()
    return len(text)
