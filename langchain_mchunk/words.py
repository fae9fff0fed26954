"""What a word is, what a query looks for, and the plain rule by which a text is scored.

A word is a maximal run of letters, digits, underscores and combining marks in a folded text.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize

import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHORT: Final = 3  # characters; a word this short stands inside too many others to tell anything

# Scripts written without spaces whose single characters carry meaning, and the sound marks of kana,
# which Unicode counts to no script. (Script extensions would take in marks of Latin letters too.)
_CJK: Final = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u3099\u309a\u30fc\uff70\uff9e\uff9f]"

_WORD = regex.compile(r"[\w\p{M}]+")
_HAS_CJK = regex.compile(_CJK)
_CJK_RUN = regex.compile(_CJK + "{3,}+")
_ASCII_WORDS: Final = bytes(
    byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)
).ljust(256)


def fold(text: str) -> str:
    """Return `text` without differences of case and of composed or decomposed accents."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFC", text).casefold())  # folding can decompose


def words(folded: str) -> list[str]:
    """Return the words of a folded text, in order."""
    if folded.isascii():  # the same words, several times as fast as the pattern
        return folded.encode().translate(_ASCII_WORDS).decode().split()
    return _WORD.findall(folded)


def is_short(word: str) -> bool:
    """Say whether a folded word is too short to tell anything; none with CJK characters is."""
    return len(word) <= SHORT and not _HAS_CJK.search(word)


class Word(NamedTuple):
    """A word that a query looks for: anywhere in a text, or only where it is a `whole` word."""

    text: str
    whole: bool

    def count(self, folded: str) -> int:
        """Return how often the word stands in a folded text; occurrences do not overlap."""
        return words(folded).count(self.text) if self.whole else folded.count(self.text)


def query_words(query: str, known: Callable[[str], bool]) -> list[Word]:
    """Return what a query looks for, prepared against a corpus.

    A run of three or more Han, kana or Hangul characters is seldom one word. If it stands nowhere
    in the corpus, its pairs of neighbouring characters are looked for instead, and what is written
    before and behind it is a word of its own. Words of three characters or fewer without such
    characters match whole words only.

    Args:
        query: The query, as written.
        known: Tells whether a folded run of characters stands in any text of the corpus.
    """
    parts = (part for word in words(fold(query)) for part in _parts(word, known))
    return [Word(part, is_short(part)) for part in parts]


def telling(prepared: list[Word]) -> list[Word]:
    """Leave out the words that match whole words only, if there is any other word."""
    return [word for word in prepared if not word.whole] or prepared


def overlap(prepared: Iterable[Word], text: str) -> int:
    """Score a text by keyword overlap: the rule that `KeywordRetriever` keeps to exactly.

    Query and text are normalised (NFC), case-folded and normalised again. The query is cut into
    words (`query_words`), of which `telling` leaves out the short ones. The score is the sum over
    these words, one given twice counting twice, of their non-overlapping occurrences anywhere in
    the text, inside longer words too.
    """
    folded = fold(text)
    return sum(word.count(folded) for word in prepared)


def _parts(word: str, known: Callable[[str], bool]) -> Iterator[str]:
    """Cut the long CJK runs that stand nowhere out of a word, as pairs of their characters."""
    end = 0
    for run in _CJK_RUN.finditer(word):
        if not known(run[0]):
            if end < run.start():
                yield word[end : run.start()]
            yield from map("".join, pairwise(run[0]))
            end = run.end()
    if end < len(word):
        yield word[end:]
