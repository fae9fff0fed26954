"""recursive: a text is cut at the first separator that occurs, what is too large at the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import Unpack

from langchain_mchunk.checks import check_flag
from langchain_mchunk.separators import language_separators, separators_of
from langchain_mchunk.splitters._separated import SeparatedSplitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_text_splitters import Language

    from langchain_mchunk.options import CommonOptions, KeepSeparator

SEPARATORS: Final = ("\n\n", "\n", " ", "")


class RecursiveSplitter(SeparatedSplitter):
    """Splits a text at the first of several separators that occurs in it, and merges the pieces.

    A piece that is larger than `chunk_size` is cut at the separators after that one. Sized in
    characters, with separators that are kept, the chunks are those of LangChain's
    `RecursiveCharacterTextSplitter`; in other units a chunk is measured as emitted. A line feed in
    a separator stands for any line break, and a separator inside a grapheme cluster is none.

    Args:
        separators: In the order they are tried; `""` stands for every character, between grapheme
            clusters first. Without it, a piece that has none of the others stays whole, however
            large.
        is_separator_regex: The separators are regular expressions, each read on a piece by itself.
        language: A `Language` of langchain_text_splitters, or its value, whose separators are used
            instead.
        keep_separator: `"start"` or `True`: a separator begins the next chunk; `"end"`: it ends
            this one; `False`: it is dropped at chunk borders only.
        chunk_size: Hard limit of a chunk, in units of `length_function`. Only one character that is
            larger alone, or a piece without a separator, goes beyond it.
        **options: The shared options, see `BaseSplitter`.

    Raises:
        ValueError: A separator is no regular expression, or `language` has no separators.

    Example:
        >>> splitter = RecursiveSplitter(chunk_size=12, chunk_overlap=8)
        >>> splitter.split_text("kiwi plum pear lime date")
        ['kiwi plum', 'plum pear', 'pear lime', 'lime date']
    """

    def __init__(
        self,
        *,
        separators: Sequence[str] = SEPARATORS,
        is_separator_regex: bool = False,
        language: Language | str | None = None,
        keep_separator: KeepSeparator = "start",
        chunk_size: int = 4000,
        **options: Unpack[CommonOptions],
    ) -> None:
        check_flag("is_separator_regex", is_separator_regex)
        given = separators_of("separators", separators, regex=is_separator_regex)
        if language is not None:
            given = language_separators(language)
        super().__init__(given, chunk_size=chunk_size, keep_separator=keep_separator, **options)
