"""Where sentences end: `sentencex` proposes, our rules veto and add.

An end is the offset where the next sentence starts. The vetoes are the rule of `stops`. The
additions are the stops of other scripts, a stop before a closing bracket, an ellipsis, a Greek
question mark, an abbreviation that may end a sentence, and a blank line.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final

import regex
import sentencex

from langchain_mchunk.boundaries import joined
from langchain_mchunk.further_ends import (
    CLOSED,
    GREEK_QUESTION,
    THEN_SPACE,
    Language,
    foreign_stops,
    language_rules,
)
from langchain_mchunk.spans import rstrip_blank, skip_blank
from langchain_mchunk.stops import (
    CLOSERS,
    FOREIGN_STOPS,
    OPENING,
    OWN_STOPS,
    capital,
    no_end,
    stops_before,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from langchain_mchunk.abbreviations import Abbreviations

ENDERS: Final = tuple(OWN_STOPS + FOREIGN_STOPS)
"""The characters that end sentences if the caller names no others."""

# Of more than 10 KB of UTF-8, sentencex cuts pieces at blank lines, which it loses; and the more
# quotes a paragraph leaves open, the slower it gets.
_MOST_BYTES: Final = 9_600
_FEWEST: Final = _MOST_BYTES // 4  # characters that are never more bytes

# White space on which sentencex fails before an initial, by its first byte in UTF-8.
_ODD_SPACES: Final = {
    0xC2: "\x85\xa0",
    0xE1: "\u1680",
    0xE2: "\u2028\u2029\u202f\u205f" + "".join(map(chr, range(0x2000, 0x200B))),
    0xE3: "\u3000",
}

_SPACED: Final = frozenset(stop + space for stop in ".!?" for space in " \n")
_LIKELY_ENDS: Final = (". ", "! ", "? ", ".\n", "\u3002", "\uff01", "\uff1f", "\u0964 ", "\u06d4 ")
_TAIL: Final = 4  # a letter, the stop and the space of an initial are fewer characters
_LOOK_BEHIND: Final = 256  # characters of white space in which a blank line is looked for

_FOREIGN: Final = frozenset(FOREIGN_STOPS)
_BLANK: Final = "\n\n"  # what sentencex makes of a blank line
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n\s*")
_BLANK_LINE_CR: Final = re.compile(r"(?:\r\n?+|\n)[^\S\r\n]*+(?:\r\n?|\n)\s*")
_AFTER_STOP: Final = re.compile(CLOSED)
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
    for start, end in _blocks(text, low, high):
        found = _Block(text, start, end, rules).ends()
        if end < high and end not in found[-1:] and _border_is_end(text, end, rules.words):
            found.append(end)
        if select:
            found = select(text, start, end, found)
        if end == high:
            found = [at for at in found if at < high]
        ends.extend(found)
    return ends


def _blocks(text: str, at: int, high: int) -> Iterator[tuple[int, int]]:
    """Cut a text into blocks: at a blank line, else behind a stop, else at a space."""
    width = _MOST_BYTES
    while at < high:
        size = _bytes(text[at : at + width])
        while size > _MOST_BYTES and width > _FEWEST:
            width //= 2
            size = _bytes(text[at : at + width])
        end = at + width
        end = _cut(text, at + 1, end) if end < high else high
        while end < high and joined(text, end):
            end += 1
        yield at, end
        at = end
        if size <= _MOST_BYTES // 2:
            width = min(2 * width, _MOST_BYTES)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _cut(text: str, low: int, high: int) -> int:
    blank = text.rfind("\n\n", low, high)
    if blank >= 0:
        return skip_blank(text, blank, len(text))
    half = (low + high) // 2
    stop = max(text.rfind(end, half, high) for end in _LIKELY_ENDS)
    if stop >= 0:
        match = _AFTER_STOP.match(text, stop + 1)
        return match.end() if match else high
    return text.rfind(" ", half, high) + 1 or high


class _Block:
    """A block of a text, and the ends in it: offsets in the text."""

    def __init__(self, text: str, start: int, end: int, rules: Language) -> None:
        self._text = text[start:end]  # ASCII, and fast, even if the whole text is not
        self._start = start
        self._rules = rules
        self._ascii = self._text.isascii()
        self._foreign: list[re.Pattern[str]] = []  # the patterns of stops that may be in it
        self._found: list[int] = []

    def ends(self) -> list[int]:
        """Return the ends in the block behind its start, in order; its own end may be one."""
        self._take_proposals(self._pieces())
        self._add()
        found = self._found
        found.sort()
        if len(set(found)) < len(found):
            found = sorted(set(found))
        if self._ascii:
            return found
        text, start = self._text, self._start
        return [at for at in found if not joined(text, at - start)]

    def _pieces(self) -> list[str]:
        """Return what sentencex makes of the block: joined, its text without blank end."""
        block = self._text.rstrip()
        if not self._ascii:
            block = self._cleaned(block)
        pieces: list[str] = sentencex.segment(self._rules.code, block)
        return pieces

    def _cleaned(self, block: str) -> str:
        """Replace what sentencex fails on, and see whether stops of other scripts are there."""
        try:
            code = block.encode()
        except UnicodeEncodeError:  # half characters
            code = block.encode("utf-8", "replace")
            block = code.decode()
        for lead, spaces in _ODD_SPACES.items():
            if lead in code:
                for space in spaces:
                    block = block.replace(space, " ")
        self._foreign = foreign_stops(code, block)
        return block

    def _take_proposals(self, pieces: list[str]) -> None:
        """Keep what no rule forbids; what is behind a blank line or a foreign stop is found later.

        Much of a long text's time is spent here: a border between a plain word with a stop and a
        letter that may begin a sentence is taken without a closer look.
        """
        found, doubtful, foreign = self._found, self._rules.doubtful, self._foreign
        at, plain, last = self._start, False, _BLANK
        for piece in pieces:
            if plain and OPENING[piece[0]]:
                found.append(at)
            elif last != _BLANK and not piece.isspace() and not (foreign and _foreign_stop(last)):
                first = at + len(piece) - len(piece.lstrip())
                if self._holds(first - self._start):
                    found.append(first)
            size = len(piece)
            at += size
            tail = piece[-5:-2]
            plain = (
                piece[-2:] in _SPACED and size > _TAIL and tail.isalpha() and tail not in doubtful
            )
            last = piece

    def _holds(self, at: int) -> bool:
        """Tell whether a proposal is an end: behind a stop and, if it needs that, white space."""
        text = self._text
        if text[at - 2 : at] not in _SPACED:
            stops = stops_before(text, at)
            if not text[at - 1].isspace():
                return stops[-1:] in _FOREIGN and text[at] not in CLOSERS
            if not stops:
                return False
        return not no_end(text, at, self._rules.words)

    def _add(self) -> None:
        """Add the ends that sentencex does not see."""
        text, start = self._text, self._start
        blank_line = _BLANK_LINE_CR if "\r" in text else _BLANK_LINE
        self._found += [start + match.end() for match in blank_line.finditer(text)]
        for pattern in self._foreign:
            self._found += [start + match.end() for match in pattern.finditer(text)]
        words = self._rules.words
        stopped = self._all(self._rules.stopped)
        if stopped:
            known = set(self._found)
            stopped = [at for at in stopped if start + at not in known]
            stopped = [at for at in stopped if not no_end(text, at, words)]
        asked = [at for at in self._all(GREEK_QUESTION) if capital(text, at)]
        self._found += [start + at for at in (*stopped, *asked)]

    def _all(self, patterns: Mapping[str, re.Pattern[str]]) -> list[int]:
        return [
            match.end()
            for character, pattern in patterns.items()
            if character in self._text
            for match in pattern.finditer(self._text)
        ]


def _foreign_stop(piece: str) -> bool:
    """Tell whether a piece ends with a stop of another script, and perhaps a quote or a space."""
    return not _FOREIGN.isdisjoint(piece[-3:])


def _border_is_end(text: str, at: int, words: Abbreviations) -> bool:
    """Tell whether a sentence ends where a block does: its stops must not go on behind it."""
    return (
        stops_before(text, at) != ""
        and text[at] not in OWN_STOPS + FOREIGN_STOPS + CLOSERS
        and not no_end(text, at, words)
    )


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
        return bool(_BLANK_LINE_CR.search(before, len(before.rstrip())))
