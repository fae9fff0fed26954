"""Where sentences end: `sentencex` proposes, our rules veto and add.

An end is the offset where the next sentence starts. The vetoes are the rule of `stops`. The additions
are the stops of other scripts, a stop before a closing bracket, an ellipsis, a Greek question mark, an
abbreviation that closes a list, and a blank line.
"""

from __future__ import annotations

import re
from array import array
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import regex

from langchain_mchunk.abbreviations import Abbreviations, abbreviations
from langchain_mchunk.spans import rstrip_blank, skip_blank
from langchain_mchunk.stops import CLOSERS, FOREIGN_STOPS, OWN_STOPS, capital, no_end, opens, stops_before

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

ENDERS: Final = tuple(OWN_STOPS + FOREIGN_STOPS)
"""The characters that end sentences if the caller names no others."""

# Of more than 10 KB of UTF-8, sentencex cuts pieces at blank lines, which it loses; and the more quotes
# a paragraph leaves open, the slower it gets.
_BLOCK: Final = 9_600  # characters, if all are ASCII
_WIDE_BLOCK: Final = 2_400  # up to four bytes each

# White space on which sentencex fails before an initial: all that is not ASCII.
_ODD_SPACES: Final = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_SPACED: Final = frozenset(stop + space for stop in ".!?" for space in " \n")
_LIKELY_ENDS: Final = (". ", "! ", "? ", ".\n", "\u3002", "\uff01", "\uff1f", "\u0964 ", "\u06d4 ")
_LOOK_BEHIND: Final = 256  # characters of white space in which a blank line is looked for

_STOPS = re.escape(OWN_STOPS + FOREIGN_STOPS)
_CLOSERS = re.escape(CLOSERS)
_CLOSED = rf"(?:[{_CLOSERS}]|[\u201c\u2018](?!\w))*\s*"  # what closes in German opens in English
_THEN_SPACE = rf"[{_CLOSERS}\u201c\u2018]*\s+"
_BEHIND_STOP = rf"(?:(?<=[{_STOPS}].)|(?<=[{_STOPS}][{_CLOSERS}].))"

_AFTER_STOP: Final = re.compile(_CLOSED)
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n\s*")
_BLANK_LINE_CR: Final = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")
_SENTENCE_TERMINAL: Final = regex.compile(r"\p{Sentence_Terminal}")

# By their first character: a pattern that begins with one is found many times faster.
_STOPPED: Final = {
    **{bracket: re.compile(rf"\{bracket}{_BEHIND_STOP}{_THEN_SPACE}") for bracket in ")]}"},
    "\u2026": re.compile(rf"\u2026[{_STOPS}]*{_THEN_SPACE}"),
}
_GREEK_QUESTION: Final = {
    mark: re.compile(rf"{mark}(?<=[\u0370-\u03ff\u1f00-\u1fff].){_THEN_SPACE}")
    for mark in ";\u037e"
}


class _Language(NamedTuple):
    code: str
    words: Abbreviations
    doubtful: frozenset[str]  # the last two letters of its abbreviations
    stopped: Mapping[str, re.Pattern[str]]  # ends that sentencex does not see, by first character


def sentence_ends(
    text: str, language: str = "en", enders: Collection[str] = ENDERS
) -> array[int]:
    """Find the offsets where a sentence starts, in order, but not that of the first one.

    Args:
        text: The text; time and memory are linear in it.
        language: An ISO 639 code, such as `"de"`.
        enders: The only characters that may end a sentence, beside a blank line. One that is neither
            among `.!?` nor a Sentence_Terminal of Unicode ends it before white space, whatever follows.
    """
    low, high = skip_blank(text, 0, len(text)), rstrip_blank(text, 0, len(text))
    finder = _Finder(text, _language(language))
    select = None if set(enders) == set(ENDERS) else _Selection(enders)
    ends = array("q")
    for start, end in _blocks(text, low, high):
        found = finder.ends(start, end)
        if select:
            found = select(text, start, end, found)
        if found and found[-1] >= high:
            found.pop()
        ends.extend(found)
    return ends


def _blocks(text: str, at: int, high: int) -> Iterator[tuple[int, int]]:
    """Cut a text into blocks for sentencex: at a blank line, else behind a stop, else at a space."""
    while at < high:
        end = at + (_BLOCK if text[at : at + _BLOCK].isascii() else _WIDE_BLOCK)
        end = _cut(text, at + 1, end) if end < high else high
        yield at, end
        at = end


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


