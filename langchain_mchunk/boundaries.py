"""Where a text may be cut: offsets of one strength, listed beforehand or searched where asked.

A boundary is the offset where the next chunk would start. When nothing else is left, a text is cut
between grapheme clusters (UAX #29).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Protocol

import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

# What joins the character before it, even a space, in one cluster: UAX #29, GB9 and GB9a.
_MARK: Final = regex.compile(r"[\p{M}\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff]")
_CLUSTER: Final = regex.compile(r"\X")
# Two characters that are parted whatever stands before: the rules that look further back (GB9c,
# GB11, GB12) all need one of these first.
_PARTED: Final = regex.compile(
    r"(?! [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=RI}] ) \X (?= . )", regex.VERBOSE | regex.DOTALL
)
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
        pattern: A verbose regular expression. It looks at nothing behind its match: in
            `regex`, that costs a multiple.
        longest: No match has more characters.
        needs: Each match holds one of these characters; `""` if that cannot be said.
    """

    def __init__(self, pattern: str, longest: int, needs: str = "") -> None:
        self.forward = regex.compile(pattern, regex.VERBOSE)
        self.backward = regex.compile(f"(?r){pattern}", regex.VERBOSE)
        self.longest = longest
        self.needs = needs


class Pattern:
    """Boundaries searched in the window when asked for: a long text costs nothing beforehand."""

    def __init__(self, rule: Rule, text: str) -> None:
        self._rule = rule
        self._text = text
        self._needed = [character for character in rule.needs if character in text]

    def last(self, low: int, high: int) -> int | None:
        """Return the last boundary in `low..high`."""
        start = max(0, low - self._rule.longest)
        if self._hopeless(start, high):
            return None
        while match := self._rule.backward.search(self._text, start, high):
            high = match.end()
            if high < low:
                return None
            if not self._joined(high):
                return high
            high -= 1
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first boundary in `low..high`."""
        start = max(0, low - self._rule.longest)
        if self._hopeless(start, high):
            return None
        while match := self._rule.forward.search(self._text, start, high):
            start = match.end()
            if start >= low and not self._joined(start):
                return start
        return None

    def _joined(self, at: int) -> bool:
        """Tell whether the character at `at` belongs to the break or space before it."""
        character = self._text[at : at + 1]
        if character < "\u0300":
            return character == "\n" and self._text[at - 1] == "\r"
        return _MARK.match(character) is not None

    def _hopeless(self, start: int, end: int) -> bool:
        """Tell, by a faster search than a pattern's, that no match can be in `start:end`."""
        if not self._rule.needs:
            return False
        return all(self._text.find(character, start, end) < 0 for character in self._needed)


_LINE_BREAK = r"(?: \n | \r\n? )"
_SPACE = r"[\s\x1c-\x1f]"  # what str.isspace() says
_SENTENCE = (
    rf"""(?<= [.!?\u2026\u061f\u06d4\u0964\u0965] ["'\u2019\u201d\xbb)\]]{{0,4}} ) {_SPACE}"""
)
_CLAUSE = rf"(?<= [,;:\u2013\u2014\u060c\u061b] ) {_SPACE}"
# Scripts that put no white space behind a stop.
_WIDE: Final = "\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f\uff61\uff64"
_WIDE_SENTENCE = r"""[\u3002\uff01\uff1f\uff61] ["'\u2019\u201d\u300d\u300f\uff09)\]]{0,4}+"""
_WIDE_CLAUSE = r"[\u3001\uff0c\uff1a\uff1b\uff64]"

BLANK_LINE: Final = Rule(rf"{_LINE_BREAK} [^\S\r\n]{{0,60}}+ {_LINE_BREAK}", 64, needs="\n\r")
LINE: Final = Rule(_LINE_BREAK, 2, needs="\n\r")
SENTENCE: Final = Rule(_SENTENCE, 1)
CLAUSE: Final = Rule(_CLAUSE, 1)
WIDE_SENTENCE: Final = Rule(f"(?: {_SENTENCE} | {_WIDE_SENTENCE} )", 5)
WIDE_CLAUSE: Final = Rule(f"(?: {_CLAUSE} | {_WIDE_CLAUSE} )", 1)
WORD: Final = Rule(r"[\s\x1c-\x1f\u200b]", 1)  # the zero-width space, too, stands between words


def prose(text: str) -> list[Cuts]:
    """Return the boundaries of running text, strongest first, words last."""
    wide = any(stop in text for stop in _WIDE)  # nine fast searches
    sentence, clause = (WIDE_SENTENCE, WIDE_CLAUSE) if wide else (SENTENCE, CLAUSE)
    return [Pattern(rule, text) for rule in (BLANK_LINE, LINE, sentence, clause, WORD)]


def grapheme_floor(text: str, start: int, at: int) -> int | None:
    """Return the last offset in `start+1..at` between two grapheme clusters.

    `start` must be such an offset itself. Only the neighbourhood of `at` is looked at, in steps
    that grow as long as one cluster fills it.
    """
    pair = text[at - 1 : at + 1]
    if at >= len(text) or (pair.isascii() and pair[0] != "\r") or _PARTED.match(pair):
        return at
    back = _CLUSTER_LOOK_BEHIND
    while True:
        begin = max(at - back, start)
        begin -= (begin - start) % 2
        ends = [begin + match.end() for match in _CLUSTER.finditer(text[begin : at + 1])]
        inside = [end for end in ends if end <= at]
        if begin == start or len(inside) > 1:  # the first may end a cluster begun before
            return inside[-1] if inside else None
        back *= 8


def grapheme_ceil(text: str, start: int, at: int, end: int) -> int:
    """Return the first offset in `at..end` between two grapheme clusters, or `end`.

    `start` must be such an offset itself.
    """
    begin = grapheme_floor(text, start, at) or start
    if begin == at:
        return at
    cluster = _CLUSTER.match(text[begin:end])
    return begin + cluster.end() if cluster else end
