"""token: windows of tokens, whose borders move back to the nearest character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from typing_extensions import override

from langchain_mchunk.boundaries import grapheme_ceil, grapheme_floor
from langchain_mchunk.spans import Span, rstrip_blank, skip_blank
from langchain_mchunk.splitters._token_sized import TokenOptions, TokenSizedSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_mchunk.sizes import Ruler
    from langchain_mchunk.spans import Range


class TokenSplitter(TokenSizedSplitter):
    """Splits a text into windows of `chunk_size` tokens.

    A window ends between two grapheme clusters, or between the characters of one that is larger
    than a window. Encoded again, a chunk has at most `chunk_size` tokens, and what two neighbours
    share at most `chunk_overlap`; only one character that is larger alone goes beyond the limit.
    `keep_separator` and `length_function` have no effect.

    Args:
        encoding_name: A tiktoken encoding.
        model_name: A model whose encoding is used instead, such as `"gpt-4o"`.
        allowed_special: Special tokens that count as one token each, or `"all"`.
        disallowed_special: Special tokens whose text raises a ValueError, or `"all"`; others are
            ordinary text.
        chunk_size: Hard limit of a chunk, in tokens.
        **options: The shared options, see `BaseSplitter`.

    Example:
        >>> splitter = TokenSplitter(chunk_size=8, chunk_overlap=4)
        >>> splitter.split_text("one two three four five six seven eight nine ten eleven twelve")
        ['one two three four five six seven eight', 'five six seven eight nine ten eleven twelve']
    """

    def __init__(self, *, chunk_size: int = 4000, **options: Unpack[TokenOptions]) -> None:
        super().__init__(chunk_size=chunk_size, **options)

    @override
    def spans(self, text: str) -> Iterator[Span]:
        windows = Windows(
            text,
            self.ruler(text),
            size=self._chunk_size,
            overlap=self._chunk_overlap,
            strip=self._strip_whitespace,
        )
        start, end = windows.from_offset(0)
        while start < end:
            yield Span(start, end)
            start, end = windows.after(start, end)


class Windows:
    """The windows of one text: each is measured as emitted before it is taken."""

    def __init__(self, text: str, ruler: Ruler, *, size: int, overlap: int, strip: bool) -> None:
        self._text = text
        self._ruler = ruler
        self._size = size
        self._overlap = overlap
        self._strip = strip

    def from_offset(self, start: int) -> Range:
        """Return the widest window from `start` on; an empty one at the end of the text."""
        start = self._skip(start)
        if start >= len(self._text):
            return start, start
        room = self._size
        while True:
            end = self._end(start, self._ruler.reach(start, room) if room > 0 else start)
            if end == start + 1 or self._ruler.fits(start, end, self._size):
                return start, end
            room -= self._excess(start, end, self._size)

    def after(self, start: int, end: int) -> Range:
        """Return the window after `start:end`, with its overlap if that leaves room for new."""
        again = self._overlap_start(start, end)
        if again < end:
            window = self.from_offset(again)
            if window[1] > end:
                return window
        return self.from_offset(end)

    def _end(self, start: int, reach: int) -> int:
        """Move an end back to a grapheme cluster's, and before blanks; one character is left."""
        reach = max(reach, start + 1)
        end = grapheme_floor(self._text, start, reach) or reach
        return rstrip_blank(self._text, start, end) if self._strip else end

    def _overlap_start(self, start: int, end: int) -> int:
        """Return where the overlap of `start:end` begins, or `end`."""
        room = self._overlap
        while room > 0:
            place = max(self._ruler.back(end, room), start + 1)
            again = self._skip(grapheme_ceil(self._text, start, place, end))
            if again >= end:
                return end
            if self._ruler.fits(again, end, self._overlap):
                return again
            room -= self._excess(again, end, self._overlap)
        return end

    def _excess(self, start: int, end: int, limit: int) -> int:
        """Return by how many tokens `start:end` is too large, at least 1."""
        return max(1, self._ruler.size(start, end) - limit)

    def _skip(self, start: int) -> int:
        return skip_blank(self._text, start, len(self._text)) if self._strip else start
