"""The base of the strategies whose sizes are always tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from typing_extensions import override

from langchain_mchunk.options import SharedOptions
from langchain_mchunk.splitters.base import SpanSplitter
from langchain_mchunk.tokens import HuggingFaceCounter, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Collection


class TokenOptions(SharedOptions, total=False):
    """The shared options, and those that say what a token is."""

    encoding_name: str
    model_name: str | None
    allowed_special: Literal["all"] | Collection[str] | None
    disallowed_special: Literal["all"] | Collection[str]


class TokenSizedSplitter(SpanSplitter):
    """Counts tokens, whatever `length_function` is given.

    Args:
        chunk_size: Hard limit of a chunk, in tokens; `None` if there is none.
        encoding_name: A tiktoken encoding.
        model_name: A model whose encoding is used instead, such as `"gpt-4o"`.
        allowed_special: Special tokens that count as one token each, or `"all"`.
        disallowed_special: Special tokens whose text raises a ValueError, or `"all"`; others are
            ordinary text.
        **options: The shared options, see `BaseSplitter`.
    """

    def __init__(
        self,
        *,
        chunk_size: int | None,
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        allowed_special: Literal["all"] | Collection[str] | None = (),
        disallowed_special: Literal["all"] | Collection[str] = (),
        **options: Unpack[SharedOptions],
    ) -> None:
        options["length_function"] = TokenCounter(
            encoding_name,
            model_name=model_name,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
        )
        super().__init__(chunk_size=chunk_size, **options)

    @classmethod
    @override
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        allowed_special: Literal["all"] | Collection[str] | None = (),
        disallowed_special: Literal["all"] | Collection[str] = (),
        **options: Any,
    ) -> Self:
        """Make a splitter: the same as the constructor."""
        return cls(
            encoding_name=encoding_name,
            model_name=model_name,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            **options,
        )

    @classmethod
    @override
    def from_huggingface_tokenizer(cls, tokenizer: Any, **options: Any) -> Self:
        """Make a splitter that counts the tokens of a Hugging Face tokenizer; it pickles."""
        splitter = cls(**options)
        splitter._length_function = HuggingFaceCounter(tokenizer)
        return splitter
