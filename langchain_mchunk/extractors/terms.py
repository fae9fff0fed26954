"""The terms of a text: words, or the runs of one script where words have no spaces between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import regex

from langchain_mchunk.extractors.function_words import FUNCTION_WORDS
from langchain_mchunk.words import fold, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# Particles, copulas and prepositions inside of what is written without spaces, chosen by hand:
# Chao, A Grammar of Spoken Chinese (1968); Iwasaki, Ingkaphirom, A Reference Grammar of Thai (2005)
_HAN_PARTICLE: Final = regex.compile("[的是了在這这們们嗎吗呢吧把被很就與与及之也]")
_THAI_PARTICLE: Final = regex.compile(
    "เป็น|ของ|และ|หรือ|แต่|ที่|ใน|จาก|ด้วย|สำหรับ|ได้|ไม่|จะ|ให้|กับ|โดย|ซึ่ง|คือ|มี|นี้|นั้น"
)
_THAI_SYLLABLE: Final = regex.compile("(?<=.)(?=[เแโใไ])")  # vowels that begin one


class _Unspaced(NamedTuple):
    """How to cut runs of a script: those of more characters, at particles, else by a rule."""

    longest: int
    particle: regex.Pattern[str]
    cut: Callable[[str], Iterable[str]]

    def units(self, run: str) -> list[str]:
        if len(run) <= self.longest:
            return [run]
        pieces = filter(None, self.particle.split(run))
        cut = ([piece] if len(piece) <= self.longest else self.cut(piece) for piece in pieces)
        return [unit for units in cut for unit in units]


_UNSPACED: Final = {
    "han": _Unspaced(4, _HAN_PARTICLE, lambda run: map("".join, pairwise(run))),
    "thai": _Unspaced(12, _THAI_PARTICLE, _THAI_SYLLABLE.split),
}
_HIRAGANA: Final = regex.compile(r"[\p{Hiragana}\u3099\u309a\u30fc]++")

_RUN: Final = regex.compile(
    r"""(?P<han>\p{Han}++)
    | (?P<hiragana>\p{Hiragana}[\p{Hiragana}\u3099\u309a\u30fc]*+)
    | (?P<thai>\p{Thai}++)
    | [\p{Katakana}\u3099\u309a\u30fc\uff70\uff9e\uff9f]++
    | [^\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]++""",
    regex.VERBOSE,
)


def terms(text: str) -> list[str]:
    """Return the terms of a text, folded and in order.

    Korean and what puts spaces between words: its words. Han characters, hiragana, katakana and
    Thai: runs of one script, without the commonest particles. A Han run that is still longer than a
    word is cut into pairs of neighbours, as `KeywordRetriever` does; a Thai one before the vowels
    that begin a syllable.
    """
    return [term for word in words(fold(text)) for term in _parts(word)]


def is_telling(term: str) -> bool:
    """Say whether a term may be a keyword where there are others: is it no word of function?"""
    return not (term in FUNCTION_WORDS or _HIRAGANA.fullmatch(term))


def _parts(word: str) -> Iterator[str]:
    if word.isascii():  # the same, at once
        yield word
        return
    for run in _RUN.finditer(word):
        script = _UNSPACED.get(run.lastgroup or "")
        yield from script.units(run[0]) if script else [run[0]]
