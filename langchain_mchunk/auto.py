"""Each document by the strategy for its type: `AutoSplitter` for pipelines, `chunk` for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from errno import EISDIR
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from langchain_core.documents import Document
from typing_extensions import Unpack, override

from langchain_mchunk.document_types import Choice, choice
from langchain_mchunk.files import load
from langchain_mchunk.options import SharedOptions, check_names, required_names
from langchain_mchunk.splitters import STRATEGIES
from langchain_mchunk.splitters.base import BaseSplitter, PieceFields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class AutoSplitter(BaseSplitter):
    r"""Splits each document by the strategy for its type.

    The type is read from a document's metadata: `content_type`, `source` or `file_path`. Text
    without metadata is split by `recursive`, and so is text that a loader took out of a page or of
    JSON: its `source` says one thing, the text shows no tag, or no bracket at its start.

    Args:
        content_type: The type of every document, whatever its metadata say: a MIME type or suffix.
        chunk_size: Hard limit of a chunk, in units of `length_function`; not given: the strategy's
            own default.
        **options: The shared options, see `BaseSplitter`; each strategy keeps its own defaults for
            those not given.

    Raises:
        ValueError: `content_type` is not known; the message lists the types that are.

    Example:
        >>> from langchain_core.documents import Document
        >>> documents = [
        ...     Document("# A\n\ntext", metadata={"source": "a.md"}),
        ...     Document("<h1>B</h1><p>text", metadata={"source": "b.html"}),
        ... ]
        >>> [chunk.metadata["headers"] for chunk in AutoSplitter().split_documents(documents)]
        ['A', 'B']
    """

    _may_be_unlimited = True

    def __init__(
        self,
        *,
        content_type: str | None = None,
        chunk_size: int | None = None,
        **options: Unpack[SharedOptions],
    ) -> None:
        super().__init__(chunk_size=chunk_size, **options)
        self._given = dict(options) if chunk_size is None else {"chunk_size": chunk_size, **options}
        self._content_type = content_type
        self._named = None if content_type is None else choice({}, content_type)
        self._splitters: dict[Choice, BaseSplitter] = {}

    @override
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_splitters": {}}  # the same before and after it has split

    @override
    def pieces(self, text: str) -> Iterable[PieceFields]:
        return self.splitter_for({}, text).pieces(text)

    @override
    def _chunks(self, text: str, metadata: Mapping[str, Any]) -> Iterator[Document]:
        return self.splitter_for(metadata, text)._chunks(text, metadata)  # noqa: SLF001 - its kind

    def splitter_for(self, metadata: Mapping[str, Any], text: str | None = None) -> BaseSplitter:
        """Return the splitter for a document with such metadata and text, see `choice`."""
        chosen = self._named or choice(metadata, text=text)
        if chosen not in self._splitters:
            self._splitters[chosen] = made(chosen, self._given)
        return self._splitters[chosen]


def made(chosen: Choice, options: Mapping[str, Any]) -> BaseSplitter:
    """Make the splitter of a choice; an option that its strategy lacks is a TypeError."""
    cls = STRATEGIES[chosen.strategy]
    check_names(chosen.strategy, cls, options)
    for name in required_names(cls):
        if name not in options:
            raise TypeError(f"{chosen.strategy} needs {name}, which has no default")
    language = {"language": chosen.language} if chosen.language else {}
    return cls(**{**language, **options})


Source = str | Path | Document


def chunk(
    source: Source | Iterable[Source],
    strategy: str | None = None,
    *,
    content_type: str | None = None,
    extract: Mapping[str, Any] | None = None,
    llm: Any = None,
    **options: Any,
) -> list[Document]:
    r"""Split a text, a file, a document or many of them into labelled chunks.

    Args:
        source: A text, a `pathlib.Path`, a Document, or an iterable of these. A file is UTF-8; its
            text, in which `start_index` counts, has its line ends and no byte order mark.
        strategy: A key of `STRATEGIES`; not given: the strategy for each document's type.
        content_type: The type of the source, a MIME type or a suffix; not given: what the file name
            or the metadata say.
        extract: Metadata to add with a model, as `{"title": True, "keywords": {"keywords": 5}}`:
            each value is `True` or the options of that extractor.
        llm: A LangChain chat model, for what `extract` asks.
        **options: Options of the strategy's class; those not given keep the class's defaults.

    Raises:
        TypeError: The strategy has no such option; the message lists those that it has.
        ValueError: The strategy or the type is not known, or a file is not UTF-8.
        OSError: A file cannot be read.

    Example:
        >>> [chunk.metadata["label"] for chunk in chunk("# A\n\none\n\n# B\n\ntwo", "section")]
        ['A', 'B']
    """
    if strategy is not None and strategy not in list(STRATEGIES):  # whatever it is, hashable or not
        raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}, got {strategy!r}")
    enrich = _enriching(extract, llm)  # what is wrong with that is said before anything is split
    splitters: dict[Choice, BaseSplitter] = {}
    groups = []
    for number, document in enumerate(_documents(source)):
        metadata, text = document.metadata, document.page_content
        chosen = Choice(strategy) if strategy else choice(metadata, content_type, text)
        if chosen not in splitters:
            splitters[chosen] = made(chosen, options)
        chunks = splitters[chosen]._each([(text, metadata)], 1, number)  # noqa: SLF001 - its own
        groups.append(list(chunks))
    return enrich(groups)


def _enriching(
    extract: Mapping[str, Any] | None, llm: Any
) -> Callable[[list[list[Document]]], list[Document]]:
    """Return what joins the chunks of the documents, and enriches them if asked to."""
    if not extract:
        return lambda groups: list(chain.from_iterable(groups))
    from langchain_mchunk.extractors import enriched, extractors  # noqa: PLC0415 - prompts are slow

    transformers = extractors(extract, llm)
    return lambda groups: enriched(groups, transformers)


def _documents(source: Source | Iterable[Source]) -> Iterator[Document]:
    if isinstance(source, Document):
        yield source
    elif isinstance(source, str):
        yield Document(source)
    elif isinstance(source, Path):
        if source.is_dir():
            raise IsADirectoryError(
                EISDIR, "is a folder: pass its files, as Path(...).rglob('*.md')", str(source)
            )
        yield Document(load(source), metadata={"source": str(source)})
    elif isinstance(source, Iterable) and not isinstance(source, (Mapping, bytes, bytearray)):
        for item in source:
            yield from _documents(item)
    else:
        raise TypeError(
            "source must be a text, a pathlib.Path, a Document or an iterable of these, got "
            f"{type(source).__name__}: {_CURES.get(type(source), 'pass its text')}"
        )


_CURES: Final = {bytes: "decode it, as source.decode()", dict: "pass json.dumps(source)"}
