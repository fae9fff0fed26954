"""Which proposed ends of sentences need no closer look.

Plain ones, which no rule forbids, stand before a letter that may begin a sentence and behind one or
two blanks and `!`, `?`, a closing quote or bracket behind a stop, or a full stop behind a word that
is no abbreviation. numpy reads the few characters around each, for many ends at once.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from langchain_mchunk.boundaries import joined
from langchain_mchunk.stops import FOREIGN_STOPS, OPENING, WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Iterable

Codes: TypeAlias = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
Offsets: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

# Kinds of characters, as bits.
_OPENING, _SMALL, _SPACE, _FULL_STOP, _MARK, _CLOSER, _PUNCTUATION, _FOREIGN = (
    1 << bit for bit in range(8)
)
_LETTER: Final = _OPENING | _SMALL
_LETTERS_END: Final = 0x1000  # the scripts that write a full stop stand before it
_KINDS_END: Final = 0x20000  # all stops stand before it
_LISTED: Final = {
    WHITE_SPACE: _SPACE,
    ".": _FULL_STOP,
    "!?": _MARK,
    "\"')]}": _CLOSER,
    "\"')]}*_`%>": _PUNCTUATION,  # ends no abbreviation
    FOREIGN_STOPS: _FOREIGN,
}
_BLANK, _LINE_FEED, _RETURN, _ROUND, _SQUARE, _CURLY, _ASCII = map(ord, " \n\r)]}\x7f")
_FAR: Final = 1 << 62
_PAD: Final = "\0" * 8  # more than is looked at to either side


class Characters:
    """The characters of a text, to be looked at around many offsets at once."""

    def __init__(self, text: str) -> None:
        encoding, size = ("ascii", "u1") if text.isascii() else ("utf-32-le", "<u4")
        code = f"{_PAD}{text}{_PAD}".encode(encoding, "surrogatepass")
        self._codes: Codes = np.frombuffer(code, size)
        self._has_returns = "\r" in text

    def plain(self, at: Offsets, tokens: frozenset[str]) -> Flags:
        """Tell which offsets are ends for certain; `tokens` are abbreviations with their stop."""
        last = at - 2 - self._are(at - 2, _SPACE)  # the last character before the blanks
        closed = self._are(last, _CLOSER) & self._are(last - 1, _FULL_STOP | _MARK)
        worded = self._are(last, _FULL_STOP) & self._behind_word(last, tokens)
        stopped = self._are(last, _MARK) | closed | worded
        return stopped & self._are(at - 1, _SPACE) & self._are(at, _OPENING)

    def _behind_word(self, stops: Offsets, tokens: frozenset[str]) -> Flags:
        """Tell which stops stand behind no number and no shortened word."""
        letters = self._are(stops - 2, _LETTER) & self._are(stops - 1, _LETTER)
        letters &= self._are(stops - 3, _LETTER) | (self._at(stops - 3) == _BLANK)
        ending = _packed(self._at(stops - by) for by in (3, 2, 1))
        return (letters & ~_endings(tokens)[ending]) | self._are(stops - 1, _PUNCTUATION)

    def settled(self, at: Offsets) -> Flags:
        """Tell which offsets need no look, as they are no ends or others find them.

        They are right behind a letter or a stop that needs white space, behind a word without a
        stop, before a small letter, at an empty line or right behind it, or behind a stop of
        another script and no more than two characters.
        """
        before, last, here, following = (self._at(at + by) == _LINE_FEED for by in (-2, -1, 0, 1))
        empty: Flags = (before & last) | (here & following)
        first, second, third = (self._are(at - by, _FOREIGN) for by in (1, 2, 3))
        bare = self._are(at - 1, _LETTER | _FULL_STOP | _MARK)
        word = self._are(at - 2 - self._are(at - 2, _SPACE), _LETTER) | self._are(at, _SMALL)
        settled = empty | first | second | third | bare | (word & self._are(at - 1, _SPACE))
        rest = np.flatnonzero(~settled)
        settled[rest] = self._at_spaced_line(at[rest])
        return settled

    def _at_spaced_line(self, at: Offsets) -> Flags:
        """Tell which offsets are in a blank line of blanks, or right behind it."""
        starts, ends = (np.append(lines, _FAR) for lines in self._spaced_lines)
        line = np.searchsorted(ends + 1, at)
        return starts[line] <= at

    def foreign_stops(self) -> Offsets:
        """Find the stops of other scripts."""
        return np.flatnonzero(self._kinds & _FOREIGN) - len(_PAD)

    def closing_brackets(self) -> Offsets:
        """Find the closing brackets behind what may be a stop or close behind one."""
        codes = self._codes
        at = np.flatnonzero((codes == _ROUND) | (codes == _SQUARE) | (codes == _CURLY)) - len(_PAD)
        stopped = self._are(at - 1, _FULL_STOP | _MARK | _CLOSER)
        return at[stopped | (self._at(at - 1) > _ASCII)]

    def odd(self) -> Offsets:
        """Find the blank lines that hold blanks, and the white space beyond ASCII."""
        lines, _ = self._spaced_lines
        if self._codes.itemsize == 1:
            return lines
        spaces = np.flatnonzero((self._kinds & _SPACE > 0) & (self._codes > _ASCII)) - len(_PAD)
        return np.union1d(lines, spaces)

    def behind_blank_lines(self) -> Offsets:
        """Find where the text goes on behind blank lines."""
        _, ends = self._blank_lines
        at = self._past_blanks(ends + 1, 1)
        return at[~self._are(at, _SPACE)]

    @cached_property
    def _spaced_lines(self) -> tuple[Offsets, Offsets]:
        """The blank lines that hold blanks."""
        starts, ends = self._blank_lines
        return starts[starts < ends], ends[starts < ends]

    @cached_property
    def _blank_lines(self) -> tuple[Offsets, Offsets]:
        """Where blank lines start, and their last characters."""
        line_ends = self._codes == _LINE_FEED
        if self._has_returns:
            returns = self._codes == _RETURN
            returns[:-1] &= ~line_ends[1:]
            line_ends |= returns
        last = np.flatnonzero(line_ends) - len(_PAD)
        before = last - 1
        if self._has_returns:
            before -= (self._at(last) == _LINE_FEED) & (self._at(before) == _RETURN)
        before = self._past_blanks(before, -1)
        blank = _ends_line(self._at(before))
        return before[blank] + 1, last[blank]

    @cached_property
    def _kinds(self) -> npt.NDArray[np.uint8]:
        return _kinds().take(self._codes, mode="clip")

    def _past_blanks(self, at: Offsets, step: int) -> Offsets:
        """Move offsets by `step` until they are at no blank, or at a line's end."""
        left, width = np.flatnonzero(self._are(at, _SPACE)), 2
        while left.size:
            codes = self._at(at[left, None] + step * np.arange(width))
            blank = _of_kind(codes, _SPACE) & ~_ends_line(codes)
            passed = np.where(blank.all(axis=1), width, blank.argmin(axis=1))
            at[left] += step * passed
            left = left[passed == width]
            width *= 2
        return at

    def _at(self, at: Offsets) -> Codes:
        return self._codes.take(at + len(_PAD), mode="clip")

    def _are(self, at: Offsets, kind: int) -> Flags:
        return _of_kind(self._at(at), kind)


