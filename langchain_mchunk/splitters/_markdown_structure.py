"""What a Markdown text is made of: headings, places to cut it, and what is not cut if it fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from langchain_mchunk.boundaries import Places, prose
from langchain_mchunk.headings import Heading, glued
from langchain_mchunk.packing import Packer
from langchain_mchunk.spans import BOM, rstrip_blank, skip_blank
from langchain_mchunk.splitters._markdown_blocks import (
    UNITS,
    Block,
    front_matter,
    labels,
    segments,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.sizes import Ruler
    from langchain_mchunk.spans import Range

LEVELS: Final = range(1, 7)
_LINE: Final = re.compile(r"[^\r\n]++")
# From one $$ to the next in a paragraph, whatever blocks CommonMark makes of the lines between.
_DISPLAY_MATH: Final = re.compile(
    r"""(?<! [\\`$] ) \$\$ (?! \$ )
    (?: [^$`\r\n] | \$ (?! \$ ) | (?: \r\n?+ | \n ) (?! [ \t]*+ [\r\n] ) )*+
    \$\$""",
    re.VERBOSE,
)


class Structure(NamedTuple):
    """The parts of one text, in order; offsets are characters.

    Attributes:
        headings: Those at the top level.
        blocks: Where the top-level blocks begin, with their indentation.
        items: Where the list items begin, at any depth.
        code: Code blocks at any depth, and the front matter.
        units: Tables and their rows, list items, HTML blocks and display math, at any depth.
    """

    headings: list[Heading]
    blocks: list[int]
    items: list[int]
    code: list[Range]
    units: list[Range]

    def packer(self, text: str, ruler: Ruler, size: int, overlap: int, *, strip: bool) -> Packer:
        """Make a packer that cuts at headings by level, blocks, items, then as prose is cut."""
        headings = [[h.start for h in self.headings if h.level == level] for level in LEVELS]
        places = [*filter(None, headings), self.blocks, self.items]
        large = [(start, end) for start, end in self.code if not ruler.fits(start, end, size)]
        rows = [line for start, end in large for line in lines(text, start, end)]
        return Packer(
            text,
            ruler,
            [*map(Places, places), *prose(text)],
            size=size,
            overlap=overlap,
            strip=strip,
            unbroken=[*self.code, *rows, *self.units, *glued(leading(self.headings))],
            walls=[heading.start for heading in self.headings],
        )


def read(text: str, *, inner: bool) -> Structure:
    """Read the structure of `text`; without `inner`, only its headings."""
    found = Structure([], [], [], [], [])
    start = len(BOM) if text.startswith(BOM) else 0
    end = front_matter(text, start)
    if inner and start < end:
        _add(found, text, Block("CodeBlock", start, end))
    pieces = []
    for piece in segments(text, end, inner=inner):
        pieces.append((piece.start, piece.end))
        for block in piece.blocks:
            _add(found, text, block)
    if len(pieces) > 1:
        _resolve_references(found, text, pieces)
    if inner and "$$" in text:
        found.units.extend(match.span() for match in _DISPLAY_MATH.finditer(text))
    return found


def leading(headings: Sequence[Heading]) -> Iterator[Heading]:
    """Yield the headings whose section goes on: below them is text or a deeper heading."""
    for i, heading in enumerate(headings, 1):
        following = headings[i] if i < len(headings) else None
        if not following or following.start > heading.end or following.level > heading.level:
            yield heading


def lines(text: str, start: int, end: int) -> Iterator[Range]:
    """Yield the lines in `start:end` that are not blank."""
    for match in _LINE.finditer(text, start, end):
        if not match[0].isspace():
            yield match.span()


def _add(found: Structure, text: str, block: Block) -> None:
    """Note a block in the lists where it belongs."""
    if block.level:
        behind = skip_blank(text, block.end, len(text))
        found.headings.append(Heading(block.start, behind, block.level, block.title))
    elif block.top:
        found.blocks.append(_line_start(text, block.start))
    if block.kind == "CodeBlock":
        found.code.append((block.start, rstrip_blank(text, block.start, block.end)))
    elif block.kind == "TableHead":
        delimiters = _LINE.search(text, block.end)
        found.units.append((block.start, delimiters.end() if delimiters else block.end))
    elif block.kind in UNITS:
        found.units.append((block.start, block.end))
    if block.kind == "Item":
        found.items.append(_line_start(text, block.start))


def _line_start(text: str, start: int) -> int:
    """Move `start` before its indentation if nothing else stands before it in its line."""
    low = start
    while low and text[low - 1] in " \t":
        low -= 1
    return low if low == 0 or text[low - 1] in "\r\n" else start


def _resolve_references(found: Structure, text: str, pieces: list[Range]) -> None:
    """Read titles again that may hold links whose definitions stand in another segment."""
    known: frozenset[str] | None = None
    for i, heading in enumerate(found.headings):
        source = text[heading.start : heading.end]
        if "]" not in source:
            continue
        if known is None:
            known = frozenset().union(*(labels(text[start:end]) for start, end in pieces))
        found.headings[i] = heading._replace(title=title_of(source, known))
