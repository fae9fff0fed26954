"""Patterns of the sentence ends that `sentencex` does not see; each match ends where one does."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from langchain_mchunk.abbreviations import Abbreviations, abbreviations
from langchain_mchunk.stops import CLOSERS, FOREIGN_STOPS, OWN_STOPS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

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

STOPPED_BRACKET: Final = re.compile(rf"[)\]}}]{_BEHIND_STOP}{THEN_SPACE}")
"""A closing bracket behind a stop; an end unless a rule forbids."""

# By their first character: a pattern that begins with one is found many times faster.
_STOPPED: Final = {
    "\u2026": re.compile(rf"\u2026(?<!\u2026\u2026)[{_STOPS}]*+{THEN_SPACE}"),
}
GREEK_QUESTION: Final = {
    mark: re.compile(rf"{mark}(?<=[\u0370-\u03ff\u1f00-\u1fff].){THEN_SPACE}") for mark in ";\u037e"
}
"""Ends before a capital only, by their first character."""


class Language(NamedTuple):
    """The rules of one language."""

    code: str
    words: Abbreviations
    stopped: Mapping[str, re.Pattern[str]]  # ends unless a rule forbids, by first character


@cache
def language_rules(code: str) -> Language:
    """Prepare the rules of a language, given by its ISO 639 code."""
    words = abbreviations(code)
    stopped = dict(_STOPPED)
    if words.added:
        last = "".join({form for word in words.added for form in (word[-1], word[-1].upper())})
        behind = "|".join(_behind(words.added))
        stopped["."] = re.compile(rf"\.(?<=[{last}].)(?:{behind}){THEN_SPACE}")
    return Language(code, words, stopped)


def _behind(words: Collection[str]) -> Iterator[str]:
    """Yield patterns that look behind for words with their stop, one for each length."""
    same_length: defaultdict[int, set[str]] = defaultdict(set)
    for word in words:
        for form in (word, word.replace(".", ". ")):  # white space may stand behind inner stops
            same_length[len(form)] |= _written(form)
    for forms in same_length.values():
        yield rf"(?<=\b(?:{'|'.join(map(re.escape, sorted(forms)))})\.)"


def _written(word: str) -> set[str]:
    """Return how an entry may be written: a small one in any usual case, but for one letter."""
    if len(word) == 1 or not word.islower():
        return {word}
    head, stop, tail = word.rpartition(".")
    return {word, word.title(), word.upper(), f"{head}{stop}{tail.upper()}"}
