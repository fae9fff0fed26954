"""Patterns of the sentence ends that `sentencex` does not see; each match ends where one does."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from langchain_mchunk.abbreviations import Abbreviations, abbreviations
from langchain_mchunk.characters import endings
from langchain_mchunk.stops import CLOSERS, FOREIGN_STOPS, OWN_STOPS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from langchain_mchunk.characters import Flags

_STOPS = re.escape(OWN_STOPS + FOREIGN_STOPS)
_CLOSERS = re.escape(CLOSERS)
# What closes in German opens in English.
CLOSED: Final = rf"(?:[{_CLOSERS}]|[\u201c\u2018](?!\w))*+\s*"
"""What belongs to a sentence behind a stop that ends it by itself."""
THEN_SPACE: Final = rf"[{_CLOSERS}\u201c\u2018]*+\s+"
"""The same behind a stop that needs white space."""
_BEHIND_STOP = rf"(?:(?<=[{_STOPS}].)|(?<=[{_STOPS}][{_CLOSERS}].))"


# The stops beyond the Basic Multilingual Plane stand apart: a class with such is slow.
_IN_PLANE = re.escape(OWN_STOPS) + "".join(stop for stop in FOREIGN_STOPS if stop <= "\uffff")
_BEYOND = "".join(stop for stop in FOREIGN_STOPS if stop > "\uffff")
FOREIGN_STOP: Final = re.compile(  # a decimal point is no stop
    rf".(?<!\uff0e(?=\d))(?: [{_IN_PLANE}] | (?=[\U00010000-\U0010ffff]) [{_BEYOND}] )*+"
    rf"{CLOSED}",
    re.VERBOSE,
)
"""A stop of another script, where one is known to be, and what goes with it."""

_MOST_STOPS: Final = 8  # in a row, so that each is looked at a few times at most
_STOPPED: Final = rf"[)\]}}]{_BEHIND_STOP}|\u2026[{_STOPS}]{{0,{_MOST_STOPS}}}+"
GREEK_QUESTION: Final = re.compile(rf"[;\u037e](?<=[\u0370-\u03ff\u1f00-\u1fff].){THEN_SPACE}")
"""An end before a capital only."""


class Language(NamedTuple):
    """The rules of one language."""

    code: str
    words: Abbreviations
    shortened: Flags  # the endings of abbreviations
    added: Flags  # the endings of those that may end a sentence, which sentencex does not see
    stopped: re.Pattern[str]  # an end unless a rule forbids, where one may be


@cache
def language_rules(code: str) -> Language:
    """Prepare the rules of a language, given by its ISO 639 code."""
    words = abbreviations(code)
    forms = _forms(words.added)
    stopped = "|".join((_STOPPED, *(rf"\.{behind}" for behind in _behind(forms))))
    return Language(
        code,
        words,
        endings(frozenset(token.removesuffix(".") for token in words.tokens)),
        endings(frozenset(forms)),
        re.compile(rf"(?:{stopped}){THEN_SPACE}"),
    )


def _forms(words: Collection[str]) -> set[str]:
    """Return how words may be written; white space may stand behind inner stops."""
    return {
        form
        for word in words
        for spaced in (word, word.replace(".", ". "))
        for form in _written(spaced)
    }


def _behind(forms: Collection[str]) -> Iterator[str]:
    """Yield patterns that look behind for words with their stop, one for each length."""
    same_length: defaultdict[int, list[str]] = defaultdict(list)
    for form in sorted(forms):
        same_length[len(form)].append(re.escape(form))
    for words in same_length.values():
        yield rf"(?<=\b(?:{'|'.join(words)})\.)"


def _written(word: str) -> set[str]:
    """Return how an entry may be written: a small one in any usual case, but for one letter."""
    if len(word) == 1 or not word.islower():
        return {word}
    head, stop, tail = word.rpartition(".")
    return {word, word.title(), word.upper(), f"{head}{stop}{tail.upper()}"}
