"""Where a text may be cut: offsets of one strength, listed beforehand or searched where asked.

A boundary is the offset where the next chunk would start. When nothing else is left, a text is cut
between grapheme clusters (UAX #29).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Protocol

import regex

from langchain_mchunk.stops import CLOSERS, FOREIGN_STOPS, no_end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CLUSTER: Final = regex.compile(r"\X")
_CLUSTER_LOOK_BEHIND: Final = 128  # even: flags are pairs, and a run of them keeps its pairs


class Cuts(Protocol):
    """Boundaries of one strength on one text; `low` and `high` are inclusive."""

    def last(self, low: int, high: int) -> int | None:
        """Return the last boundary in `low..high`."""

    def first(self, low: int, high: int) -> int | None:
        """Return the first boundary in `low..high`."""


class Places:
    """Boundaries listed beforehand, in ascending order."""

    def __init__(self, offsets: Sequence[int]) -> None:
        self._offsets = offsets

    def last(self, low: int, high: int) -> int | None:
        """Return the last boundary in `low..high`."""
        at = bisect_right(self._offsets, high) - 1
        return self._offsets[at] if at >= 0 and self._offsets[at] >= low else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first boundary in `low..high`."""
        at = bisect_left(self._offsets, low)
        return self._offsets[at] if at < len(self._offsets) and self._offsets[at] <= high else None


class Rule:
    """A pattern whose matches end where a next chunk may start.

    Args:
        pattern: A verbose regular expression.
        longest: No match has more characters.
        needs: Each match holds one of these characters; `""` if that cannot be said.
    """

    def __init__(self, pattern: str, longest: int, needs: str = "") -> None:
        self.forward = regex.compile(pattern, regex.VERBOSE)
        self.backward = regex.compile(f"(?r){pattern}", regex.VERBOSE)
        self.longest = longest
        self.needs = needs


class Pattern:
    """Boundaries searched in the window when asked for: a long text costs nothing beforehand.

    Args:
        rule: What a boundary looks like.
        text: The text.
        veto: Tells of a text and an offset that match the rule whether they are no boundary after all.
    """

    def __init__(
        self, rule: Rule, text: str, veto: Callable[[str, int], bool] | None = None
    ) -> None:
        self._rule = rule
        self._text = text
        self._veto = veto
        self._needed = [character for character in rule.needs if character in text]

    def last(self, low: int, high: int) -> int | None:
        """Return the last boundary in `low..high`."""
        start = max(0, low - self._rule.longest)
        if self._hopeless(start, high):
            return None
        for match in self._rule.backward.finditer(self._text, start, high):
            if match.end() < low:
                return None
            if not self._vetoed(match.end()):
                return match.end()
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first boundary in `low..high`."""
        start = max(0, low - self._rule.longest)
        if self._hopeless(start, high):
            return None
        for match in self._rule.forward.finditer(self._text, start, high):
            if match.end() >= low and not self._vetoed(match.end()):
                return match.end()
        return None

    def _vetoed(self, at: int) -> bool:
        return self._veto is not None and self._veto(self._text, at)

    def _hopeless(self, start: int, end: int) -> bool:
        """Tell, by a faster search than a pattern's, that no match can be in `start:end`."""
        if not self._rule.needs:
            return False
        for character in self._needed:
            if self._text.find(character, start, end) >= 0:
                return False
        return True


_LINE_BREAK = r"(?: \n | \r\n? )"
_SPACE = r"[\s\x1c-\x1f]"  # what str.isspace() says
_CLOSERS: Final = re.escape(CLOSERS)
_STOPPED = rf"""(?<= [.!?\u2026{FOREIGN_STOPS}] [{_CLOSERS}\xab\u201c\u2018]{{0,4}} )"""
_WIDE_STOPS: Final = "\u3002\uff01\uff1f\uff61"  # no white space follows them
_WIDE = rf"""[{_WIDE_STOPS}] [{_CLOSERS}]{{0,4}}+"""

BLANK_LINE: Final = Rule(rf"{_LINE_BREAK} [^\S\r\n]{{0,60}}+ {_LINE_BREAK}", 64, needs="\n\r")
LINE: Final = Rule(_LINE_BREAK, 2, needs="\n\r")
SENTENCE: Final = Rule(rf"{_STOPPED} {_SPACE}", 1)
WIDE_SENTENCE: Final = Rule(rf"(?: {_STOPPED} {_SPACE} | {_WIDE} )", 5)
CLAUSE: Final = Rule(rf"(?: (?<= [,;:\u2013\u2014\u060c\u061b] ) {_SPACE} | [\uff0c\u3001\uff1b\uff1a] )", 1)
WORD: Final = Rule(r"[\s\x1c-\x1f\u200b]", 1)  # the zero-width space, too, stands between words


def prose(text: str) -> list[Cuts]:
    """Return the boundaries of running text, strongest first, words last."""
    wide = any(stop in text for stop in _WIDE_STOPS)
    sentence = WIDE_SENTENCE if wide else SENTENCE
    return [
        Pattern(BLANK_LINE, text),
        Pattern(LINE, text),
        Pattern(sentence, text, veto=no_end),
        Pattern(CLAUSE, text),
        Pattern(WORD, text),
    ]


def grapheme_floor(text: str, start: int, at: int) -> int:
    """Return the last offset in `start+1..at` that parts two grapheme clusters, or `at` if there is none.

    `start` must be such an offset itself. Only the neighbourhood of `at` is looked at, in steps that
    grow as long as one cluster fills it.
    """
    if at >= len(text) or (text[at - 1 : at + 1].isascii() and text[at - 1] != "\r"):
        return at
    back = _CLUSTER_LOOK_BEHIND
    while True:
        begin = at - back if at - back > start else start
        if begin > start:
            begin -= (begin - start) % 2
        ends = [begin + m.end() for m in _CLUSTER.finditer(text[begin : at + 1])]
        inside = [end for end in ends if begin < end <= at]
        if inside and (begin == start or len(inside) > 1):
            return inside[-1]
        if begin == start:
            return at
        back *= 8
