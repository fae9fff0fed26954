"""Text splitters for LangChain: chunks that know their label, headings and exact place."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_mchunk.spans import Span
    from langchain_mchunk.splitters import STRATEGIES
    from langchain_mchunk.splitters.base import SpanSplitter
    from langchain_mchunk.splitters.html import HTMLSplitter
    from langchain_mchunk.splitters.section import SectionSplitter
    from langchain_mchunk.splitters.token import TokenSplitter
    from langchain_mchunk.tokens import TokenCounter
    from langchain_mchunk.views import view

__all__ = [
    "STRATEGIES",
    "HTMLSplitter",
    "SectionSplitter",
    "Span",
    "SpanSplitter",
    "TokenCounter",
    "TokenSplitter",
    "view",
]

# Where each public name lives: it loads, with what it needs, on first use.
_HOMES = {
    "STRATEGIES": "splitters",
    "HTMLSplitter": "splitters.html",
    "SectionSplitter": "splitters.section",
    "Span": "spans",
    "SpanSplitter": "splitters.base",
    "TokenCounter": "tokens",
    "TokenSplitter": "splitters.token",
    "view": "views",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
