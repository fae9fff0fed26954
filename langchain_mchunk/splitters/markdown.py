"""markdown: sections under the headings asked for, or chunks of one size along the structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import Unpack, override

from langchain_mchunk.checks import check_flag, key_pairs
from langchain_mchunk.headings import Outline
from langchain_mchunk.spans import Span, skip_blank
from langchain_mchunk.splitters._markdown_sections import Section, sections, stripped
from langchain_mchunk.splitters._markdown_structure import LEVELS, Structure, lines, read
from langchain_mchunk.splitters.base import SpanSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from langchain_mchunk.headings import Heading
    from langchain_mchunk.options import SharedOptions
    from langchain_mchunk.packing import Packer
    from langchain_mchunk.spans import Range

_MARKS: Final = {"#" * level: level for level in LEVELS}


class MarkdownSplitter(SpanSplitter):
    r"""Splits Markdown (CommonMark with tables and YAML front matter) along its structure.

    With `headers`, a chunk is a section: from a heading of a level named there to the next one, or
    to a heading above it. Other headings stay in the text. Without `headers`, the text is packed: a
    chunk ends at a heading, the higher the better, else between blocks, list items, lines,
    sentences or words.

    Code, tables, table rows, list items, HTML blocks and display math that fit are not cut; a
    larger table is cut between rows, larger code between lines. A heading stands with what follows
    it; one without text of its own goes with the section after it if that is deeper, else it is a
    chunk. Headings inside of lists and quotes do not count. `keep_separator` has no effect.

    Args:
        headers: The headings to split at and the metadata key of each, `[("#", "title"), ...]`; a
            chunk has the keys of the headings above it, and their titles in `headers`.
        strip_headers: With `headers`: leaves the lines of those headings out of the text. One whose
            title would be in no path is a chunk of its own.
        return_each_line: Each line that is not blank is a chunk, code and tables included.
        chunk_size: Hard limit of a chunk, in units of `length_function`; only one character that is
            larger alone goes beyond it. `None`: 4000, and with `headers` no limit.
        **options: The shared options, see `BaseSplitter`.

    Raises:
        TypeError: An option is unknown or of the wrong type.
        ValueError: `headers` names what is no heading, a heading twice, or a key that is taken.

    Example:
        >>> splitter = MarkdownSplitter(headers=[("#", "title"), ("##", "section")])
        >>> chunks = splitter.create_documents(["# Guide\n\nHi.\n\n## *Use*\n\n- a\n- b\n"])
        >>> [(chunk.metadata["headers"], chunk.page_content) for chunk in chunks]
        [('Guide', 'Hi.'), ('Guide > Use', '- a\n- b')]
    """

    _may_be_unlimited = True

    def __init__(
        self,
        *,
        headers: Sequence[tuple[str, str]] | None = None,
        strip_headers: bool = True,
        return_each_line: bool = False,
        chunk_size: int | None = None,
        **options: Unpack[SharedOptions],
    ) -> None:
        if headers is None and chunk_size is None:
            chunk_size = 4000
        super().__init__(chunk_size=chunk_size, **options)
        check_flag("strip_headers", strip_headers)
        check_flag("return_each_line", return_each_line)
        self._keys = {} if headers is None else _keys(headers)
        self._levels = LEVELS if headers is None else frozenset(self._keys)
        self._strips = headers is not None and strip_headers
        self._by_lines = return_each_line
        self._by_size = headers is None and not return_each_line

    @property
    @override
    def added_metadata(self) -> Mapping[str, type[str | int]]:
        return dict.fromkeys(self._keys.values(), str)

    @override
    def spans(self, text: str) -> Iterator[Span]:
        structure = read(text, inner=self._limit is not None)
        packer = self._packer(text, structure) if self._limit else None
        if self._by_size:
            outline = Outline(structure.headings)
            for start, end in self._ranges(text, 0, len(text), packer):
                yield Span(start, end, outline.at(skip_blank(text, start, end)))
            return
        for section in self._sections(text, structure.headings):
            named = [heading for heading in section.path if heading.title]
            titles = tuple([heading.title for heading in named])
            keys = {self._keys[heading.level]: heading.title for heading in named if self._keys}
            for start, end in self._ranges(text, section.start, section.end, packer):
                yield Span(start, end, titles, keys)

    def _packer(self, text: str, structure: Structure) -> Packer:
        size, overlap, strip = self._chunk_size, self._chunk_overlap, self._strip_whitespace
        return structure.packer(text, self.ruler(text), size, overlap, strip=strip)

    def _sections(self, text: str, headings: Sequence[Heading]) -> Iterator[Section]:
        joined = not (self._strips or self._by_lines)
        found = sections(headings, len(text), self._levels, joined=joined)
        return stripped(text, found) if self._strips else found

    def _ranges(self, text: str, start: int, end: int, packer: Packer | None) -> Iterator[Range]:
        """Cut one section into chunks."""
        for whole in lines(text, start, end) if self._by_lines else [(start, end)]:
            if packer is None or packer.fits(*whole):
                yield whole
            else:
                yield from packer.pack(*whole)


def _keys(headers: Any) -> dict[int, str]:
    """Check `headers`; return the metadata key of each heading level."""
    pairs = key_pairs("headers", headers)
    for mark, _ in pairs:
        if mark not in _MARKS:
            raise ValueError(f"headers must name headings from # to ######, got {mark!r}")
    keys = {_MARKS[mark]: key for mark, key in pairs}
    if len(keys) < len(pairs):
        raise ValueError(f"headers must name each heading once, got {headers!r}")
    return keys
