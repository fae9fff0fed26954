"""Where sentences end: `sentencex` proposes, our rules veto and add.

An end is the offset where the next sentence starts. The vetoes are the rule of `stops`. The
additions are the stops of other scripts, a stop before a closing bracket, an ellipsis, a Greek
question mark, an abbreviation that may end a sentence, and a blank line.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final

import numpy as np
import regex

from langchain_mchunk.boundaries import joined
from langchain_mchunk.characters import Characters
from langchain_mchunk.further_ends import (
    CLOSED,
    FOREIGN_STOP,
    GREEK_QUESTION,
    THEN_SPACE,
    Language,
    language_rules,
)
from langchain_mchunk.plain_ends import Surroundings
from langchain_mchunk.proposals import batches, proposals
from langchain_mchunk.spans import rstrip_blank, skip_blank
from langchain_mchunk.stops import (
    CLOSERS,
    FOREIGN_STOPS,
    OWN_STOPS,
    capital,
    no_end,
    stops_before,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from langchain_mchunk.characters import Offsets
    from langchain_mchunk.spans import Range

ENDERS: Final = tuple(OWN_STOPS + FOREIGN_STOPS)
"""The characters that end sentences if the caller names no others."""

_LOOK_BEHIND: Final = 256  # characters of white space in which a blank line is looked for

_SPACED: Final = frozenset(stop + space for stop in ".!?" for space in " \n")
_FOREIGN: Final = frozenset(FOREIGN_STOPS)
_BLANK_LINE: Final = re.compile(r"(?:\r\n?+|\n)[^\S\r\n]*+(?:\r\n?|\n)\s*")
_SENTENCE_TERMINAL: Final = regex.compile(r"\p{Sentence_Terminal}")


def sentence_ends(text: str, language: str = "en", enders: Collection[str] = ENDERS) -> array[int]:
    """Find the offsets where a sentence starts, in order, but not that of the first one.

    Args:
        text: The text; time and memory are linear in it.
        language: An ISO 639 code, such as `"de"`.
        enders: The only characters that may end a sentence, beside a blank line. One that is
            neither among `.!?` nor a Sentence_Terminal of Unicode ends it wherever white space
            follows.
    """
    low, high = skip_blank(text, 0, len(text)), rstrip_blank(text, 0, len(text))
    rules = language_rules(language)
    select = None if set(enders) == set(ENDERS) else _Selection(enders)
    ends = array("q")
    for blocks in batches(text, low, high):
        found = _Part(text, blocks, rules).ends()
        ends.extend(select(text, blocks[0][0], blocks[-1][1], found) if select else found)
    if ends and ends[-1] >= high:
        ends.pop()
    return ends


class _Part:
    """Some neighbouring blocks of a text, and the ends in them and behind each."""

    def __init__(self, text: str, blocks: Sequence[Range], rules: Language) -> None:
        self._text = text
        self._blocks = blocks
        self._rules = rules
        self._start, self._end = blocks[0][0], blocks[-1][1]
        self._part = text[self._start : self._end]  # ASCII, and fast, even if the text is not

    def ends(self) -> array[int]:
        """Return the ends, in order."""
        characters = Characters(self._part)
        plain, doubtful = self._proposed(characters)
        behind, stops = characters.foreign_stops()
        more = {*self._confirmed(doubtful), *self._further(characters), *self._foreign(stops)}
        looked_at = np.fromiter(sorted(more), np.int64) - self._start
        found = np.concatenate((plain, behind, characters.behind_blank_lines(), looked_at))
        found.sort(kind="stable")  # merges what is in order
        found = found[np.diff(found, prepend=-1) > 0]
        unsure = np.flatnonzero(characters.may_be_joined(found)).tolist()
        inside = [i for i in unsure if joined(self._part, int(found[i]))]
        return array("q", (np.delete(found, inside) + self._start).tobytes())

    def _proposed(self, characters: Characters) -> tuple[Offsets, list[int]]:
        """Return the proposals that are plain, in this part, and those that need a look."""
        odd = (characters.odd() + self._start).tolist()
        proposed = proposals(self._text, self._blocks, self._rules.code, odd) - self._start
        around = Surroundings(characters, proposed)
        plain = around.plain(self._rules.shortened)
        others = proposed[~(plain | around.settled())]
        doubtful = others[~characters.at_spaced_lines(others)] + self._start
        return proposed[plain], doubtful.tolist()

    def _confirmed(self, proposed: Iterable[int]) -> Iterator[int]:
        """Yield the proposals that hold, each where the next sentence starts."""
        for offset in proposed:
            at = skip_blank(self._text, offset, self._end)
            if self._holds(at):
                yield at

    def _holds(self, at: int) -> bool:
        """Tell whether a proposal is an end: behind a stop and, if it needs that, white space."""
        text = self._text
        if text[at - 2 : at] not in _SPACED:
            stops = stops_before(text, at)
            if not text[at - 1].isspace():
                return stops[-1:] in _FOREIGN and text[at : at + 1] not in CLOSERS
            if not stops:
                return False
        return not no_end(text, at, self._rules.words)

    def _further(self, characters: Characters) -> Iterator[int]:
        """Yield the ends that sentencex does not see."""
        text, rules = self._part, self._rules
        for stop in characters.further_stops(rules.added).tolist():
            match = rules.stopped.match(text, stop)
            if match and not no_end(text, match.end(), rules.words):
                yield self._start + match.end()
        for mark in characters.greek_questions().tolist():
            match = GREEK_QUESTION.match(text, mark)
            if match and capital(text, match.end()):
                yield self._start + match.end()

    def _foreign(self, stops: Offsets) -> Iterator[int]:
        """Yield the ends behind stops of other scripts, given by their offsets in this part."""
        at = 0
        for stop in stops.tolist():
            if stop >= at and (match := FOREIGN_STOP.match(self._part, stop)):
                at = match.end()
                yield self._start + at


class _Selection:
    """Ends by the characters that the caller chose."""

    def __init__(self, enders: Collection[str]) -> None:
        self._enders = frozenset(enders)
        others = self._enders.difference(ENDERS)
        alone = frozenset(c for c in others if c.isspace() or _SENTENCE_TERMINAL.match(c))
        # A run is matched whatever follows it, so that each is looked at once.
        self._others = [
            re.compile(rf"[{re.escape(''.join(stops))}]++({then})?+")
            for stops, then in ((alone, CLOSED), (others - alone, THEN_SPACE))
            if stops
        ]

    def __call__(self, text: str, start: int, end: int, found: Iterable[int]) -> list[int]:
        """Return the ends of a block by these characters: some of those found, and others."""
        ends = {at for at in found if self._chosen(text, at)}
        for pattern in self._others:
            matches = pattern.finditer(text, start, end)
            ends.update(match.end() for match in matches if match[1] is not None)
        return sorted(at for at in ends if not joined(text, at))

    def _chosen(self, text: str, at: int) -> bool:
        if not self._enders.isdisjoint(stops_before(text, at)):
            return True
        before = text[max(0, at - _LOOK_BEHIND) : at]
        return bool(_BLANK_LINE.search(before, len(before.rstrip())))