class _Finder:
    """Finds the ends of one text, block by block."""

    def __init__(self, text: str, rules: _Language) -> None:
        self._text = text
        self._rules = rules
        wide = not text.isascii()
        self._foreign = _foreign("".join(c for c in FOREIGN_STOPS if wide and c in text))
        self._odd = [space for space in _ODD_SPACES if wide and space in text]

    def ends(self, start: int, end: int) -> list[int]:
        """Return the ends in `start+1..end`, in order."""
        found = self._proposed(start, end)
        added = self._added(start, end)
        return sorted({*found, *added}) if added else found

    def _proposed(self, start: int, end: int) -> list[int]:
        """Return what sentencex proposes and no rule forbids.

        Nearly all of a long text's time is spent here: a border between a plain word with a stop and a
        letter that may begin a sentence is taken without a closer look.
        """
        found = []
        at, plain, doubtful = start, False, self._rules.doubtful
        for piece in self._pieces(start, end):
            if plain and opens(piece[0]):
                found.append(at)
            elif at > start and not piece.isspace():
                first = at + len(piece) - len(piece.lstrip())
                if self._holds(first):
                    found.append(first)
            at += len(piece)
            tail = piece[-4:-2]
            plain = piece[-2:] in _SPACED and tail.isalpha() and tail not in doubtful
        return found

    def _pieces(self, start: int, end: int) -> list[str]:
        """Return what sentencex makes of a block; joined, its pieces are the block."""
        block = self._text[start:end].rstrip()
        for space in self._odd:
            block = block.replace(space, " ")
        try:
            return _segment(self._rules.code, block)
        except UnicodeEncodeError:  # half characters
            return _segment(self._rules.code, block.encode("utf-8", "replace").decode())

    def _holds(self, at: int) -> bool:
        """Tell whether a proposal is an end: behind white space, or behind a stop that needs none."""
        if self._text.startswith("\n\n", at - 2):
            return True
        if self._text[at - 1].isspace():
            return not no_end(self._text, at, self._rules.words)
        last = stops_before(self._text, at)[-1:]
        return last != "" and last in FOREIGN_STOPS and self._text[at] not in CLOSERS

    def _added(self, start: int, end: int) -> list[int]:
        """Return the ends that sentencex does not see, in any order."""
        text = self._text
        blank_line = _BLANK_LINE_CR if text.find("\r", start, end) >= 0 else _BLANK_LINE
        added = self._matches(blank_line, start, end)
        if self._foreign:
            added += self._matches(self._foreign, start, end)
        questions = self._all(_GREEK_QUESTION, start, end)
        added += [at for at in questions if capital(text, at)]
        stopped = self._all(self._rules.stopped, start, end)
        if stops_before(text, end):
            stopped.append(end)
        return added + [at for at in stopped if not no_end(text, at, self._rules.words)]

    def _all(self, patterns: Mapping[str, re.Pattern[str]], start: int, end: int) -> list[int]:
        found = []
        for character, pattern in patterns.items():
            if self._text.find(character, start, end) >= 0:
                found += self._matches(pattern, start, end)
        return found

    def _matches(self, pattern: re.Pattern[str], start: int, end: int) -> list[int]:
        return [match.end() for match in pattern.finditer(self._text, start, end)]


class _Selection:
    """Ends by the characters that the caller chose."""

    def __init__(self, enders: Collection[str]) -> None:
        self._enders = frozenset(enders)
        others = self._enders.difference(ENDERS)
        alone = frozenset(c for c in others if c.isspace() or _SENTENCE_TERMINAL.match(c))
        self._others = [
            re.compile(rf"[{re.escape(''.join(stops))}]+{then}")
            for stops, then in ((alone, _CLOSED), (others - alone, _THEN_SPACE))
            if stops
        ]

    def __call__(self, text: str, start: int, end: int, found: Iterable[int]) -> list[int]:
        """Return the ends of a block: of those found, the ones by chosen characters; all by others."""
        kept = {at for at in found if self._chosen(text, at)}
        for pattern in self._others:
            kept.update(match.end() for match in pattern.finditer(text, start, end))
        return sorted(kept)

    def _chosen(self, text: str, at: int) -> bool:
        if not self._enders.isdisjoint(stops_before(text, at)):
            return True
        before = text[max(0, at - _LOOK_BEHIND) : at]
        return bool(_BLANK_LINE_CR.search(before, len(before.rstrip())))


def _segment(language: str, block: str) -> list[str]:
    from sentencex import segment  # noqa: PLC0415 - packing needs no sentencex

    pieces: list[str] = segment(language, block)
    return pieces


@cache
def _foreign(stops: str) -> re.Pattern[str] | None:
    """Return a pattern of ends by stops of other scripts; a decimal point is none."""
    return re.compile(rf"[{stops}](?<!\uff0e(?=\d))[{_STOPS}]*{_CLOSED}") if stops else None


@cache
def _language(code: str) -> _Language:
    """Prepare the rules of a language."""
    words = abbreviations(code)
    forms = {form for word in words.never | words.may for form in (word, word.title(), word.upper())}
    # Those with inner stops may be written with spaces, too.
    lists = sorted({form for word in words.lists for form in (word, word.replace(".", ". "))})
    behind = "|".join(rf"(?<=\b{re.escape(form)}\.)" for form in lists)
    stopped = {**_STOPPED, ".": re.compile(rf"\.(?:{behind}){_THEN_SPACE}")} if lists else _STOPPED
    return _Language(code, words, frozenset(form[-2:] for form in forms), stopped)
