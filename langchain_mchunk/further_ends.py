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


def _foreign(stops: str) -> re.Pattern[str]:
    return re.compile(  # a decimal point is no stop
        rf"[{stops}](?<!\uff0e(?=\d))[{re.escape(OWN_STOPS)}{stops}]*+{CLOSED}"
    )


# The stops beyond the Basic Multilingual Plane stand apart: a class with such is slow.
_IN_PLANE = "".join(stop for stop in FOREIGN_STOPS if stop <= "\uffff")
_BEYOND = FOREIGN_STOPS[len(_IN_PLANE) :]
_STOP_IN_PLANE: Final = _foreign(_IN_PLANE)
_STOP_BEYOND: Final = _foreign(_BEYOND)
_PUNCTUATION: Final = b"\xe2"  # the first byte of dashes and quotes, too: it says little
_LEADS_IN_PLANE: Final = {stop.encode()[:1] for stop in _IN_PLANE} - {_PUNCTUATION}
_BEYOND_LEAD: Final = b"\xf0"  # found many times faster than two bytes
_LEADS_BEYOND: Final = {stop.encode()[:2] for stop in _BEYOND}
_AMONG_PUNCTUATION: Final = [stop for stop in _IN_PLANE if stop.encode()[:1] == _PUNCTUATION]

# By their first character: a pattern that begins with one is found many times faster.
_STOPPED: Final = {
    **{bracket: re.compile(rf"\{bracket}{_BEHIND_STOP}{THEN_SPACE}") for bracket in ")]}"},
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
    doubtful: frozenset[str]  # the last three letters of its abbreviations
    stopped: Mapping[str, re.Pattern[str]]  # ends unless a rule forbids, by first character


def foreign_stops(code: bytes, text: str) -> list[re.Pattern[str]]:
    """Return the patterns of other scripts' stops that may be in a text; `code` is its UTF-8.

    What is not among the first bytes of its characters is not in it.
    """
    patterns = []
    if any(lead in code for lead in _LEADS_IN_PLANE) or (
        _PUNCTUATION in code and any(stop in text for stop in _AMONG_PUNCTUATION)
    ):
        patterns.append(_STOP_IN_PLANE)
    if _BEYOND_LEAD in code and any(lead in code for lead in _LEADS_BEYOND):
        patterns.append(_STOP_BEYOND)
    return patterns


@cache
def language_rules(code: str) -> Language:
    """Prepare the rules of a language, given by its ISO 639 code."""
    words = abbreviations(code)
    stopped = dict(_STOPPED)
    if words.added:
        last = "".join({form for word in words.added for form in (word[-1], word[-1].upper())})
        behind = "|".join(_behind(words.added))
        stopped["."] = re.compile(rf"\.(?<=[{last}].)(?:{behind}){THEN_SPACE}")
    return Language(code, words, frozenset(token[-4:-1] for token in words.tokens), stopped)


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
