"""Document type -> strategy: one table, `AutoSplitter` for pipelines and `chunk()` for everything.

The type is the one that is named, else what `content_type`, `source` or `file_path` in the metadata
say; a document whose type is not known is split by `recursive`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_core.documents import Document
from typing_extensions import Unpack, override

from langchain_mchunk.files import load
from langchain_mchunk.splitters import STRATEGIES
from langchain_mchunk.splitters.base import BaseSplitter, PieceFields, SharedOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Choice(NamedTuple):
    """A strategy, and for code its language, a `Language` of langchain_text_splitters."""

    strategy: str
    language: str | None = None


PLAIN: Final = Choice("recursive")

# strategy or language -> file name suffixes, then MIME types
_STRATEGIES: Final = {
    "markdown": (".md .markdown .mdx", "text/markdown text/x-markdown"),
    "html": (".html .htm .xhtml", "text/html application/xhtml+xml"),
    "json": (".json .jsonl .ndjson", "application/json application/jsonl application/x-ndjson"),
    "latex": (".tex .latex", "text/x-tex application/x-tex application/x-latex"),
    "recursive": (".txt .text", "text/plain"),
}
_LANGUAGES: Final = {
    "c": (".c .h", "text/x-c"),
    "cobol": (".cob .cbl", ""),
    "cpp": (".cc .cpp .cxx .hh .hpp .hxx", "text/x-c++"),
    "csharp": (".cs", "text/x-csharp"),
    "elixir": (".ex .exs", "text/x-elixir"),
    "go": (".go", "text/x-go"),
    "haskell": (".hs", "text/x-haskell"),
    "java": (".java", "text/x-java"),
    "js": (".js .cjs .mjs .jsx", "text/javascript application/javascript"),
    "kotlin": (".kt .kts", "text/x-kotlin"),
    "lua": (".lua", "text/x-lua"),
    "php": (".php", "text/x-php application/x-httpd-php"),
    "powershell": (".ps1 .psm1", ""),
    "proto": (".proto", ""),
    "python": (".py .pyi", "text/x-python application/x-python-code"),
    "r": (".r", "text/x-r"),
    "rst": (".rst", "text/x-rst"),
    "ruby": (".rb", "text/x-ruby application/x-ruby"),
    "rust": (".rs", "text/x-rust"),
    "scala": (".scala", "text/x-scala"),
    "sol": (".sol", ""),
    "swift": (".swift", "text/x-swift"),
    "ts": (".ts .tsx", "text/typescript application/typescript"),
    "visualbasic6": (".bas .frm", ""),
}

TYPES: Final[Mapping[str, Choice]] = {
    **{
        name: Choice(strategy)
        for strategy, names in _STRATEGIES.items()
        for name in " ".join(names).split()
    },
    **{
        name: Choice("recursive", language)
        for language, names in _LANGUAGES.items()
        for name in " ".join(names).split()
    },
}


def choice(metadata: Mapping[str, Any], content_type: str | None = None) -> Choice:
    """Choose the strategy for a document.

    Args:
        metadata: The document's metadata: `content_type`, `source` and `file_path` are looked at.
        content_type: A MIME type, a suffix (`".md"`, `"md"`) or a file name; it wins.

    Raises:
        ValueError: `content_type` is given and not known.
    """
    if content_type is not None:
        known = _known(content_type) or TYPES.get(f".{content_type.lower()}")
        if known is None:
            raise ValueError(
                f"content_type must be one of {', '.join(sorted(TYPES))}, got {content_type!r}"
            )
        return known
    named = (metadata.get(key) for key in ("content_type", "source", "file_path"))
    found = (_known(str(name)) for name in named if isinstance(name, str | PurePath))
    return next((known for known in found if known), PLAIN)


def _known(name: str) -> Choice | None:
    """Look up a MIME type, with parameters or without, or the suffix of a file name or URL."""
    bare = name.split(";", maxsplit=1)[0].strip().lower()
    if bare in TYPES:
        return TYPES[bare]
    return TYPES.get(PurePath(bare.split("?")[0].split("#")[0]).suffix)


class AutoSplitter(BaseSplitter):
    r"""Splits each document by the strategy for its type.

    The type is read from a document's metadata: `content_type`, `source` or `file_path`. Text
    without metadata is split by `recursive`.

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
        return self.splitter_for({}).pieces(text)

    @override
    def _chunks(self, text: str, metadata: Mapping[str, Any]) -> Iterator[Document]:
        return self.splitter_for(metadata)._chunks(text, metadata)  # noqa: SLF001 - its own kind

    def splitter_for(self, metadata: Mapping[str, Any]) -> BaseSplitter:
        """Return the splitter for a document with such metadata."""
        chosen = self._named or choice(metadata)
        if chosen not in self._splitters:
            self._splitters[chosen] = made(chosen, self._given)
        return self._splitters[chosen]


def made(chosen: Choice, options: Mapping[str, Any]) -> BaseSplitter:
    """Make the splitter of a choice; an option that its strategy lacks is a TypeError."""
    cls = STRATEGIES[chosen.strategy]
    check_names(chosen.strategy, cls, options)
    language = {"language": chosen.language} if chosen.language else {}
    return cls(**{**language, **options})


def check_names(strategy: str, cls: type[BaseSplitter], options: Iterable[str]) -> None:
    """Refuse an option that a strategy does not have, and list those that it has."""
    known = option_names(cls)
    for name in options:
        if name not in known:
            raise TypeError(f"{strategy} has no option {name!r}: it has {', '.join(sorted(known))}")


def option_names(cls: type[BaseSplitter]) -> set[str]:
    """Return the names of a strategy's options, the shared ones included."""
    signatures = [
        inspect.signature(vars(base)["__init__"])
        for base in cls.__mro__
        if "__init__" in vars(base)
    ]
    named = [p for signature in signatures for p in signature.parameters.values()]
    return {p.name for p in named if p.kind is p.KEYWORD_ONLY} | set(SharedOptions.__annotations__)


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
        source: A text, a `pathlib.Path`, a Document, or an iterable of these.
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
    for document in _documents(source):
        chosen = Choice(strategy) if strategy else choice(document.metadata, content_type)
        if chosen not in splitters:
            splitters[chosen] = made(chosen, options)
        groups.append(splitters[chosen].split_documents([document]))
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
        yield Document(load(source), metadata={"source": str(source)})
    elif isinstance(source, Iterable):
        for item in source:
            yield from _documents(item)
    else:
        raise TypeError(
            "source must be a text, a pathlib.Path, a Document or an iterable of these, "
            f"got {type(source).__name__}"
        )
