"""html: what a reader sees of a page, in order, once, under its headings or chosen sections."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborHTMLParser, SelectolaxError
from typing_extensions import Unpack, override

from langchain_mchunk.boundaries import Places, prose
from langchain_mchunk.checks import check_flag, key_pairs
from langchain_mchunk.spans import rstrip_blank, skip_blank
from langchain_mchunk.splitters._html_names import HEADINGS
from langchain_mchunk.splitters._html_sections import by_headings, by_matches
from langchain_mchunk.splitters._html_text import UNITS, read
from langchain_mchunk.splitters._html_xpath import XPaths
from langchain_mchunk.splitters.base import BaseSplitter, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from langchain_mchunk.options import SharedOptions
    from langchain_mchunk.packing import Packer
    from langchain_mchunk.spans import Range
    from langchain_mchunk.splitters._html_text import Page


class HTMLSplitter(BaseSplitter):
    """Splits the visible text of a page at its headings, or by CSS selectors.

    A page is read as a browser reads it: blocks on lines of their own, paragraphs apart by a blank
    line, table cells by a tab; scripts, templates and hidden elements are left out. A heading heads
    all that follows it up to one of its level or above, however deep either lies. Headings are in
    the metadata and not in the text; one that heads nothing is a chunk of its own.

    The chunks are made text: `add_start_index` has no effect, nor has `keep_separator`.

    Args:
        headers: The headings to split at and the metadata key of each, `[("h1", "title"), ...]`;
            `h1` to `h6` under these names when neither this nor `sections` is given.
        sections: CSS selectors and the metadata key of each,
            `[("article", "article"), ("h2", "part")]`. A heading that matches opens a section up to
            the next match; any other element is a section, and nests. The key holds its title: its
            first heading, else its `aria-label`, `title` or `id`. `headers` wins if both are given.
        return_each_line: Each line of the text is a chunk.
        chunk_size: Hard limit of a chunk, in units of `length_function`: larger sections are packed
            over their lines, sentences and words. List items, table rows and preformatted text that
            fit are not cut. Only one character that is larger alone goes beyond it. `None`:
            sections are not cut, whatever their size, and `chunk_overlap` has no effect.
        add_xpath: Adds `xpath`, the element in which the chunk begins.
        **options: The shared options, see `BaseSplitter`.

    Raises:
        TypeError: An option is unknown or of the wrong type.
        ValueError: A heading is none of `h1` to `h6`, a selector is invalid, or a key is taken.

    Example:
        >>> page = "<p>Hi.<h1>Guide</h1><div><h2>Use</h2></div><p>Press <b>Save</b>."
        >>> chunks = HTMLSplitter().create_documents([page])
        >>> [(chunk.metadata["headers"], chunk.page_content) for chunk in chunks]
        [('', 'Hi.'), ('Guide > Use', 'Press Save.')]
    """

    _may_be_unlimited = True

    def __init__(
        self,
        *,
        headers: Sequence[tuple[str, str]] | None = None,
        sections: Sequence[tuple[str, str]] | None = None,
        return_each_line: bool = False,
        chunk_size: int | None = None,
        add_xpath: bool = False,
        **options: Unpack[SharedOptions],
    ) -> None:
        super().__init__(chunk_size=chunk_size, **options)
        check_flag("return_each_line", return_each_line)
        check_flag("add_xpath", add_xpath)
        self._headers = _headings(headers)
        self._sections = None if sections is None else _selectors(sections)
        if headers is not None and sections is not None:
            warnings.warn("headers and sections are both given: headers is used", stacklevel=2)
            self._sections = None
        self._return_each_line = return_each_line
        self._add_xpath = add_xpath

    @property
    @override
    def added_metadata(self) -> Mapping[str, type[str | int]]:
        keys = self._headers.values() if self._sections is None else dict(self._sections).values()
        return dict.fromkeys([*keys, "xpath"] if self._add_xpath else keys, str)

    @override
    def pieces(self, text: str) -> Iterator[Piece]:
        page = read(text, self._sections or (), nodes=self._add_xpath)
        parts = by_headings(page, self._headers) if self._sections is None else by_matches(page)
        packer = None if self._limit is None else self._packer(page)
        xpath = _xpath(page) if self._add_xpath else None
        for part in parts:
            path = part.section.path() if part.section else []
            titles = tuple(section.title for section in path)
            extra: dict[str, Any] = {section.key: section.title for section in path}
            for start, end in self._ranges(page.text, part.start, part.end, packer):
                if xpath:
                    extra = {**extra, "xpath": xpath(start)}
                yield Piece(page.text[start:end], titles, extra)

    def _ranges(self, text: str, start: int, end: int, packer: Packer | None) -> Iterator[Range]:
        """Cut one part into chunks."""
        wholes = _lines(text, start, end) if self._return_each_line else [(start, end)]
        for whole in wholes:
            ranges = packer.pack(*whole) if packer and not packer.fits(*whole) else [whole]
            for low, high in ranges:
                if self._strip_whitespace:
                    first = skip_blank(text, low, high)
                    yield first, rstrip_blank(text, first, high)
                else:
                    yield low, high

    def _packer(self, page: Page) -> Packer:
        text = page.text
        seen = [
            (mark.tag, skip_blank(text, mark.start, mark.end), mark.end)
            for mark in page.marks
            if not text[mark.start : mark.end].isspace() and mark.start < mark.end
        ]
        starts = [start for tag, start, _ in seen if tag in HEADINGS]
        glued = [
            (start, skip_blank(text, end, len(text)) + 1)
            for tag, start, end in seen
            if tag in HEADINGS
        ]
        units = [(start, end) for tag, start, end in seen if tag in UNITS]
        levels = [Places(starts), *prose(text)]
        return self.packer(text, levels, unbroken=[*units, *glued], walls=starts)


def _lines(text: str, start: int, end: int) -> Iterator[Range]:
    """Yield the lines of `start:end` that are not blank."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if skip_blank(text, start, stop) < stop:
            yield start, stop
        start = stop + 1


def _xpath(page: Page) -> Callable[[int], str]:
    """Return a function from an offset to the XPath of the element there."""
    offsets = [offset for offset, _ in page.nodes]
    paths = XPaths()

    def xpath(offset: int) -> str:
        _, node = page.nodes[bisect_right(offsets, offset) - 1]
        return paths.of(node.parent) if node.parent else ""

    return xpath


def _headings(headers: Any) -> dict[str, str]:
    """Check `headers`; return the metadata key of each heading tag."""
    if headers is None:
        return {tag: tag for tag in HEADINGS}
    pairs = [(tag.lower(), key) for tag, key in key_pairs("headers", headers)]
    for tag, _ in pairs:
        if tag not in HEADINGS:
            raise ValueError(
                f"headers must name headings from h1 to h6, got {tag!r}: "
                "sections takes any CSS selector"
            )
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"headers must name each heading once, got {headers!r}")
    return dict(pairs)


def _selectors(sections: Any) -> list[tuple[str, str]]:
    """Check `sections`."""
    pairs = key_pairs("sections", sections)
    page = LexborHTMLParser("")
    for selector, _ in pairs:
        try:
            page.css(selector)
        except (SelectolaxError, UnicodeError) as error:
            raise ValueError(
                f"sections must name CSS selectors, got {selector!r}: it is not a valid one"
            ) from error
    return pairs
