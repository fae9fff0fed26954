"""Which proposed ends of sentences need no closer look.

Plain ones, which no rule forbids, stand before a letter that may begin a sentence and behind one or
two blanks and `!`, `?`, a closing quote or bracket behind a stop, or a full stop behind a word that
is no abbreviation.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from langchain_mchunk.characters import (
    CAPITAL,
    CLOSER,
    FOREIGN,
    FULL_STOP,
    LETTER,
    LINE_FEED,
    MARK,
    PUNCTUATION,
    SMALL,
    SPACE,
    Characters,
    Flags,
    Offsets,
    are,
    kinds,
    packed,
)

_BEFORE: Final = 6  # characters that are looked at before an offset
_WINDOW: Final = np.arange(-_BEFORE, 2)[:, None]


class Surroundings:
    """The few characters around each offset, a row for each place: the last but one is the offset.

    `ending` are the kinds of the last four characters before white space, of one blank or two, and
    `word` the first three of them.
    """

    def __init__(self, characters: Characters, at: Offsets) -> None:
        self._codes = characters.at(at + _WINDOW)
        self._kinds = kinds(self._codes)
        *_, last, self._space, self._first, _ = self._kinds
        two = are(last, SPACE)
        self._ending = np.where(two, self._kinds[:4], self._kinds[1:5])
        self._word = np.where(two, self._codes[:3], self._codes[1:4])

    def plain(self, shortened: Flags) -> Flags:
        """Tell which are ends for certain; `shortened` are the endings of abbreviations."""
        *_, before, last = self._ending
        closed = are(last, CLOSER) & are(before, FULL_STOP | MARK)
        worded = are(last, FULL_STOP) & self._behind_word(shortened)
        stopped = are(last, MARK) | closed | worded
        return stopped & are(self._space, SPACE) & are(self._first, CAPITAL)

    def _behind_word(self, shortened: Flags) -> Flags:
        """Tell which stops stand behind no number and no shortened word."""
        third, second, last, _ = self._ending
        letters = are(second, LETTER) & are(last, LETTER)
        letters &= are(third, LETTER) | (self._word[0] == ord(" "))
        listed = shortened[packed(self._word, self._ending[:3])]
        return (letters & ~listed) | are(last, PUNCTUATION)

    def settled(self) -> Flags:
        """Tell which need no look, as they are no ends or others find them.

        They are right behind a letter or a stop that needs white space, behind a word without a
        stop, before a small letter, at an empty line or right behind it, or behind a stop of
        another script and no more than two characters.
        """
        before, last, here, following = self._codes[_BEFORE - 2 :] == LINE_FEED
        empty: Flags = (before & last) | (here & following)
        foreign = are(np.bitwise_or.reduce(self._kinds[_BEFORE - 3 : _BEFORE]), FOREIGN)
        bare = are(self._space, LETTER | FULL_STOP | MARK)
        word = are(self._ending[-1], LETTER) | are(self._first, SMALL)
        return empty | foreign | bare | (word & are(self._space, SPACE))
