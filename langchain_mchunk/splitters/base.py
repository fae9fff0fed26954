"""A strategy is one method from a text to its chunks; the base does everything else.

`SpanSplitter.spans(text)` finds ranges of the text, `BaseSplitter.pieces(text)` makes texts of its
own (html, json). Options, labels, indexes, offsets and Documents are made here and nowhere else.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sized
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
)

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter
from typing_extensions import override

from langchain_mchunk.checks import check_choice, check_flag, check_length_function, checked_text
from langchain_mchunk.labels import PATH_SEPARATOR, first_line, shorten, text_of
from langchain_mchunk.options import checked_sizes
from langchain_mchunk.packing import Packer
from langchain_mchunk.sizes import LengthFunction, Ruler, ruler
from langchain_mchunk.spans import NOTHING, in_order, outermost, trimmed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from langchain_mchunk.boundaries import Cuts
    from langchain_mchunk.options import KeepSeparator
    from langchain_mchunk.spans import SpanFields


_ATOMS: Final = (str, bytes, int, float, complex, bool, type(None))

# What a Piece holds: as a plain tuple it is made several times as fast.
PieceFields: TypeAlias = tuple[str, tuple[str, ...], Mapping[str, Any], str]


class Piece(NamedTuple):
    """One chunk before it is a Document: text, titles above it, metadata of its own."""

    text: str
    headings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = NOTHING
    label: str = ""  # not given: the innermost heading, else the parent's, else the first line


class BaseSplitter(TextSplitter):
    """The base of all strategies: one method, `pieces`, from a text to its chunks.

    Args:
        chunk_size: Hard limit of a chunk, in units of `length_function`; `None` in strategies that
            have no limit by default.
        chunk_overlap: At most this much is shared by neighbours; not given:
            `min(50, chunk_size // 5)`.
        length_function: Any `str -> int`; `len` counts characters, `TokenCounter(...)` tokens.
        keep_separator: `"start"` or `True`: a separator begins the next chunk; `"end"`: it ends
            this one; `False`: it is dropped at chunk borders only.
        add_start_index: Adds `start_index`, the chunk's offset in its source.
        strip_whitespace: Blank ends of a chunk are left out.
        show_progress: A progress bar over documents, on stderr.

    Raises:
        TypeError: An option is unknown or of the wrong type.
        ValueError: An option's value breaks its rule.
    """

    _may_be_unlimited: ClassVar[bool] = False  # whether chunk_size may be None

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a strategy whose Documents would not be what its `split_text` returns."""
        super().__init_subclass__(**options)
        ways = ({"split_text", "pieces", "spans"} & vars(base).keys() for base in cls.__mro__)
        if next(filter(None, ways)) == {"split_text"}:
            raise TypeError(
                f"{cls.__name__} must not override split_text, as Documents are made by "
                "another way: override spans or pieces"
            )

    def __init__(
        self,
        *,
        chunk_size: int | None = 4000,
        chunk_overlap: int | None = None,
        length_function: LengthFunction = len,
        keep_separator: KeepSeparator = False,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
        show_progress: bool = False,
    ) -> None:
        size, overlap = checked_sizes(chunk_size, chunk_overlap, unlimited=self._may_be_unlimited)
        check_length_function(length_function)
        check_choice("keep_separator", keep_separator, (True, False, "start", "end"))
        check_flag("add_start_index", add_start_index)
        check_flag("strip_whitespace", strip_whitespace)
        check_flag("show_progress", show_progress)
        super().__init__(
            chunk_size=max(size, overlap),  # the base's own check must not raise first
            chunk_overlap=overlap,
            length_function=length_function,
            keep_separator=keep_separator,
            add_start_index=add_start_index,
            strip_whitespace=strip_whitespace,
        )
        self._limit = chunk_size
        self._show_progress = show_progress

    @abstractmethod
    def pieces(self, text: str) -> Iterable[PieceFields]:
        """Cut `text` into its chunks, in order."""

    @property
    def added_metadata(self) -> Mapping[str, type[str | int]]:
        """The keys that the strategy itself may add to a chunk's metadata, and their types.

        Those of every strategy, `label`, `index`, `headers` and `start_index`, are not among them.
        """
        return {}

    @override
    def split_text(self, text: str) -> list[str]:
        """Split a text into the texts of its chunks."""
        return [content for content, _, _, _ in self.pieces(checked_text(text))]

    @override
    def create_documents(
        self, texts: Iterable[str], metadatas: Iterable[Mapping[str, Any]] | None = None
    ) -> list[Document]:
        """Split texts into Documents; `metadatas[i]` goes into every chunk of `texts[i]`.

        Raises:
            ValueError: `metadatas` has another length than `texts`.
        """
        if isinstance(texts, str):
            raise TypeError("texts must be a list of str, got one str: put it into a list")
        texts = list(texts)
        metadatas = [{}] * len(texts) if metadatas is None else [m or {} for m in metadatas]
        if len(metadatas) != len(texts):
            raise ValueError(
                f"metadatas must be as long as texts ({len(texts)}), got {len(metadatas)}"
            )
        return list(self._each(zip(map(checked_text, texts), metadatas, strict=True), len(texts)))

    @override
    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Split documents into chunks with their metadata; `index` restarts with each."""
        return list(self.lazy_split_documents(documents))

    def lazy_split_documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Split documents one at a time, as they are asked for: for corpora larger than memory."""
        total = len(documents) if isinstance(documents, Sized) else None
        yield from self._each(map(_text_and_metadata, documents), total)

    @override
    def transform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Split documents: the form that LangChain's pipelines call."""
        return self.split_documents(documents)

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
        """Make a splitter whose sizes are tokens of a tiktoken encoding; it pickles.

        Args:
            encoding_name: A tiktoken encoding, such as `"o200k_base"`.
            model_name: A model whose encoding is used instead, such as `"gpt-4o"`.
            allowed_special: Special tokens that count as one token each, or `"all"`.
            disallowed_special: Special tokens whose text raises a ValueError, or `"all"`; others
                are ordinary text.
            **options: The class's own options.
        """
        from langchain_mchunk.tokens import TokenCounter  # noqa: PLC0415 - loads numpy and tiktoken

        counter = TokenCounter(
            encoding_name,
            model_name=model_name,
            allowed_special=allowed_special or (),
            disallowed_special=disallowed_special,
        )
        return cls(length_function=counter, **options)

    @classmethod
    @override
    def from_huggingface_tokenizer(cls, tokenizer: Any, **options: Any) -> Self:
        """Make a splitter whose sizes are tokens of a Hugging Face tokenizer; it pickles.

        Args:
            tokenizer: A `tokenizers.Tokenizer` or a transformers tokenizer.
            **options: The class's own options.
        """
        from langchain_mchunk.tokens import HuggingFaceCounter  # noqa: PLC0415 - loads numpy

        return cls(length_function=HuggingFaceCounter(tokenizer), **options)

    def ruler(self, text: str) -> Ruler:
        """Lay the ruler of `length_function` on `text`."""
        return ruler(self._length_function, text)

    def packer(
        self,
        text: str,
        levels: Sequence[Cuts],
        unbroken: Iterable[tuple[int, int]] = (),
        walls: Iterable[int] = (),
    ) -> Packer:
        """Make a `Packer` of `text` with this splitter's size, overlap and stripping."""
        return Packer(
            text,
            self.ruler(text),
            levels,
            size=self._chunk_size,
            overlap=self._chunk_overlap,
            strip=self._strip_whitespace,
            unbroken=unbroken,
            walls=walls,
        )

    def _each(
        self, pairs: Iterable[tuple[str, Mapping[str, Any]]], total: int | None, first: int = 0
    ) -> Iterator[Document]:
        """Make the Documents of many texts; an error says in which one it is."""
        for number, (text, metadata) in enumerate(self._watched(pairs, total), first):
            try:
                yield from self._chunks(text, metadata)
            except Exception as error:
                error.add_note(f"in {metadata.get('source') or f'document {number}'}")
                raise

    def _chunks(self, text: str, metadata: Mapping[str, Any]) -> Iterator[Document]:
        """Make the Documents of one text: the only place that does."""
        parent_label, parent_headers = text_of(metadata, "label"), text_of(metadata, "headers")
        # Where a parent began says nothing of where its chunks do.
        inherited = {key: value for key, value in metadata.items() if key != "start_index"}
        shared = [key for key, value in inherited.items() if not isinstance(value, _ATOMS)]
        for index, (content, headings, extra, label) in enumerate(self.pieces(text)):
            named = label or (headings[-1] if headings else parent_label)
            merged = {
                **inherited,
                "label": shorten(named) if named else first_line(content),
                "headers": PATH_SEPARATOR.join(headings) or parent_headers,
                **extra,
                "index": index,
            }
            for key in shared:
                if merged[key] is metadata[key]:
                    merged[key] = copy.deepcopy(metadata[key])
            yield Document(page_content=content, metadata=merged)

    def _watched(self, items: Iterable[Any], total: int | None) -> Iterable[Any]:
        if not self._show_progress:
            return items
        from tqdm import tqdm  # noqa: PLC0415 - only who asks for a bar pays for it

        return tqdm(items, total=total, unit="document")


