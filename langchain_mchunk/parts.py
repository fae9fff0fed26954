"""Where chunks lie in their text: the stretches that the same chunks cover."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from langchain_core.documents import Document


class Part(NamedTuple):
    """A stretch of text that the same chunks cover; `begins` are those that start with it."""

    text: str
    chunks: Sequence[Document]
    begins: Sequence[Document] = ()


def by_source(chunks: Iterable[Document]) -> Iterator[list[Document]]:
    """Group chunks by the document they came from: `index` starts again with each."""
    group: list[Document] = []
    for chunk in chunks:
        if group and number(chunk, "index", len(group)) <= number(group[-1], "index", -1):
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def parts(chunks: Sequence[Document], source: str | None) -> Iterator[Part]:
    """Cut a text where chunks begin and end; without offsets, each chunk is a part."""
    if not placed(chunks):
        for chunk in chunks:
            yield Part(f"{chunk.page_content}\n\n", [chunk], [chunk])
        return
    chunks = sorted(chunks, key=_start)
    starts = list(map(_start, chunks))
    ends = [start + len(c.page_content) for start, c in zip(starts, chunks, strict=True)]
    end = ends[-1] if source is None else len(source)
    first = last = 0  # the chunks first:last cover the part
    for low, high in pairwise(sorted({0, *starts, *ends, end})):
        begun = last
        while last < len(chunks) and starts[last] <= low:
            last += 1
        while first < last and ends[first] <= low:
            first += 1
        covering = chunks[first:last]
        if source is not None:
            text = source[low:high]
        elif covering:
            text = covering[0].page_content[low - starts[first] : high - starts[first]]
        else:
            text = "\n\n"  # a gap: what was there is not known
        yield Part(text, covering, chunks[begun:last])


def placed(chunks: Iterable[Document]) -> bool:
    """Tell whether all chunks know their place, a `start_index` of at least 0."""
    return all(_start(chunk) >= 0 for chunk in chunks)


def check_source(chunks: Iterable[Document], source: str) -> None:
    """Refuse a text that chunks which know their place were not cut from.

    Raises:
        ValueError: A chunk differs from the text at its place; the message names the first.
    """
    for i, chunk in enumerate(chunks):
        text, start = chunk.page_content, _start(chunk)
        if not source.startswith(text, start):
            there = source[start : start + len(text)]
            pairs = enumerate(zip(text, there, strict=False), start)
            offset = next((at for at, (a, b) in pairs if a != b), start + len(there))
            raise ValueError(
                f"source must be the text that the chunks were cut from, but chunks[{i}] differs "
                f"from it at offset {offset}: give the very text, or leave source out"
            )


def number(chunk: Document, key: str, default: int) -> int:
    """Return an integer of a chunk's metadata; what is none counts as missing."""
    value = chunk.metadata.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _start(chunk: Document) -> int:
    return number(chunk, "start_index", -1)