def _ends_line(codes: Codes) -> Flags:
    flags: Flags = (codes == _LINE_FEED) | (codes == _RETURN)
    return flags


def _of_kind(codes: Codes, kind: int) -> Flags:
    """Tell which characters are of a kind."""
    return (_kinds().take(codes, mode="clip") & kind) > 0


@cache
def _kinds() -> npt.NDArray[np.uint8]:
    """Return what kind each character is; the last stands for all that are not listed."""
    kinds = np.zeros(_KINDS_END, np.uint8)
    for code, character in enumerate(map(chr, range(_LETTERS_END))):
        if character.isalpha() and not joined(f" {character}", 1):
            kinds[code] |= _OPENING if OPENING[character] else _SMALL
    for characters, kind in _LISTED.items():
        kinds[[ord(character) for character in characters]] |= kind
    return kinds


@cache
def _endings(tokens: frozenset[str]) -> Flags:
    """Mark the last three letters of abbreviations, packed, blanks before those of fewer."""
    endings = np.zeros(1 << 15, np.bool_)
    for token in tokens:
        last = f"  {token[:-1]}"[-3:]
        endings[_packed(np.array([ord(letter)], np.uint32) for letter in last)] = True
    return endings


def _packed(letters: Iterable[Codes]) -> Offsets:
    """Pack the codes of three letters into one number, whatever their case: five bits of each."""
    first, second, third = (codes.astype(np.int64) & 31 for codes in letters)
    return first << 10 | second << 5 | third