class SpanSplitter(BaseSplitter):
    r"""The base of strategies whose chunks are slices of the text: one method, `spans`.

    A strategy of one's own finds ranges and leaves the rest to the base. A span is taken as it is,
    however large: what should obey `chunk_size` is cut by `self.packer(...)`. A span outside the
    text or out of order is a ValueError.

        >>> import re
        >>> from langchain_mchunk import Span
        >>> class Lines(SpanSplitter):
        ...     def spans(self, text):
        ...         for match in re.finditer(".+", text):
        ...             yield Span(match.start(), match.end())
        >>> Lines(add_start_index=True).create_documents(["one\n two"])[1].metadata
        {'label': 'two', 'headers': '', 'start_index': 5, 'index': 1}
    """

    @abstractmethod
    def spans(self, text: str) -> Iterable[SpanFields]:
        """Find the spans of the chunks of `text`, starts in order; the base trims them."""

    @override
    def split_text(self, text: str) -> list[str]:
        return [text[start:end] for start, end, _, _ in self._kept(checked_text(text))]

    @override
    def pieces(self, text: str) -> Iterator[PieceFields]:
        for start, end, headings, extra in self._kept(text):
            own = {**extra, "start_index": start} if self._add_start_index else extra
            yield text[start:end], headings, own, ""

    def _kept(self, text: str) -> Iterator[SpanFields]:
        """Yield the spans of the chunks as they are emitted."""
        spans = in_order(self.spans(text), len(text))
        if self._strip_whitespace:
            spans = trimmed(text, spans)
        return outermost(spans)


def _text_and_metadata(document: Document) -> tuple[str, dict[str, Any]]:
    if not isinstance(document, Document):
        raise TypeError(
            f"documents must hold Documents, got {type(document).__name__}: "
            "use split_text or create_documents for texts"
        )
    return document.page_content, document.metadata
