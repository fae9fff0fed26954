"""Which stops end a sentence: all but those before a small letter and those of shortened words.

The rule reads a few characters to each side of a border, so it costs the same in any text. It
serves the search for whole sentences and, for all languages at once, the windows of packing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from langchain_mchunk.abbreviations import OPENING_WORDS, Abbreviations, abbreviations

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN_STOPS: Final = ".!?\u2026"
"""The stops that need white space behind them."""

FOREIGN_STOPS: Final = (
    "\u0589\u061d\u061e\u061f\u06d4\u0700\u0701\u0702\u07f9\u0837\u0839\u083d\u083e\u0964\u0965"
    "\u104a\u104b\u1362\u1367\u1368\u166e\u1735\u1736\u17d4\u17d5\u1803\u1809\u1944\u1945\u1aa8"
    "\u1aa9\u1aaa\u1aab\u1b4e\u1b4f\u1b5a\u1b5b\u1b5e\u1b5f\u1b7d\u1b7e\u1b7f\u1c3b\u1c3c\u1c7e"
    "\u1c7f\u203c\u203d\u2047\u2048\u2049\u2cf9\u2cfa\u2cfb"
    "\u2e2e\u2e3c\u2e53\u2e54\u3002\ua4ff\ua60e\ua60f\ua6f3\ua6f7\ua876\ua877\ua8ce\ua8cf\ua92f"
    "\ua9c8\ua9c9\uaa5d\uaa5e\uaa5f\uaaf0\uaaf1\uabeb\ufe12\ufe15\ufe16\ufe52"
    "\ufe56\ufe57\uff01\uff0e\uff1f\uff61"
    "\U00010a56\U00010a57\U00010f55\U00010f56\U00010f57\U00010f58\U00010f59\U00010f86"
    "\U00010f87\U00010f88\U00010f89\U00011047\U00011048\U000110be\U000110bf\U000110c0"
    "\U000110c1\U00011141\U00011142\U00011143\U000111c5\U000111c6\U000111cd\U000111de"
    "\U000111df\U00011238\U00011239\U0001123b\U0001123c\U000112a9\U000113d4\U000113d5"
    "\U0001144b\U0001144c\U000115c2\U000115c3\U000115c9\U000115ca\U000115cb\U000115cc"
    "\U000115cd\U000115ce\U000115cf\U000115d0\U000115d1\U000115d2\U000115d3\U000115d4"
    "\U000115d5\U000115d6\U000115d7\U00011641\U00011642\U0001173c\U0001173d\U0001173e"
    "\U00011944\U00011946\U00011a42\U00011a43\U00011a9b\U00011a9c\U00011c41\U00011c42"
    "\U00011ef7\U00011ef8\U00011f43\U00011f44\U00016a6e\U00016a6f\U00016af5\U00016b37"
    "\U00016b38\U00016b44\U00016d6e\U00016d6f\U00016e98\U0001bc9f\U0001da88"
)
"""The others of Unicode's Sentence_Terminal (PropList.txt), but the dot of leaders, U+2024."""

CLOSERS: Final = (
    "\"')]}\u2019\u201d\u203a\xbb\u300b\u300d\u300f\u3011\u3015\u3009\uff09\uff3d\uff5d\uff63"
)
"""Quotes and brackets that close behind a stop."""

_CLOSING: Final = tuple(CLOSERS)
WHITE_SPACE: Final = "".join(filter(str.isspace, map(chr, range(0x3001))))
_BEHIND_STOPS: Final = CLOSERS + "\xab\u2039\u201c\u2018" + WHITE_SPACE
_OPENERS: Final = "\"'([{\xab\xbb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a\xbf\xa1*_`~"
_FIRST_WORD: Final = (
    re.compile(  # quotes, brackets, dashes and marks of emphasis may stand before it
        r"""[\s"'()\[\]{}\xab\xbb\xbf\xa1\u2010-\u201f\u2039\u203a\u3008-\u3011\u3014-\u301b*_`~-]{0,16}+
    ([^\W\d_]{1,24}+ \.?)""",
        re.VERBOSE,
    )
)
_NOTE: Final = re.compile(r"\[\d{1,3}\Z")
_ORDINAL: Final = re.compile(r"\b\d{1,3}\.\Z")
_ROMAN: Final = re.compile(r"\W*+[IVXL\u0406\u0425]{1,7}")  # with Cyrillic I and X
_INITIALS: Final = re.compile(r"[^\W\d_](?:\.-?[^\W\d_])*+\.")
_ELIDED: Final = re.compile(r"['\u2019][^.'\u2019]++\.\Z")
_LAST_PART: Final = re.compile(r"[^.'\u2019]++\.\Z")
_LINE_ENDS: Final = ("", "\n", "\r")
_ITEM: Final = 4  # characters of three digits and their stop
_LETTER: Final = 2  # characters of a letter and its stop
_LOOK_BEHIND: Final = 48  # characters; no shortened word is longer


