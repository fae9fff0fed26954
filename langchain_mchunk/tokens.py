"""Counters of tokens: length functions that pickle, and lay a fast ruler on a text."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import regex

from langchain_mchunk import encodings
from langchain_mchunk.sizes import FunctionRuler
from langchain_mchunk.token_ruler import SeamRuler, TokenRuler, blocks

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    import tiktoken
    from numpy.typing import NDArray

    from langchain_mchunk.sizes import Ruler


class TokenCounter:
    """Counts tokens of a tiktoken encoding: a `length_function` that pickles and compares by names.

    The encoding is loaded at the first count, without a network, and once a process.

    Args:
        encoding_name: A tiktoken encoding, such as `"o200k_base"`.
        model_name: A model whose encoding is used instead, such as `"gpt-4o"`.
        allowed_special: Special tokens that count as one token each, or `"all"`.
        disallowed_special: Special tokens whose text raises a ValueError, or `"all"` that are not
            allowed; the text of others is ordinary text.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: There is no such encoding or model.

    Example:
        >>> TokenCounter("cl100k_base")("hello world")
        2
    """

    def __init__(
        self,
        encoding_name: str = "cl100k_base",
        *,
        model_name: str | None = None,
        allowed_special: Literal["all"] | Collection[str] | None = (),
        disallowed_special: Literal["all"] | Collection[str] = (),
    ) -> None:
        self.encoding_name: Final = encodings.checked_name(encoding_name, model_name)
        self.allowed_special: Final = _checked_tokens("allowed_special", allowed_special)
        self.disallowed_special: Final = _checked_tokens("disallowed_special", disallowed_special)

    @property
    def encoding(self) -> tiktoken.Encoding:
        """The encoding itself."""
        return encodings.load(self.encoding_name)

    def __call__(self, text: str) -> int:
        """Return the number of tokens of `text`.

        Raises:
            ValueError: The text holds a disallowed special token.
        """
        self._refuse_disallowed(text)
        return self._count(text)

    def ruler(self, text: str) -> Ruler:
        """Lay a ruler on `text`; the text is encoded here, once.

        Raises:
            ValueError: The text holds a disallowed special token.
        """
        self._refuse_disallowed(text)
        if self.encoding_name in encodings.BUNDLED:  # of other patterns no seam is known
            try:
                return SeamRuler(text, _ends(text, self._ends), self._count)
            except UnicodeEncodeError:
                pass  # surrogates: tiktoken joins pairs of them, so that offsets would shift
        return FunctionRuler(self._count, text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenCounter) and self._names == other._names

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.encoding_name!r})"

    @property
    def _names(self) -> tuple[object, ...]:
        return self.encoding_name, self.allowed_special, self.disallowed_special

    @property
    def _allowed(self) -> AbstractSet[str]:
        if self.allowed_special == "all":
            return self.encoding.special_tokens_set
        return self.allowed_special

    def _count(self, text: str) -> int:
        return sum(len(self._encode(block)) for block in blocks(text))

    def _encode(self, text: str) -> list[int]:
        if not self.allowed_special:
            return self.encoding.encode_ordinary(text)
        return self.encoding.encode(text, allowed_special=self._allowed, disallowed_special=())

    def _ends(self, block: str) -> NDArray[np.uint32]:
        """Return where each token ends; one that ends inside a character counts as behind it."""
        tokens = self.encoding.encode_to_numpy(
            block, allowed_special=self._allowed, disallowed_special=()
        )
        return _characters_begun(self.encoding_name)[tokens].cumsum(dtype=np.uint32)

    def _refuse_disallowed(self, text: str) -> None:
        if not self.disallowed_special:
            return
        tokens = self.disallowed_special
        if tokens == "all":
            tokens = frozenset(self.encoding.special_tokens_set.difference(self._allowed))
        match = _any_of(tokens).search(text) if tokens else None
        if match:
            raise ValueError(
                f"the text holds the special token {match[0]!r} at offset {match.start()}, which "
                "disallowed_special forbids: take it out of the text, or of disallowed_special to "
                "read it as ordinary text, or name it in allowed_special to count it as one token"
            )


class HuggingFaceCounter:
    """Counts tokens of a Hugging Face tokenizer, without those it adds around a text; it pickles.

    Args:
        tokenizer: A `tokenizers.Tokenizer`, whose truncation and padding have no effect, or a
            transformers tokenizer.

    Raises:
        TypeError: `tokenizer` is neither.
    """

    def __init__(self, tokenizer: Any) -> None:
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        self._fast: Final = hasattr(backend, "no_truncation")
        if self._fast and (backend.truncation or backend.padding):
            backend = type(backend).from_str(backend.to_str())
            backend.no_truncation()
            backend.no_padding()
        elif not self._fast and not hasattr(backend, "tokenize"):
            raise TypeError(
                "tokenizer must be a tokenizers.Tokenizer or a transformers tokenizer, "
                f"got {type(tokenizer).__name__}"
            )
        self._tokenizer: Final = backend

    def __call__(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        if self._fast:
            return len(self._tokenizer.encode(text, add_special_tokens=False))
        return len(self._tokenizer.tokenize(text))

    def ruler(self, text: str) -> Ruler:
        """Lay a ruler on `text`; a tokenizer that knows offsets encodes the text here, once."""
        if not self._fast:
            return FunctionRuler(self, text)
        return TokenRuler(text, _ends(text, self._ends), self)

    def _ends(self, block: str) -> NDArray[np.uint32]:
        encoded = self._tokenizer.encode(block, add_special_tokens=False)
        ends = np.array([end for _, end in encoded.offsets], dtype=np.uint32)
        return np.maximum.accumulate(ends)


def _ends(text: str, ends_in: Callable[[str], NDArray[np.uint32]]) -> array[int]:
    """Return where each token of `text` ends: those of its blocks, one behind the other."""
    ends = array("I")  # its items are ints at once, which numpy's are not: bisect is faster
    done = 0
    for block in blocks(text):
        ends.frombytes((ends_in(block) + np.uint32(done)).tobytes())
        done += len(block)
    return ends


@lru_cache
def _characters_begun(encoding_name: str) -> NDArray[np.uint32]:
    """Return for each token of an encoding how many characters start in it: bytes but 10xxxxxx."""
    encoding = encodings.load(encoding_name)
    tokens = [_token_bytes(encoding, token) for token in range(encoding.n_vocab)]
    joined = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    begun = np.concatenate(([0], ((joined & 0xC0) != 0x80).cumsum()))  # noqa: PLR2004
    ends = np.cumsum([len(token) for token in tokens])
    counts: NDArray[np.uint32] = np.diff(begun[ends], prepend=0).astype(np.uint32)
    return counts


def _token_bytes(encoding: tiktoken.Encoding, token: int) -> bytes:
    try:
        return encoding.decode_single_token_bytes(token)
    except KeyError:  # a number that no token has
        return b""


@lru_cache
def _any_of(tokens: frozenset[str]) -> regex.Pattern[str]:
    longest_first = sorted(tokens, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first)))


def _checked_tokens(
    option: str, tokens: Literal["all"] | Collection[str] | None
) -> Literal["all"] | frozenset[str]:
    """Freeze special tokens; `None`, which LangChain's splitters take, is none of them."""
    if tokens == "all":
        return "all"
    several = isinstance(tokens, Collection) and not isinstance(tokens, str)
    if tokens is not None and not (several and all(isinstance(token, str) for token in tokens)):
        raise TypeError(f'{option} must be "all" or a set of special tokens, got {tokens!r}')
    return frozenset(tokens or ())
