"""semantic-markdown: sections by all headings; small ones join the section before them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple, Unpack

from typing_extensions import override

from langchain_mchunk.checks import check_integer
from langchain_mchunk.spans import Span, rstrip_blank, skip_blank
from langchain_mchunk.splitters._markdown_sections import sections
from langchain_mchunk.splitters._markdown_structure import LEVELS, read
from langchain_mchunk.splitters._token_sized import TokenOptions, TokenSizedSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from langchain_mchunk.headings import Heading
    from langchain_mchunk.sizes import Ruler
    from langchain_mchunk.spans import Range


class Group(NamedTuple):
    """A section, with those that have joined it; `level` is that of its heading, 0 without one."""

    start: int
    end: int
    level: int
    titles: tuple[str, ...]


class SemanticMarkdownSplitter(TokenSizedSplitter):
    r"""Splits Markdown into its sections, and joins those that are small.

    Every heading at the top level begins a section. From the deepest level up, a section joins the
    one before it, its sibling or parent, if the two together have fewer than `join_threshold`
    tokens. A section that is larger alone stays as it is. Heading lines stay in the text; `headers`
    is the path of a chunk's first section, and `token_count` its size. `keep_separator` and
    `length_function` have no effect, nor has `chunk_overlap` without `chunk_size`.

    Args:
        join_threshold: Sections that have joined have fewer tokens than this, and at most
            `chunk_size`.
        chunk_size: Hard limit of a chunk, in tokens: larger sections are packed as
            `MarkdownSplitter` does it; only one character that is larger alone goes beyond it.
            `None`: no limit.
        **options: `encoding_name`, `model_name`, `allowed_special` and `disallowed_special` as in
            `TokenSplitter`, and the shared options, see `BaseSplitter`.

    Example:
        >>> splitter = SemanticMarkdownSplitter(join_threshold=12)
        >>> text = "# A\n\nOne.\n\n## B\n\nTwo.\n\n# C\n\nThree."
        >>> for chunk in splitter.create_documents([text]):
        ...     print(chunk.metadata["token_count"], repr(chunk.page_content))
        10 '# A\n\nOne.\n\n## B\n\nTwo.'
        5 '# C\n\nThree.'
    """

    _may_be_unlimited = True

    def __init__(
        self,
        *,
        join_threshold: int = 500,
        chunk_size: int | None = None,
        **options: Unpack[TokenOptions],
    ) -> None:
        super().__init__(chunk_size=chunk_size, **options)
        check_integer("join_threshold", join_threshold, least=0)
        self._join_threshold = join_threshold

    @property
    @override
    def added_metadata(self) -> Mapping[str, type[str | int]]:
        return {"token_count": int}

    @override
    def spans(self, text: str) -> Iterator[Span]:
        limited = self._limit is not None
        structure = read(text, inner=limited)
        ruler = self.ruler(text)
        size, overlap, strip = self._chunk_size, self._chunk_overlap, self._strip_whitespace
        packer = structure.packer(text, ruler, size, overlap, strip=strip) if limited else None
        most = min(self._join_threshold - 1, self._limit or self._join_threshold)
        for group in joined(list(self._sections(text, structure.headings)), ruler, most):
            whole = (group.start, group.end)
            for piece in [whole] if packer is None or packer.fits(*whole) else packer.pack(*whole):
                start, end = self._trimmed(text, *piece)
                yield Span(start, end, group.titles, {"token_count": ruler.size(start, end)})

    def _sections(self, text: str, headings: Sequence[Heading]) -> Iterator[Group]:
        for section in sections(headings, len(text), LEVELS, joined=False):
            start, end = self._trimmed(text, section.start, section.end)
            if start < end:
                level = section.path[-1].level if section.path else 0
                titles = tuple([heading.title for heading in section.path if heading.title])
                yield Group(start, end, level, titles)

    def _trimmed(self, text: str, start: int, end: int) -> Range:
        if not self._strip_whitespace:
            return start, end
        start = skip_blank(text, start, end)
        return start, rstrip_blank(text, start, end)


def joined(groups: list[Group], ruler: Ruler, most: int) -> list[Group]:
    """Join groups, the deepest first, each with the one before it if that is not deeper."""
    for level in sorted({group.level for group in groups}, reverse=True):
        runs: list[list[Group]] = []
        for group in groups:
            if runs and group.level == level >= runs[-1][0].level:
                runs[-1].append(group)
            else:
                runs.append([group])
        groups = [group for run in runs for group in _joined_run(run, ruler, most)]
    return groups


def _joined_run(run: list[Group], ruler: Ruler, most: int) -> Iterator[Group]:
    """Join each group with as many of those after it as fit, with a few looks for all of them."""
    ends = [group.end for group in run]
    i = 0
    while i < len(run):
        start, stop = run[i].start, i + 1
        if stop < len(run):
            stop = bisect_right(ends, ruler.reach(start, most), stop)
        while stop > i + 1 and not ruler.fits(start, ends[stop - 1], most):
            stop -= 1
        while stop < len(run) and ruler.fits(start, ends[stop], most):
            stop += 1
        yield run[i]._replace(end=ends[stop - 1])
        i = stop
