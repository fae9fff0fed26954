"""Extractors add to chunks what a model says of them: `EXTRACTORS` is the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from langchain_mchunk.extractors.base import Extractor
from langchain_mchunk.extractors.keywords import KeywordsExtractor
from langchain_mchunk.extractors.questions import QuestionsExtractor
from langchain_mchunk.extractors.schema import SchemaExtractor
from langchain_mchunk.extractors.summary import SummaryExtractor
from langchain_mchunk.extractors.title import TitleExtractor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.documents import Document

__all__ = [
    "EXTRACTORS",
    "Extractor",
    "KeywordsExtractor",
    "QuestionsExtractor",
    "SchemaExtractor",
    "SummaryExtractor",
    "TitleExtractor",
    "enriched",
    "extractors",
]

EXTRACTORS: Final = {
    "title": TitleExtractor,
    "summary": SummaryExtractor,
    "questions": QuestionsExtractor,
    "keywords": KeywordsExtractor,
    "schema": SchemaExtractor,
}


def extractors(extract: Mapping[str, Any] | None, llm: Any = None) -> list[Extractor]:
    """Make the extractors that `chunk(extract=…)` asks for.

    Args:
        extract: Name of an extractor -> `True`, its options, or `False`; for `"schema"` also the
            schema itself.
        llm: The model of those that are not given one of their own.

    Raises:
        ValueError: A name is not known, or an extractor that needs a model has none.
    """
    return [
        _extractor(name, options, llm)
        for name, options in (extract or {}).items()
        if options is not None and options is not False
    ]


def _extractor(name: str, options: Any, llm: Any) -> Extractor:
    if name not in EXTRACTORS:
        raise ValueError(f"extract must name some of {', '.join(EXTRACTORS)}, got {name!r}")
    if name == "schema" and not (isinstance(options, dict) and "schema" in options):
        options = {"schema": options}
    given = {} if options is True else dict(options)
    model = given.pop("llm", llm)
    if model is None and name != "keywords":
        raise ValueError(f"extract={{{name!r}: …}} needs a model: give one as llm=…")
    made: Extractor = EXTRACTORS[name](model, **given)
    return made


def enriched(
    groups: Sequence[Sequence[Document]], transformers: Sequence[Extractor]
) -> list[Document]:
    """Run extractors over the chunks of several documents, each group one document's."""
    chunks = [chunk for group in groups for chunk in group]
    places = [i for i, group in enumerate(groups) for _ in group]
    for transformer in transformers:
        chunks = transformer.transform_groups(chunks, places)
    return chunks