class _Opening(dict[str, bool]):
    """Whether a sentence may begin with a letter: one that is not small. Found once a letter.

    Georgian letters count as small in Unicode, but sentences begin with them.
    """

    def __missing__(self, letter: str) -> bool:
        small = letter.islower() and not "\u10d0" <= letter <= "\u10ff"
        self[letter] = letter[:1].isalpha() and not small
        return self[letter]


OPENING: Final = _Opening()


def no_end(text: str, at: int, words: Abbreviations | None = None) -> bool:
    """Tell whether the stop before `at` ends no sentence.

    Args:
        text: The text.
        at: Where the next sentence would start, or white space before it; closers, too, may stand
            behind the stop.
        words: The abbreviations of the language; not given: those of all languages.
    """
    before = text[at - _LOOK_BEHIND if at > _LOOK_BEHIND else 0 : at].rstrip()
    if not before.isascii() and before.rstrip(CLOSERS)[-1:] in FOREIGN_STOPS:
        return text.startswith(_CLOSING, at) and not text[at - 1].isspace()
    if not OPENING[text[at : at + 1]]:
        word = _following(text, at)
        if word and not OPENING[word[0]]:
            return True
    if before[-1:] != "." or before.endswith(".."):
        return False
    words = words or abbreviations()
    token = before.rsplit(None, 1)[-1]
    if len(token) > _LETTER and token[:-1].isalpha() and token not in words.tokens:
        return False  # a plain word: the common case
    token = token.lstrip(_OPENERS)
    return _begins_item(before, token) or _shortened(before, token, _following(text, at), words)


def _following(text: str, at: int) -> str:
    """Return the first word of the next sentence, with its stop, if it begins with letters."""
    match = _FIRST_WORD.match(text, at)
    return match[1] if match else ""


def capital(text: str, at: int) -> bool:
    """Tell whether the next sentence would begin with a capital."""
    return _following(text, at)[:1].isupper()


def stops_before(text: str, at: int) -> str:
    """Return the stops before `at`; white space, closers and note marks may stand between."""
    before = text[max(0, at - _LOOK_BEHIND) : at].rstrip(_BEHIND_STOPS)
    while before[-1:].isdigit() and (note := _NOTE.search(before)):  # `sentence.[1] Next`
        before = before[: note.start()].rstrip(_BEHIND_STOPS)
    return before[len(before.rstrip(OWN_STOPS + FOREIGN_STOPS)) :]


def _shortened(before: str, token: str, following: str, words: Abbreviations) -> bool:
    """Tell whether `token`, the end of `before`, is a shortened word or number with its stop."""
    if len(token) == len(following) == _LETTER and following.endswith("."):  # `z. B.`
        return True
    if len(following) > _LETTER:  # no initial
        following = following.removesuffix(".")
    for name in _names(before, token, words):
        if name in words.never:
            return True
        opens = following[:1].isupper()
        if name in words.may:
            return not opens
        if name in words.names:
            return not (opens and (following in OPENING_WORDS or _counted(before)))
    if token.isupper() and _INITIALS.fullmatch(token):
        return following not in OPENING_WORDS
    numbered = token[-2:-1].isdigit() and _ORDINAL.search(token) is not None
    return numbered and _counts(before, following, words)


def _begins_item(before: str, token: str) -> bool:
    """Tell whether a number with its stop begins a line, as an item of a list."""
    if len(token) > _ITEM or not token[:-1].isdigit():
        return False
    return before[: -len(token)].removesuffix("(").rstrip(" \t")[-1:] in _LINE_ENDS


def _counts(before: str, following: str, words: Abbreviations) -> bool:
    """Tell whether a number with a stop is an ordinal: `3. Mai`, `im 19. Jahrhundert`."""
    article = "".join(before.split()[-2:-1]).lower()
    return following in words.months or (
        article in words.articles and following not in OPENING_WORDS
    )


def _counted(before: str) -> bool:
    """Tell whether a number stands before the last word."""
    number = "".join(before.split()[-2:-1])
    return number[-1:].isdigit() or _ROMAN.fullmatch(number) is not None


def _names(before: str, token: str, words: Abbreviations) -> Iterator[str]:
    """Yield what the abbreviation at the end of `before` may be listed as, the longest first."""
    part = _LAST_PART.search(token)
    if part is None or part[0] not in words.tokens:
        return
    parts = before.split()[-3:-1]  # written apart, as `z. B.` or `и т. д.`
    for i in range(len(parts) + 1):
        name = "".join(parts[i:]).lstrip(_OPENERS) + token[:-1]
        yield name
        if len(name) > 1 and not name.islower():  # one capital is an initial
            yield name.lower()
    if _ELIDED.search(token):  # behind an article, as `l'avv.`
        yield part[0][:-1].lower()
