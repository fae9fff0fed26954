"""Chunks found by the words of a query: no model, no server, no key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypedDict

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from pydantic import ConfigDict, Field, field_validator
from typing_extensions import Unpack, override

from langchain_mchunk import storage
from langchain_mchunk.corpus import Corpus
from langchain_mchunk.ranking import Scoring  # noqa: TC001 - a field's type

if TYPE_CHECKING:
    from pathlib import Path

    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )

Filter: TypeAlias = Callable[[dict[str, Any]], bool]
Order: TypeAlias = Literal["document", "score"]

_SAVED = ("k", "scoring", "order", "min_score", "include_headers", "include_score")


class RetrieverOptions(TypedDict, total=False):
    """The options of `KeywordRetriever`."""

    k: int
    scoring: Scoring
    order: Order
    min_score: float | None
    include_headers: bool
    include_score: bool
    filter: Filter | None
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None


class KeywordRetriever(BaseRetriever):
    """Finds the chunks in which the words of a query occur.

    Scoring `"overlap"` counts: a chunk's score is how often the words of the query, those of more
    than three characters, stand in it (`langchain_mchunk.words.overlap` is the rule in full).
    Scoring `"bm25"` ranks by Okapi BM25 over all words of the query, with the same counts and
    lengths in characters (`langchain_mchunk.ranking.bm25`). Both give the scores of a plain scan
    over all texts, read off an index that is built at the first query and brought up to date at
    the first one after documents were added.

    Copies, configured and bound forms of a retriever share its documents and their index.

        >>> texts = ["Cats sleep.", "Dogs bark.", "Cats hunt at night."]
        >>> retriever = KeywordRetriever.from_texts(texts, k=2)
        >>> [chunk.page_content for chunk in retriever.invoke("Where do cats hunt?")]
        ['Cats sleep.', 'Cats hunt at night.']

    Args:
        documents: The documents, in order.
        k: How many chunks are returned at most.
        scoring: `"overlap"` or `"bm25"`.
        order: `"document"`: the best chunks in the order in which they were added; `"score"`: best
            first, the earlier first among equals, as rank fusion needs it.
        min_score: Leaves out chunks that score less; `None`: those that score 0. So 0 fills up
            to k.
        include_headers: The titles of the `headers` path in a chunk's metadata that do not stand in
            its first line are searched with its text. Fixed at construction.
        include_score: Puts the score as `score` into the metadata of copies of the chunks.
        filter: Tells by a chunk's metadata whether it may be returned. Whether it may or not, it is
            part of the corpus from which BM25 takes its frequencies.

    Raises:
        ValueError: An option is unknown, of the wrong type, or breaks its rule.
        TypeError: `documents` holds something else, or `include_headers` is no `bool`.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    corpus: Corpus = Field(exclude=True, repr=False, frozen=True)
    k: int = 4
    scoring: Scoring = "overlap"
    order: Order = "document"
    min_score: float | None = None
    include_headers: bool = Field(default=True, frozen=True)
    include_score: bool = False
    filter: Filter | None = None

    def __init__(
        self,
        *,
        documents: Iterable[Document] = (),
        corpus: Corpus | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> None:
        headers = options.get("include_headers", True)
        if corpus is None:
            corpus = Corpus(include_headers=headers)
        if corpus.include_headers != headers:
            raise ValueError(
                f"include_headers must stay {corpus.include_headers}, as at construction, "
                f"got {headers}: make a new retriever from the documents"
            )
        fields: dict[str, Any] = {"corpus": corpus, **options}
        super().__init__(**fields)
        corpus.add(documents)

    @field_validator("k")
    @classmethod
    def _check_k(cls, k: int) -> int:
        return _checked(k)

    @classmethod
    def from_documents(
        cls, documents: Iterable[Document], **options: Unpack[RetrieverOptions]
    ) -> Self:
        """Make a retriever of documents, which stay in the order given."""
        return cls(documents=documents, **options)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        metadatas: Iterable[dict[str, Any]] | None = None,
        ids: Iterable[str | None] | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """Make a retriever of texts; `metadatas[i]` and `ids[i]` belong to `texts[i]`.

        Raises:
            ValueError: `metadatas` or `ids` has another length than `texts`.
        """
        texts = list(texts)
        metadatas = _matching("metadatas", metadatas, len(texts)) or [{} for _ in texts]
        ids = _matching("ids", ids, len(texts)) or [None] * len(texts)
        return cls(
            documents=[
                Document(page_content=text, metadata=metadata, id=id_)
                for text, metadata, id_ in zip(texts, metadatas, ids, strict=True)
            ],
            **options,
        )

    @property
    def documents(self) -> list[Document]:
        """The documents, in order, in a list of their own."""
        return self.corpus.documents

    def add_documents(self, documents: Iterable[Document]) -> None:
        """Add documents at the end; they are indexed at the next query."""
        self.corpus.add(documents)

    def delete(self, ids: Collection[str]) -> int:
        """Delete every document with one of these ids, and return how many they were."""
        if isinstance(ids, str):
            raise TypeError("ids must be a list of str, got one str: put it into a list")
        return self.corpus.delete(set(ids))

    def search_with_score(
        self,
        query: str,
        k: int | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002
    ) -> list[tuple[Document, float]]:
        """Return the chunks that `invoke` returns, each with its score, in the retriever's `order`.

        Args:
            query: What to look for.
            k: Used instead of the retriever's `k`.
            filter: Used instead of the retriever's `filter`.

        Raises:
            ValueError: `k` is negative.
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, got {type(query).__name__}")
        hits = self.corpus.search(
            query,
            k=_checked(self.k if k is None else k),
            scoring=self.scoring,
            least=self.min_score,
            accepts=filter or self.filter,
        )
        if self.order == "document":
            hits.sort(key=attrgetter("position"))
        return [(hit.document, hit.score) for hit in hits]

    @override
    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: Filter | None = None,
    ) -> list[Document]:
        found = self.search_with_score(query, k, filter=filter)
        if not self.include_score:
            return [document for document, _ in found]
        return [
            document.model_copy(update={"metadata": {**document.metadata, "score": score}})
            for document, score in found
        ]

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return await run_in_executor(
            None,
            self._get_relevant_documents,
            query,
            run_manager=run_manager.get_sync(),
            **options,
        )

    def save_local(self, folder: str | Path) -> None:
        """Save documents, index and options; a crash leaves what was saved there before, whole.

        Metadata of documents is saved as JSON, where tuples become lists; `filter`, `name`, `tags`
        and `metadata` of the retriever are not. One process at a time may save to a folder.

        Raises:
            ValueError: The metadata of a document is not JSON, or a document has other fields, or
                the folder is not empty and was not written by this method.
        """
        options = {option: getattr(self, option) for option in _SAVED}
        storage.save(folder, options, self.corpus.writers())

    @classmethod
    def load_local(cls, folder: str | Path, **options: Unpack[RetrieverOptions]) -> Self:
        """Load what `save_local` saved; `options` are used instead of the saved ones.

        Raises:
            ValueError: The folder holds no saved retriever, or a damaged one.
        """
        saved, parts = storage.load(folder)
        if saved.keys() != {*_SAVED}:
            raise ValueError(f"{folder} is damaged: its options must be {', '.join(_SAVED)}")
        try:
            corpus = Corpus.read(parts, include_headers=saved["include_headers"])
            KeywordRetriever(corpus=corpus, **saved)  # checks them without those given here
        except (TypeError, ValueError) as error:
            raise ValueError(f"{folder} is damaged: {error}") from error
        return cls(corpus=corpus, **{**saved, **options})


def _checked(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int):
        raise TypeError(f"k must be an integer, got {k!r}")
    if k < 0:
        raise ValueError(f"k must be at least 0, got {k}")
    return k


def _matching(option: str, values: Iterable[Any] | None, length: int) -> list[Any] | None:
    if values is None:
        return None
    values = list(values)
    if len(values) != length:
        raise ValueError(f"{option} must be as long as texts ({length}), got {len(values)}")
    return values
