"""character: a text is cut at one separator, what is then too large at words and characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import Unpack

from langchain_mchunk.checks import check_flag
from langchain_mchunk.separators import CHARACTERS, WORDS, separators_of
from langchain_mchunk.splitters._separated import SeparatedSplitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_mchunk.options import SharedOptions


class CharacterSplitter(SeparatedSplitter):
    """Splits a text at a separator and merges the pieces up to `chunk_size`.

    A piece that is larger is cut at white space, a word that is larger between grapheme clusters.

    Args:
        separator: A string, or several: the first that occurs in the text is used, those after it
            for pieces that are still too large. `""` stands for every character.
        is_separator_regex: The separator is a regular expression.
        chunk_size: Hard limit of a chunk, in units of `length_function`. Only one character that is
            larger alone goes beyond it.
        **options: The shared options, see `BaseSplitter`.

    Raises:
        ValueError: The separator is no regular expression.

    Example:
        >>> splitter = CharacterSplitter(separator=";", chunk_size=6, chunk_overlap=0)
        >>> splitter.split_text("a1;b2;c3;much longer")
        ['a1;b2', 'c3', 'much', 'longer']
    """

    def __init__(
        self,
        *,
        separator: str | Sequence[str] = "\n\n",
        is_separator_regex: bool = False,
        chunk_size: int = 4000,
        **options: Unpack[SharedOptions],
    ) -> None:
        check_flag("is_separator_regex", is_separator_regex)
        several = [separator] if isinstance(separator, str) else separator
        given = separators_of("separator", several, regex=is_separator_regex)
        super().__init__((*given, WORDS, *CHARACTERS), chunk_size=chunk_size, **options)
