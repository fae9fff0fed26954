"""The characters of a text by kinds, read by numpy for many places at once."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from langchain_mchunk.boundaries import joined
from langchain_mchunk.stops import FOREIGN_STOPS, OPENING, WHITE_SPACE

Codes: TypeAlias = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Kinds: TypeAlias = npt.NDArray[np.uint16]
Offsets: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

# Kinds of characters, as bits.
CAPITAL, SMALL, BLANK, LINE_END, FULL_STOP, MARK, CLOSER, PUNCTUATION, FOREIGN = (
    1 << bit for bit in range(9)
)
LETTER: Final = CAPITAL | SMALL
SPACE: Final = BLANK | LINE_END
_LISTED: Final = {
    WHITE_SPACE: BLANK,
    ".": FULL_STOP,
    "!?": MARK,
    "\"')]}": CLOSER,
    "\"')]}*_`%>": PUNCTUATION,  # ends no abbreviation
    FOREIGN_STOPS: FOREIGN,
}
_FIVE_BITS: Final = 31
_LETTERS_END: Final = 0x1000  # the scripts that write a full stop stand before it
_EAST_ASIAN: Final = ((0x3041, 0x3097), (0x30A1, 0x30FB), (0x3400, 0x4DC0), (0x4E00, 0xA000))
_KINDS_END: Final = 0x20000  # all stops stand before it
LINE_FEED, _RETURN, _LAST_ASCII, _NEXT_LINE, _NO_BREAK = map(ord, "\n\r\x7f\x85\xa0")
_FIRST_STOP: Final = ord(min(FOREIGN_STOPS))
_FIRST_MARK: Final = 0x300  # of those that join characters
_PAD: Final = "\0" * 8  # more than is looked at to either side
_LAST_THREE: Final = np.array([[-3], [-2], [-1]])
_NOWHERE: Final = np.empty(0, np.int64)
_MANY: Final = 1 / 16
_FAR: Final = 1 << 62


class Characters:
    """The characters of a text, to be looked at around many offsets at once."""

    def __init__(self, text: str) -> None:
        padded = f"{_PAD}{text}{_PAD}"
        encoding, size = ("ascii", "u1") if text.isascii() else ("utf-16-le", "<u2")
        code = padded.encode(encoding, "surrogatepass")
        if len(code) > 2 * len(padded):
            code, size = padded.encode("utf-32-le", "surrogatepass"), "<u4"
        self._codes: Codes = np.frombuffer(code, size)
        self._text = text

    def at(self, offsets: Offsets) -> Codes:
        """Return the characters at offsets; there are zeros around the text."""
        return self._codes.take(offsets + len(_PAD), mode="clip")

    def may_be_joined(self, at: Offsets) -> Flags:
        """Tell where a character may belong to the white space before it: see `joined`."""
        codes = self.at(at)
        return (codes >= _FIRST_MARK) & ~are(kinds(codes), LETTER)

    def foreign_stops(self) -> tuple[Offsets, Offsets]:
        """Find the stops of other scripts: where the text goes on behind those that are alone.

        The others are given by their own offsets.
        """
        at = self._beyond_ascii(FOREIGN)
        following, second = kinds(self.at(at + 1)), kinds(self.at(at + 2))
        spaced = are(following, SPACE)
        alone = are(np.where(spaced, second, following), LETTER)
        return (at + 1 + spaced)[alone], at[~alone]

    def further_stops(self, added: Flags) -> Offsets:
        """Find what may end a sentence that sentencex does not see.

        These are closing brackets behind a stop, ellipses, and full stops behind words whose
        endings are `added`.
        """
        ellipses = self._find("\u2026")
        return np.concatenate((self._closing_brackets(), self._listed(added), ellipses))

    def _closing_brackets(self) -> Offsets:
        at = self._find(")]}")
        last, second = self._may_stop(at - 1), self._may_stop(at - 2)
        return at[last | (are(kinds(self.at(at - 1)), CLOSER) & second)]

    def _listed(self, words: Flags) -> Offsets:
        at = self._find(".") if words.any() else _NOWHERE
        before = self.at(at + _LAST_THREE)
        return at[words[packed(before, kinds(before))]]

    def greek_questions(self) -> Offsets:
        """Find the semicolons that may stand behind a Greek letter."""
        at = self._find(";\u037e")
        return at[self.at(at - 1) > _LAST_ASCII]

    def _find(self, characters: str) -> Offsets:
        codes = (ord(character) for character in characters if character in self._text)
        found = [np.flatnonzero(self._codes == code) - len(_PAD) for code in codes]
        return np.concatenate(found) if found else _NOWHERE

    def _may_stop(self, at: Offsets) -> Flags:
        codes = self.at(at)
        return are(kinds(codes), FULL_STOP | MARK) | (codes > _LAST_ASCII)

    def odd(self) -> Offsets:
        """Find the blank lines that hold blanks, and the white space beyond ASCII."""
        lines, _ = self._spaced_lines
        return np.union1d(lines, self._beyond_ascii(SPACE))

    def _beyond_ascii(self, wanted: int) -> Offsets:
        at, found = self._special
        return at[are(found, wanted)]

    def behind_blank_lines(self) -> Offsets:
        """Find where the text goes on behind blank lines."""
        _, ends = self._blank_lines
        at = self._past_blanks(ends + 1, 1)
        return at[~are(kinds(self.at(at)), SPACE)]

    def at_spaced_lines(self, at: Offsets) -> Flags:
        """Tell which offsets are in a blank line that holds blanks, or right behind it."""
        starts, ends = (np.append(lines, _FAR) for lines in self._spaced_lines)
        within: Flags = starts[np.searchsorted(ends + 1, at)] <= at
        return within

    @cached_property
    def _spaced_lines(self) -> tuple[Offsets, Offsets]:
        starts, ends = self._blank_lines
        spaced = starts < ends
        return starts[spaced], ends[spaced]

    @cached_property
    def _blank_lines(self) -> tuple[Offsets, Offsets]:
        """Where blank lines start, and their last characters."""
        line_ends = self._codes == LINE_FEED
        if "\r" in self._text:
            returns = self._codes == _RETURN
            returns[:-1] &= ~line_ends[1:]
            line_ends |= returns
        last = np.flatnonzero(line_ends) - len(_PAD)
        before = last - 1
        if "\r" in self._text:
            before -= (self.at(last) == LINE_FEED) & (self.at(before) == _RETURN)
        before = self._past_blanks(before, -1)
        blank = are(kinds(self.at(before)), LINE_END)
        return before[blank] + 1, last[blank]

    def _past_blanks(self, at: Offsets, step: int) -> Offsets:
        """Move offsets by `step` until they are at no blank."""
        left, width = np.flatnonzero(are(kinds(self.at(at)), BLANK)), 2
        while left.size:
            blank = are(kinds(self.at(at[left, None] + step * np.arange(width))), BLANK)
            passed = np.where(blank.all(axis=1), width, blank.argmin(axis=1))
            at[left] += step * passed
            left = left[passed == width]
            width *= 2
        return at

    @cached_property
    def _special(self) -> tuple[Offsets, Kinds]:
        """Where white space beyond ASCII and stops of other scripts may be, and their kinds."""
        if self._codes.itemsize == 1:
            return _NOWHERE, kinds(self.at(_NOWHERE))
        codes = self._codes
        may_be = (codes >= _FIRST_STOP) | (codes == _NEXT_LINE) | (codes == _NO_BREAK)
        if np.count_nonzero(may_be) > codes.size * _MANY:  # dense ones take longer to be listed
            may_be &= are(kinds(codes), FOREIGN | SPACE)
        at = np.flatnonzero(may_be)
        return at - len(_PAD), kinds(codes[at])


def kinds(codes: Codes) -> Kinds:
    """Return what kind each character is."""
    return _table().take(codes, mode="clip")


def are(given: Kinds, wanted: int) -> Flags:
    """Tell which kinds are among those wanted."""
    flags: Flags = (given & wanted) > 0
    return flags


def packed(codes: Codes, given: Kinds) -> Offsets:
    """Pack the last three letters of words into one number each, whatever their case.

    Five bits a letter; of a word of fewer the last ones. Row by row: the third last, and so on.
    """
    letters = are(given, LETTER)
    third, second, last = np.where(letters, codes & _FIVE_BITS, 0).astype(np.int64)
    numbers: Offsets = (third * letters[1]) << 10 | second << 5 | last
    return numbers


@cache
def endings(words: frozenset[str]) -> Flags:
    """Mark the last letters of words, packed."""
    letters = [[*map(ord, f"   {word}"[-3:])] for word in words]
    codes = np.array(letters, np.uint32).reshape(-1, 3).T
    marked = np.zeros(1 << 15, np.bool_)
    marked[packed(codes, kinds(codes))] = True
    return marked


@cache
def _table() -> Kinds:
    """List the kinds of characters; the last stands for all that are not listed."""
    table = np.zeros(_KINDS_END, np.uint16)
    for code, character in enumerate(map(chr, range(_LETTERS_END))):
        if character.isalpha() and not joined(f" {character}", 1):
            table[code] = CAPITAL if OPENING[character] else SMALL
    for first, end in _EAST_ASIAN:  # the letters of Chinese and Japanese
        table[first:end] = CAPITAL
    for characters, kind in _LISTED.items():
        table[[ord(character) for character in characters]] |= kind
    table[[LINE_FEED, _RETURN]] = LINE_END
    return table
