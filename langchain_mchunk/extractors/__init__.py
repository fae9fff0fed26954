"""Extractors add to chunks what a model says of them: `EXTRACTORS` is the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from langchain_mchunk.extractors.base import Extractor
from langchain_mchunk.extractors.keywords import KeywordsExtractor
from langchain_mchunk.extractors.options import option_names
from langchain_mchunk.extractors.questions import QuestionsExtractor
from langchain_mchunk.extractors.schema import SchemaExtractor
from langchain_mchunk.extractors.summary import SummaryExtractor
from langchain_mchunk.extractors.title import TitleExtractor

if TYPE_CHECKING:
    from collections.abc import Sequence

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

EXTRACTORS: Final[dict[str, type[Extractor]]] = {
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
        TypeError: `extract` is no mapping, or options are not what the extractor takes.
        ValueError: A name is not known, or an extractor that needs a model has none.
    """
    if extract is not None and not isinstance(extract, Mapping):
        raise TypeError(
            "extract must be a mapping of names to True or options, as {'title': True}, "
            f"got {extract!r}; the names are {', '.join(EXTRACTORS)}"
        )
    return [
        _extractor(name, options, llm)
        for name, options in (extract or {}).items()
        if options is not None and options is not False
    ]


def _extractor(name: str, options: Any, llm: Any) -> Extractor:
    if name not in EXTRACTORS:
        raise ValueError(f"extract must name some of {', '.join(EXTRACTORS)}, got {name!r}")
    cls = EXTRACTORS[name]
    known = option_names(cls)
    if cls is SchemaExtractor and not (isinstance(options, Mapping) and known & set(options)):
        options = {"schema": options}
    given = {} if options is True else options
    _check_options(name, given, known)
    given = {"llm": llm, **given}
    if given["llm"] is None and cls.needs_model:
        raise ValueError(f"extract={{{name!r}: …}} needs a model: give one as llm=…")
    made: Extractor = cls(**given)
    return made


def _check_options(name: str, given: Any, known: set[str]) -> None:
    having = f"it has {', '.join(sorted(known))}"
    if not isinstance(given, Mapping):
        raise TypeError(
            f"extract={{{name!r}: …}} must be True, False or the options of {name}, "
            f"got {given!r}; {having}"
        )
    for option, value in given.items():
        if option not in known:
            raise TypeError(
                f"extract={{{name!r}: …}} has no option {option!r} (got {value!r}): {having}"
            )


def enriched(
    groups: Sequence[Sequence[Document]], transformers: Sequence[Extractor]
) -> list[Document]:
    """Run extractors over the chunks of several documents, each group one document's."""
    chunks = [chunk for group in groups for chunk in group]
    places = [i for i, group in enumerate(groups) for _ in group]
    for transformer in transformers:
        chunks = transformer.transform_groups(chunks, places)
    return chunks
