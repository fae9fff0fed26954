"""Documents in the order of adding, and the index of their texts, built when first asked for."""

from __future__ import annotations

import json
import re
import reprlib
from functools import partial
from itertools import compress, islice, starmap
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from langchain_core.documents import Document

from langchain_mchunk import index
from langchain_mchunk.labels import PATH_SEPARATOR
from langchain_mchunk.ranking import best, scores
from langchain_mchunk.words import fold, query_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from langchain_mchunk.index import Segment
    from langchain_mchunk.ranking import Scoring


_SAVED: Final = ("id", "page_content", "metadata")
_FIRST_LINE = re.compile(r"\s*([^\r\n]*)")


class Hit(NamedTuple):
    """A document that a query finds."""

    position: int  # in the order of adding
    document: Document
    score: float


class Corpus:
    """Documents and the index of their texts; both may change while queries run.

    The index is a row of segments. New documents become a segment, which swallows the segments
    before it that are less than twice as large: so there are few, and no document is merged often.

    Args:
        documents: The documents, in order.
        include_headers: The titles of the `headers` path in a document's metadata that do not
            stand in its first line are searched with its text.
    """

    def __init__(self, documents: Iterable[Document] = (), *, include_headers: bool = True) -> None:
        if not isinstance(include_headers, bool):
            raise TypeError(f"include_headers must be True or False, got {include_headers!r}")
        self.include_headers = include_headers
        self._documents: list[
            Document
        ] = []  # grows at its end or is replaced: a query keeps its own
        self._segments: tuple[Segment, ...] = ()
        self._lock = Lock()
        self.add(documents)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    @property
    def documents(self) -> list[Document]:
        """The documents, in a list of their own."""
        return self._documents.copy()

    def add(self, documents: Iterable[Document]) -> None:
        """Add documents at the end."""
        added = list(documents)
        for document in added:
            if not isinstance(document, Document):
                raise TypeError(
                    f"documents must hold Documents, got {type(document).__name__}: "
                    "use from_texts for texts"
                )
        with self._lock:
            self._documents.extend(added)

    def delete(self, ids: Collection[str]) -> int:
        """Delete the documents with one of `ids`, and return how many they were."""
        with self._lock:
            kept = np.array([document.id not in ids for document in self._documents], bool)
            segments = []
            start = 0
            for segment in self._segments:
                part = kept[start : start + len(segment)]
                start += len(segment)
                if part.any():
                    segments.append(segment if part.all() else segment.only(part))
            self._segments = tuple(segments)
            self._documents = [*compress(self._documents, kept.tolist())]
        return len(kept) - int(kept.sum())

    def indexed(self) -> tuple[list[Document], tuple[Segment, ...]]:
        """Return the documents and the index of all of them, which is brought up to date first."""
        with self._lock:
            done = sum(map(len, self._segments))
            if done < len(self._documents):
                for segment in index.batches(map(self._folded, self._documents[done:])):
                    self._segments = _settled(self._segments, segment)
            return self._documents, self._segments

    def search(
        self,
        query: str,
        *,
        k: int,
        scoring: Scoring,
        least: float | None,
        accepts: Callable[[dict[str, Any]], bool] | None,
    ) -> list[Hit]:
        """Return the k best documents whose metadata `accepts` lets pass, best first."""
        documents, segments = self.indexed()
        prepared = query_words(query, lambda run: any(segment.holds(run) for segment in segments))
        values = scores(prepared, segments, scoring)
        width = k
        while True:
            found = best(values, width, least)
            hits = [
                Hit(place, documents[place], float(values[place]))
                for place in found
                if accepts is None or accepts(documents[place].metadata)
            ]
            if len(hits) >= k or len(found) < width:
                return hits[:k]
            width *= 4  # the filter left too few: look further down

    def writers(self) -> dict[str, Callable[[BinaryIO], object]]:
        """Return what writes the documents and the index to files."""
        documents, segments = self.indexed()
        rows = islice(documents, sum(map(len, segments)))  # others may be added meanwhile
        return {
            "documents.jsonl": lambda file: file.writelines(starmap(_row, enumerate(rows))),
            "index.npz": partial(index.write, segments),
        }

    @classmethod
    def read(cls, parts: Mapping[str, Path], *, include_headers: bool) -> Corpus:
        """Read the files that `writers` wrote.

        Raises:
            ValueError: They do not hold that, or not of the same documents.
        """
        try:
            corpus = cls(_documents(parts["documents.jsonl"]), include_headers=include_headers)
            corpus._segments = tuple(index.read(parts["index.npz"]))
        except (LookupError, EOFError, RecursionError, BadZipFile) as error:
            raise ValueError(f"its files are not those of an index ({error})") from error
        rows, indexed = len(corpus._documents), sum(map(len, corpus._segments))
        if rows != indexed:
            raise ValueError(f"it holds {rows} documents and the index of {indexed}")
        return corpus

    def _folded(self, document: Document) -> str:
        """Return the text of a document that is searched."""
        text = document.page_content
        if self.include_headers:
            text = "\n".join([text, *_missing_titles(text, document.metadata.get("headers"))])
        return fold(text)


def _missing_titles(text: str, headers: Any) -> list[str]:
    """Return the titles of a `headers` path that do not stand in the first line of the text."""
    if not headers or not isinstance(headers, str):
        return []
    match = _FIRST_LINE.match(text)
    line = match[1] if match else ""
    return [title for title in headers.split(PATH_SEPARATOR) if title not in line]


def _settled(old: tuple[Segment, ...], new: Segment) -> tuple[Segment, ...]:
    """Merge a new segment and the old ones before it that are less than twice as large."""
    kept, size = len(old), len(new)
    while kept and len(old[kept - 1]) < 2 * size:
        kept -= 1
        size += len(old[kept])
    return (*old[:kept], index.merged([*old[kept:], new]))


def _row(place: int, document: Document) -> bytes:
    """Return a document as one line of JSON; lone surrogates, as Python's texts allow, are kept."""
    if type(document) is not Document:
        _check_fields(place, document)
    row = {field: getattr(document, field) for field in _SAVED}
    try:
        text = json.dumps(row, ensure_ascii=False)
        _check_keys(document.metadata)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"documents[{place}]: metadata must be JSON to be saved, "
            f"got {reprlib.repr(document.metadata)}: {error}"
        ) from error
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _check_fields(place: int, document: Document) -> None:
    """Refuse a document whose class has other fields, which would be lost."""
    for field in (*type(document).model_fields, *(document.model_extra or ())):
        if field not in Document.model_fields:
            raise ValueError(
                f"documents[{place}] must have no fields of its own to be saved, got {field!r}: "
                "put it into the metadata"
            )


def _check_keys(metadata: dict[Any, Any]) -> None:
    """Refuse keys that JSON has not, which `json` would write as strings."""
    pending: list[Any] = [metadata]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, str):
                    raise TypeError(f"keys must be str, not {key!r}")
            pending += value.values()
        elif isinstance(value, list | tuple):
            pending += value


def _documents(path: Path) -> Iterator[Document]:
    with path.open("rb") as file:
        for line in file:
            yield Document(**json.loads(line.decode("utf-8", "surrogatepass")))
