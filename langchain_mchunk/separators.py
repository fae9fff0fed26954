"""Separators as they are given, checked once, and laid on each text.

A line feed in a string, or in a language's pattern, stands for any line break; `""` stands for
every character, between grapheme clusters first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, Protocol, TypeAlias

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from langchain_mchunk.breaks import (
    Breaks,
    Characters,
    Clusters,
    Gaps,
    Keep,
    Listed,
    Searched,
    Words,
)

Laid: TypeAlias = Callable[[int, int], Breaks | None]  # the breaks in start:end, if there are any

_LINE_BREAK: Final = r"(?:\r\n?+|\n)"
_LINE_FEED: Final = re.compile(r"\n|(?<!\\)\\n")  # in a pattern: the character, or written out
_SPECIAL: Final = frozenset(r".^$*+?{}[]\|()")  # one of these makes a string a pattern


class Separator(Protocol):
    """Where a text may be parted."""

    def lay(self, text: str, keep: Keep) -> Laid:
        """Lay it on `text`."""


class Delimiter(NamedTuple):
    """A string or a regular expression.

    Attributes:
        pattern: What finds it.
        pattern_cr: What finds it in a text with carriage returns.
        string: The string, if it is one.
    """

    pattern: re.Pattern[str]
    pattern_cr: re.Pattern[str]
    string: str = ""

    def lay(self, text: str, keep: Keep) -> Laid:
        """Lay it on `text`."""
        if self.string and keep and self._stands_alone(text):
            return partial(_searched, text, self.string, keep)
        pattern = self.pattern_cr if "\r" in text else self.pattern
        return partial(_listed, text, pattern, keep)

    def _stands_alone(self, text: str) -> bool:
        """Tell whether each occurrence is a match: none overlap, none is part of a line break."""
        string = self.string
        if "\r" in text and ("\r" in string or "\n" in string):
            return False
        shifts = (n for n in range(1, len(string)) if string.startswith(string[n:]))
        return not any(string[:n] + string in text for n in shifts)


class Fallback(NamedTuple):
    """Where any text may be parted; nothing is dropped there."""

    breaks: Callable[[str, int, int], Breaks]

    def lay(self, text: str, keep: Keep) -> Laid:  # noqa: ARG002 - as any separator
        """Lay it on `text`."""
        return partial(self.breaks, text)


WORDS: Final = Fallback(Words)
CHARACTERS: Final = (Fallback(Clusters), Fallback(Characters))


def separators_of(option: str, given: Sequence[str], *, regex: bool) -> tuple[Separator, ...]:
    """Check and compile the value of an option.

    Raises:
        TypeError: It is no sequence of strings.
        ValueError: It is empty, or one is no regular expression.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(f"{option} must be a list of str, got {given!r}")
    if not given:
        raise ValueError(f'{option} must hold a str, got {given!r}: use [""] for characters')
    for separator in given:
        if not isinstance(separator, str):
            raise TypeError(f"{option} must be a list of str, got {separator!r} in it")
    return tuple(_each(given, partial(_pattern, option) if regex else _string))


def language_separators(language: Language | str) -> tuple[Separator, ...]:
    """Return the separators of a language, as langchain_text_splitters lists them.

    Raises:
        ValueError: It lists none for `language`.
    """
    try:
        given = RecursiveCharacterTextSplitter.get_separators_for_language(Language(language))
    except ValueError as error:
        known = ", ".join(sorted(filter(_has_separators, (item.value for item in Language))))
        raise ValueError(f"language must be one of {known}, got {language!r}") from error
    return tuple(_each(given, _language_pattern))


def _has_separators(language: str) -> bool:
    try:
        RecursiveCharacterTextSplitter.get_separators_for_language(Language(language))
    except ValueError:  # it is named, and no more
        return False
    return True


def _each(given: Sequence[str], make: Callable[[str], Delimiter]) -> Iterator[Separator]:
    """Yield one separator for each string, up to the first `""`, behind which nothing is left."""
    for separator in given:
        if not separator:
            yield from CHARACTERS
            return
        yield make(separator)


def _string(string: str) -> Delimiter:
    pattern = re.escape(string)
    if "\r" in string:
        return Delimiter(re.compile(pattern), re.compile(pattern), string)
    any_line_break = _LINE_BREAK.join(map(re.escape, string.split("\n")))
    return Delimiter(re.compile(pattern), re.compile(any_line_break), string)


def _pattern(option: str, source: str) -> Delimiter:
    if _SPECIAL.isdisjoint(source):
        return _string(source)
    try:
        pattern = re.compile(source)
    except re.error as error:
        raise ValueError(
            f"{option} must hold regular expressions with is_separator_regex, "
            f"got {source!r}: {error}"
        ) from error
    return Delimiter(pattern, pattern)


def _language_pattern(source: str) -> Delimiter:
    if _SPECIAL.isdisjoint(source):
        return _string(source)
    any_line_break = _LINE_FEED.sub(lambda _: _LINE_BREAK, source)
    return Delimiter(re.compile(source), re.compile(any_line_break))


def _searched(text: str, string: str, keep: Keep, start: int, end: int) -> Breaks | None:
    return Searched(text, string, keep, start, end) if text.find(string, start, end) >= 0 else None


def _listed(text: str, pattern: re.Pattern[str], keep: Keep, start: int, end: int) -> Breaks | None:
    found = Listed(text, pattern, keep, start, end) if keep else Gaps(text, pattern, start, end)
    return found or None
