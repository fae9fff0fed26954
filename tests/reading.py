"""What a reader of the chunks of a page reads: the headings put back where they stood."""

from __future__ import annotations

from itertools import takewhile

from langchain_core.documents import Document

LEVELS = ("h1", "h2", "h3", "h4", "h5", "h6")


def words(chunks: list[Document]) -> list[str]:
    """Return the words of chunks split at `h1` to `h6` without a `chunk_size`, with the headings."""
    found: list[str] = []
    before: list[tuple[str, str]] = []
    for chunk in chunks:
        path = [(level, chunk.metadata[level]) for level in LEVELS if level in chunk.metadata]
        pairs = zip(before, path, strict=False)
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        new = path[min(same, len(path) - 1) :] if path else []  # each section has a new heading
        titles = [title.split() for _, title in new]
        text = chunk.page_content.split()
        if titles and titles[-1] == text:
            titles.pop()  # a heading that is a chunk
        found += [word for title in [*titles, text] for word in title]
        before = path
    return found
