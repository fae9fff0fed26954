"""Where a text may be cut: offsets of one strength, listed beforehand or searched where asked.

A boundary is the offset where the next chunk would start. When nothing else is left, a text is cut
between grapheme clusters (UAX #29).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, Protocol

import regex

from langchain_mchunk.stops import CLOSERS, no_end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What joins the character before it, even a space, in one cluster: UAX #29, GB9 and GB9a.
_VOWEL_SIGNS: Final = ("\u0e33", "\u0eb3")  # am of Thai and Lao: a letter and a mark
_MARK: Final = regex.compile(r"[\p{M}\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff]")
_CLUSTER: Final = regex.compile(r"\X")
# Two characters that are parted whatever stands before: the rules that look further back (GB9c,
# GB11, GB12) all need one of these first, and none of them an ASCII character behind.
_PARTED: Final = regex.compile(
    r"""(?! [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=RI}] ) \X (?= . )
      | [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=RI}] (?= [\x00-\x7f] )""",
    regex.VERBOSE | regex.DOTALL,
)
_JOINED: Final = regex.compile(r"(?! \p{GCB=RI} ) \X", regex.VERBOSE)  # two, whatever is before
_NO_FLAG: Final = regex.compile(r"(?r)\P{GCB=RI}")
_CLUSTER_LOOK_BEHIND: Final = 32  # characters


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
    """Boundaries searched in the window when asked for: a long text costs nothing beforehand.

    Args:
        rule: What a boundary looks like.
        text: The text.
        veto: Tells of a text and an offset that match the rule whether they are no boundary.
    """

    def __init__(
        self, rule: Rule, text: str, veto: Callable[[str, int], bool] | None = None
    ) -> None:
        self._forward = rule.forward.search
        self._backward = rule.backward.search
        self._longest = rule.longest
        self._text = text
        self._veto = veto
        needed = [character for character in rule.needs if character in text]
        self._needed = needed[0] if len(needed) == 1 else ""  # of two, the pattern looks for both

    def last(self, low: int, high: int) -> int | None:
        """Return the last boundary in `low..high`."""
        text = self._text
        start = max(0, low - self._longest)
        if text.find(self._needed, start, high) < 0:  # found sooner than by the pattern
            return None
        while match := self._backward(text, start, high):
            high = match.end()
            if high < low:
                return None
            if not self._refused(high):
                return high
            high -= 1
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first boundary in `low..high`."""
        text = self._text
        start = max(0, low - self._longest)
        if text.find(self._needed, start, high) < 0:
            return None
        while match := self._forward(text, start, high):
            start = match.end()
            if start >= low and not self._refused(start):
                return start
        return None

    def _refused(self, at: int) -> bool:
        return joined(self._text, at) or (self._veto is not None and self._veto(self._text, at))


_LINE_BREAK = r"(?: \n | \r\n? )"
_SPACE = r"[\s\x1c-\x1f]"  # what str.isspace() says
_CLOSERS: Final = re.escape(CLOSERS)
_STOP = r"[\p{Sentence_Terminal}\u2026]"  # the property is found in half the time of a list
_SENTENCE = rf"(?<= {_STOP} [{_CLOSERS}\xab\u201c\u2018]{{0,4}} ) \s"
_CLAUSE = rf"(?<= [,;:\u2013\u2014\u060c\u061b] ) {_SPACE}"
# Scripts that put no white space behind a stop.
_WIDE: Final = "\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f\uff61\uff64"
_WIDE_SENTENCE = rf"[\u3002\uff01\uff1f\uff61] [{_CLOSERS}]{{0,4}}+"
_WIDE_CLAUSE = r"[\u3001\uff0c\uff1a\uff1b\uff64]"

_BLANK = r"[^\S\r\n]"
BLANK_LINE: Final = Rule(  # the two characters of CRLF are one break
    rf"(?: \n {_BLANK}{{0,60}}+ {_LINE_BREAK} | \r (?: \r\n? | {_BLANK}{{1,60}}+ {_LINE_BREAK} ) )",
    64,
    needs="\n\r",
)
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
    lines = [Pattern(rule, text) for rule in (BLANK_LINE, LINE) if "\n" in text or "\r" in text]
    return [
        *lines,
        Pattern(sentence, text, veto=no_end),
        Pattern(clause, text),
        Pattern(WORD, text),
    ]


def joined(text: str, at: int) -> bool:
    """Tell whether the character at `at` belongs to the break or space before it."""
    character = text[at : at + 1]
    if character < "\u0300":
        return character == "\n" and text[at - 1] == "\r"
    if character < "\uff00" and character.isalpha():  # halfwidth forms are letters and marks
        return character in _VOWEL_SIGNS
    return _MARK.match(character) is not None


def between_clusters(text: str, start: int, at: int) -> bool:
    """Tell whether `at` is between two grapheme clusters; `start` must be such an offset itself."""
    pair = text[at - 1 : at + 1]
    if at <= start or at >= len(text) or _parted(pair):
        return True
    return _JOINED.fullmatch(pair) is None and grapheme_floor(text, start, at) == at


def grapheme_floor(text: str, start: int, at: int) -> int | None:
    """Return the last offset in `start+1..at` between two grapheme clusters.

    `start` must be such an offset itself. Only the neighbourhood of `at` is looked at, in steps
    that grow as long as one cluster fills it; a run of flags up to where it, or the range, begins.
    """
    if at >= len(text) or _parted(text[at - 1 : at + 1]):
        return at
    back = _CLUSTER_LOOK_BEHIND
    while True:
        begin = _between_flags(text, start, max(at - back, start))
        ends = [begin + match.end() for match in _CLUSTER.finditer(text[begin : at + 1])]
        inside = [end for end in ends if end <= at]
        if begin == start or len(inside) > 1:  # the first may end a cluster begun before
            return inside[-1] if inside else None
        back *= 8


def _parted(pair: str) -> bool:
    return (pair.isascii() and pair[0] != "\r") or _PARTED.match(pair) is not None


def _between_flags(text: str, start: int, at: int) -> int:
    """Move an offset in a run of flags to where one begins: each flag is two characters."""
    before = _NO_FLAG.search(text, start, at)
    return at - (at - (before.end() if before else start)) % 2


def grapheme_ceil(text: str, start: int, at: int, end: int) -> int:
    """Return the first offset in `at..end` between two grapheme clusters, or `end`.

    `start` must be such an offset itself.
    """
    begin = grapheme_floor(text, start, at) or start
    if begin == at:
        return at
    cluster = _CLUSTER.match(text[begin:end])
    return begin + cluster.end() if cluster else end
