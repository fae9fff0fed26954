"""Text splitters for LangChain: chunks that know their label, headings and exact place."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_mchunk.auto import AutoSplitter, chunk
    from langchain_mchunk.batches import ArrowChunker
    from langchain_mchunk.dataset import Report, split_dataset
    from langchain_mchunk.documents import chunk_key, with_headers
    from langchain_mchunk.extractors import (
        KeywordsExtractor,
        QuestionsExtractor,
        SchemaExtractor,
        SummaryExtractor,
        TitleExtractor,
    )
    from langchain_mchunk.retriever import KeywordRetriever
    from langchain_mchunk.spans import Span
    from langchain_mchunk.splitters import STRATEGIES
    from langchain_mchunk.splitters.base import SpanSplitter
    from langchain_mchunk.splitters.character import CharacterSplitter
    from langchain_mchunk.splitters.html import HTMLSplitter
    from langchain_mchunk.splitters.json import JSONSplitter
    from langchain_mchunk.splitters.latex import LatexSplitter
    from langchain_mchunk.splitters.markdown import MarkdownSplitter
    from langchain_mchunk.splitters.recursive import RecursiveSplitter
    from langchain_mchunk.splitters.section import SectionSplitter
    from langchain_mchunk.splitters.semantic_markdown import SemanticMarkdownSplitter
    from langchain_mchunk.splitters.sentence import SentenceSplitter
    from langchain_mchunk.splitters.token import TokenSplitter
    from langchain_mchunk.tokens import TokenCounter
    from langchain_mchunk.views import view

__all__ = [
    "STRATEGIES",
    "ArrowChunker",
    "AutoSplitter",
    "CharacterSplitter",
    "HTMLSplitter",
    "JSONSplitter",
    "KeywordRetriever",
    "KeywordsExtractor",
    "LatexSplitter",
    "MarkdownSplitter",
    "QuestionsExtractor",
    "RecursiveSplitter",
    "Report",
    "SchemaExtractor",
    "SectionSplitter",
    "SemanticMarkdownSplitter",
    "SentenceSplitter",
    "Span",
    "SpanSplitter",
    "SummaryExtractor",
    "TitleExtractor",
    "TokenCounter",
    "TokenSplitter",
    "chunk",
    "chunk_key",
    "split_dataset",
    "view",
    "with_headers",
]

# Where each public name lives: it loads, with what it needs, on first use.
_HOMES = {
    "ArrowChunker": "batches",
    "AutoSplitter": "auto",
    "CharacterSplitter": "splitters.character",
    "HTMLSplitter": "splitters.html",
    "JSONSplitter": "splitters.json",
    "KeywordRetriever": "retriever",
    "KeywordsExtractor": "extractors",
    "LatexSplitter": "splitters.latex",
    "MarkdownSplitter": "splitters.markdown",
    "QuestionsExtractor": "extractors",
    "RecursiveSplitter": "splitters.recursive",
    "Report": "dataset",
    "STRATEGIES": "splitters",
    "SchemaExtractor": "extractors",
    "SectionSplitter": "splitters.section",
    "SemanticMarkdownSplitter": "splitters.semantic_markdown",
    "SentenceSplitter": "splitters.sentence",
    "Span": "spans",
    "SpanSplitter": "splitters.base",
    "SummaryExtractor": "extractors",
    "TitleExtractor": "extractors",
    "TokenCounter": "tokens",
    "TokenSplitter": "splitters.token",
    "chunk": "auto",
    "split_dataset": "dataset",
    "chunk_key": "documents",
    "view": "views",
    "with_headers": "documents",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
