"""latex: source is cut at headings, ends of environments and paragraphs, not inside equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import Unpack, override

from langchain_mchunk.boundaries import Cuts, Places, prose
from langchain_mchunk.headings import Outline, glued
from langchain_mchunk.spans import Span, skip_blank
from langchain_mchunk.splitters._latex_scan import Structure, scan
from langchain_mchunk.splitters.base import SpanSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_mchunk.options import SharedOptions


class LatexSplitter(SpanSplitter):
    r"""Splits LaTeX source where an author would.

    Chunks fill the limit and end at the strongest boundary in the second half of it: headings from
    `\part` to `\subparagraph`, ends of environments and displays, blank lines, `\item`, rows
    (`\\`), lines, sentences, words. An environment other than `document`, a display, a row, a list
    item or a comment that fits is not cut, and a heading with its `\label` stays with what follows.
    The preamble, up to and including `\begin{document}`, is a part of its own. What is commented
    out, verbatim, in a definition or in an inline formula is no structure; a sign that opens a
    formula counts only if that closes in its paragraph and before a line that begins with a
    heading. Sources that are unbalanced or cut off lose nothing. `keep_separator` has no effect.

    Args:
        chunk_size: Hard limit of a chunk, in units of `length_function`. Only one character that is
            larger alone goes beyond it.
        **options: The shared options, see `BaseSplitter`.

    Example:
        >>> splitter = LatexSplitter(chunk_size=40, chunk_overlap=0)
        >>> text = r"\section{On \emph{x}} It is. \section{On $y$} It is not."
        >>> chunks = splitter.create_documents([text])
        >>> [(chunk.metadata["headers"], chunk.page_content) for chunk in chunks]
        [('On x', '\\section{On \\emph{x}} It is.'), ('On $y$', '\\section{On $y$} It is not.')]
    """

    def __init__(self, *, chunk_size: int = 4000, **options: Unpack[SharedOptions]) -> None:
        super().__init__(chunk_size=chunk_size, **options)

    @override
    def spans(self, text: str) -> Iterator[Span]:
        ruler = self.ruler(text)
        found = scan(text, lambda start, end: ruler.fits(start, end, self._chunk_size))
        packer = self.packer(
            text,
            levels(text, found),
            unbroken=[*found.unbroken, *glued(found.headings)],
            walls=[heading.start for heading in found.headings],
        )
        outline = Outline(found.headings)
        for part in ((0, found.body), (found.body, len(text))):
            for start, end in packer.pack(*part):
                yield Span(start, end, outline.at(skip_blank(text, start, end)))


def levels(text: str, found: Structure) -> list[Cuts]:
    """Return the boundaries of LaTeX source, strongest first."""
    by_level: dict[int, list[int]] = {}
    for heading in found.headings:
        by_level.setdefault(heading.level, []).append(heading.start)
    listed = [by_level[level] for level in sorted(by_level)]
    blank_line, *weaker = prose(text)
    return [
        *map(Places, filter(None, [*listed, found.ends])),
        blank_line,
        *map(Places, filter(None, [found.items, found.rows])),
        *weaker,
    ]
