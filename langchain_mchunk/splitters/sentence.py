"""sentence: whole sentences up to a size, in any language."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from typing_extensions import override

from langchain_mchunk.boundaries import WORD, Pattern
from langchain_mchunk.checks import check_flag, check_integer
from langchain_mchunk.packing import Packer
from langchain_mchunk.sentences import ENDERS, sentence_ends
from langchain_mchunk.spans import Span, rstrip_blank, skip_blank
from langchain_mchunk.splitters.base import SpanSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.options import SharedOptions
    from langchain_mchunk.sizes import Ruler
    from langchain_mchunk.spans import Range


class SentenceSplitter(SpanSplitter):
    """Splits a text into chunks of whole sentences.

    Sentences are joined as long as the chunk is at most `chunk_size`; it is closed when it reaches
    `target_size`. One below `min_size` is joined to the chunk before, else to the one after, if
    they fit. Overlap is whole sentences: with the default of 50 characters few chunks overlap,
    since most sentences are longer. `keep_separator` has no effect.

    A sentence that is larger than `chunk_size` is cut at words, and a word that is larger between
    grapheme clusters. Without `fallback_to_words` the sentence is cut between grapheme clusters at
    once; without `fallback_to_characters` such a word stays whole; without both the sentence does.
    Only these, and one character that is larger alone, go beyond `chunk_size`.

    Args:
        chunk_size: Hard limit of a chunk, in units of `length_function`.
        min_size: Chunks below it are joined to a neighbour. Not given: `min(50, target_size)`.
        target_size: Chunks from it on are closed. Not given: 80 % of `chunk_size`, at least
            `min_size`.
        language: An ISO 639 code, such as `"de"`: its abbreviations do not end sentences.
        sentence_enders: The only characters that end sentences, beside a blank line. Those of
            Unicode's Sentence_Terminal follow the rules of the language; others end a sentence
            wherever white space follows them.
        fallback_to_words: Sentences that are too large are cut at words.
        fallback_to_characters: Words that are too large are cut between grapheme clusters.
        **options: The shared options, see `BaseSplitter`.

    Raises:
        ValueError: `min_size <= target_size <= chunk_size` does not hold.

    Example:
        >>> splitter = SentenceSplitter(chunk_size=40, target_size=20)
        >>> splitter.split_text("Dr. Hall came at 9 a.m. and left. Why? Nobody knew, e.g. Ann.")
        ['Dr. Hall came at 9 a.m. and left.', 'Why? Nobody knew, e.g. Ann.']
    """

    def __init__(
        self,
        *,
        chunk_size: int,
        min_size: int | None = None,
        target_size: int | None = None,
        language: str = "en",
        sentence_enders: Sequence[str] = ENDERS,
        fallback_to_words: bool = True,
        fallback_to_characters: bool = True,
        **options: Unpack[SharedOptions],
    ) -> None:
        check_integer("chunk_size", chunk_size, least=1)
        super().__init__(chunk_size=chunk_size, **options)
        self._target, self._least = _sizes(chunk_size, target_size, min_size)
        self._language = _checked_language(language)
        self._enders = _checked_enders(sentence_enders)
        check_flag("fallback_to_words", fallback_to_words)
        check_flag("fallback_to_characters", fallback_to_characters)
        self._to_words = fallback_to_words
        self._to_characters = fallback_to_characters

    @override
    def spans(self, text: str) -> Iterator[Span]:
        borders = sentence_ends(text, self._language, self._enders)
        borders.append(len(text))
        chunks = _Chunks(
            text,
            self.ruler(text),
            borders,
            size=self._chunk_size,
            target=self._target,
            least=self._least,
            overlap=self._chunk_overlap,
            strip=self._strip_whitespace,
            to_words=self._to_words,
            to_characters=self._to_characters,
        )
        for start, end in chunks.overlapping():
            yield Span(start, end)


class _Chunks:
    """The chunks of one text, whose sentences start at 0 and end at the borders."""

    def __init__(
        self,
        text: str,
        ruler: Ruler,
        borders: Sequence[int],
        *,
        size: int,
        target: int,
        least: int,
        overlap: int,
        strip: bool,
        to_words: bool,
        to_characters: bool,
    ) -> None:
        self._text = text
        self._ruler = ruler
        self._borders = borders
        self._size = size
        self._target = target
        self._least = least
        self._overlap = overlap
        self._strip = strip
        self._words = Pattern(WORD, text)
        self._to_words = to_words
        self._to_characters = to_characters
        levels = [self._words] if to_words else []
        self._packer = Packer(text, ruler, levels, size=size, overlap=0, strip=strip)

    def overlapping(self) -> Iterator[Range]:
        """Yield the chunks, each with what it repeats of the one before."""
        before = None
        for start, end in self._joined():
            yield (start if before is None else self._overlap_start(before, start, end)), end
            before = start

    def _joined(self) -> Iterator[Range]:
        """Yield the chunks without overlap, small ones joined to a neighbour where that fits."""
        last, last_is_small = (0, 0), True
        while last[1] < len(self._text):
            for start, end in self._next(last[0], last[1]):
                small = self._is_small(start, end)
                if (small or last_is_small) and self._within(last[0], end, self._size):
                    last = last[0], end
                    last_is_small = small and self._is_small(*last)
                else:
                    yield last
                    last, last_is_small = (start, end), small
        yield last

    def _is_small(self, start: int, end: int) -> bool:
        return self._within(start, end, self._least - 1)

    def _next(self, before: int, start: int) -> Iterable[Range]:
        """Take sentences from `start` on, up to the target, or the parts of one too large."""
        sentence = self._borders[bisect_right(self._borders, start)]
        if not self._within(start, sentence, self._size):
            return self._parts(start, sentence)
        return [(start, self._grow(self._overlap_start(before, start, sentence), sentence))]

    def _grow(self, at: int, sentence: int) -> int:
        """Return where a chunk ends that begins at `at` and ends at `sentence` or later."""
        borders = self._borders
        i = bisect_right(borders, max(self._ruler.reach(at, self._target - 1), sentence - 1))
        while i < len(borders) - 1 and self._within(at, borders[i], self._target - 1):
            i += 1  # blank ends do not count
        i = min(i, len(borders) - 1)
        while borders[i] > sentence and not self._within(at, borders[i], self._size):
            i -= 1
        return borders[i]

    def _overlap_start(self, before: int, start: int, end: int) -> int:
        """Find where a chunk starts: at most at `start`, with sentences from behind `before`."""
        if not self._overlap:
            return start
        low = max(self._ruler.back(self._kept(start), self._overlap), before + 1)
        last = bisect_left(self._borders, start)
        first = bisect_left(self._borders, low, 0, last)
        if first < last:  # seldom, as most sentences are longer
            low = self._ruler.back(self._kept(end), self._size)
            first = bisect_left(self._borders, low, first, last)
        for at in self._borders[first:last]:
            if self._within(at, start, self._overlap) and self._within(at, end, self._size):
                return at
        return start

    def _parts(self, start: int, end: int) -> Iterable[Range]:
        """Cut a sentence that is too large."""
        if self._to_characters:
            return self._packer.pack(start, end)
        return self._at_words(start, end) if self._to_words else [(start, end)]

    def _at_words(self, at: int, end: int) -> Iterator[Range]:
        """Cut at words; one that is too large stays whole."""
        while not self._within(at, end, self._size):
            stop = self._words.last(at + 1, self._ruler.reach(at, self._size) + 1)
            while stop is not None and not self._within(at, stop, self._size):
                stop = self._words.last(at + 1, stop - 1)
            stop = stop or self._words.first(at + 1, end) or end
            yield at, stop
            at = self._skip(stop, end)
        if at < end:
            yield at, end

    def _within(self, start: int, end: int, limit: int) -> bool:
        """Tell whether a chunk, as it would be emitted, is at most as large as `limit`."""
        if self._strip:
            start = skip_blank(self._text, start, end)
            end = rstrip_blank(self._text, start, end)
        return self._ruler.fits(start, end, limit)

    def _skip(self, start: int, end: int) -> int:
        return skip_blank(self._text, start, end) if self._strip else start

    def _kept(self, end: int) -> int:
        return rstrip_blank(self._text, 0, end) if self._strip else end


def _sizes(chunk_size: int, target_size: int | None, min_size: int | None) -> tuple[int, int]:
    """Check or choose `target_size` and `min_size`."""
    if min_size is not None:
        check_integer("min_size", min_size, least=0)
        if min_size > chunk_size:
            raise ValueError(f"min_size must be at most chunk_size ({chunk_size}), got {min_size}")
    if target_size is None:
        target_size = max(chunk_size * 4 // 5, min_size or 1, 1)
    check_integer("target_size", target_size, least=1)
    if target_size > chunk_size:
        raise ValueError(
            f"target_size must be at most chunk_size ({chunk_size}), got {target_size}"
        )
    if min_size is None:
        min_size = min(50, target_size)
    if min_size > target_size:
        raise ValueError(f"min_size must be at most target_size ({target_size}), got {min_size}")
    return target_size, min_size


def _checked_language(language: Any) -> str:
    if not isinstance(language, str):
        raise TypeError(f"language must be an ISO 639 code such as 'de', got {language!r}")
    return language


def _checked_enders(enders: Any) -> tuple[str, ...]:
    checked = tuple(enders) if isinstance(enders, Iterable) else (enders,)
    if isinstance(enders, str) or not all(isinstance(ender, str) for ender in checked):
        raise TypeError(
            f"sentence_enders must be a list of characters, got {enders!r}: write ['.', ';']"
        )
    for ender in checked:
        if len(ender) != 1:
            raise ValueError(f"sentence_enders must hold one character each, got {ender!r}")
    return checked
