"""json: chunks are JSON and keep the path from the root; merged, they are the document again."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from typing_extensions import Unpack, override

from langchain_mchunk.checks import check_flag, check_integer
from langchain_mchunk.spans import BOM
from langchain_mchunk.splitters._json.document import JSONText, read
from langchain_mchunk.splitters._json.grammar import Strings, strings
from langchain_mchunk.splitters._json.indexed import lists, lists_too_large, with_keys
from langchain_mchunk.splitters._json.labels import piece
from langchain_mchunk.splitters._json.packing import Packer
from langchain_mchunk.splitters._json.scale import scale
from langchain_mchunk.splitters.base import BaseSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_mchunk.options import SharedOptions
    from langchain_mchunk.splitters._json.scale import Scale
    from langchain_mchunk.splitters.base import Piece

_LINE: Final = re.compile(r"[ \t\r]*+[^ \t\r\n].*+")


class JSONSplitter(BaseSplitter):
    """Splits JSON into chunks that are JSON.

    Each chunk keeps the path from the root to what it holds. Merging all chunks gives the document
    back: objects merge, lists and strings at one path are joined in order, and an object whose keys
    are 0, 1, 2 … is a list. Numbers are copied digit by digit; nothing is dropped, and nesting
    has no limit.

    Neighbours are joined while they fit. A list is split between its items; a list with an item
    that does not fit alone is keyed by index in every chunk that holds a part of it, so that the
    parts find each other again. A string that does not fit alone is split at word ends.

    JSON Lines, a first line that is JSON with more below it, are split line by line, in order.

    `label` is the path of the first value that stands whole in a chunk, such as
    `users > [3] > name`; `headers` is the path of the deepest container that holds all those
    values. `chunk_overlap`, `keep_separator`, `add_start_index` and `strip_whitespace` have no
    effect.

    Args:
        chunk_size: Hard limit of a chunk, in units of `length_function`, measured on its text. Over
            it are only one number, literal, empty container or character under its path, and what
            stands under a path that leaves no room, which stays whole.
        min_size: A chunk that is smaller is filled by opening the object, or the list under a key,
            that does not fit beside it. Not given: `chunk_size - 200`, but at least 50 and at most
            `chunk_size`.
        ensure_ascii: Characters beyond ASCII are escaped. Lone surrogates always are.
        convert_lists: Every list but `[]` becomes an object keyed by index.
        **options: The shared options, see `BaseSplitter`.

    Raises:
        ValueError: A text is not JSON (RFC 8259), or an object has a key twice.

    Example:
        >>> splitter = JSONSplitter(chunk_size=40)
        >>> chunks = splitter.create_documents(['{"users": [{"name": "Ann"}, {"name": "Bob"}]}'])
        >>> chunks[1].page_content, chunks[1].metadata["label"]
        ('{"users": [{"name": "Bob"}]}', 'users > [1]')
    """

    def __init__(
        self,
        *,
        chunk_size: int = 2000,
        min_size: int | None = None,
        ensure_ascii: bool = False,
        convert_lists: bool = False,
        **options: Unpack[SharedOptions],
    ) -> None:
        super().__init__(chunk_size=chunk_size, **options)
        if min_size is None:
            min_size = min(chunk_size, max(chunk_size - 200, 50))
        check_integer("min_size", min_size, least=0)
        if min_size > chunk_size:
            raise ValueError(f"min_size must be at most chunk_size ({chunk_size}), got {min_size}")
        check_flag("ensure_ascii", ensure_ascii)
        check_flag("convert_lists", convert_lists)
        self._min_size = min_size
        self._ensure_ascii = ensure_ascii
        self._convert_lists = convert_lists

    @override
    def pieces(self, text: str) -> Iterator[Piece]:
        written = strings(ensure_ascii=self._ensure_ascii)
        for start, stop in documents(text, written):
            document = self._indexed(read(text, start, stop, written))
            packer = Packer(document, self._scale(document), written, self._min_size)
            yield from map(piece, packer.chunks())

    def _indexed(self, document: JSONText) -> JSONText:
        """Key by index the lists that have to be."""
        if self._convert_lists:
            chosen = lists(document)
        else:
            chosen = lists_too_large(document, self._scale(document))
        return with_keys(document, chosen) if chosen else document

    def _scale(self, document: JSONText) -> Scale:
        return scale(self._length_function, document.text, self._chunk_size)


def documents(text: str, written: Strings) -> Iterator[tuple[int, int]]:
    """Find the documents in a text: its lines, if the first of several is JSON, or all of it."""
    start = len(BOM) if text.startswith(BOM) else 0
    lines = _LINE.finditer(text, start) if "\n" in text else iter(())
    first, second = next(lines, None), next(lines, None)
    if first and second and _is_document(text, *first.span(), written):
        yield from (line.span() for line in chain((first, second), lines))
    else:
        yield start, len(text)


def _is_document(text: str, start: int, stop: int, written: Strings) -> bool:
    try:
        read(text, start, stop, written)
    except ValueError:
        return False
    return True
