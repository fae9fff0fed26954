"""The strategies, one module each: `STRATEGIES` is the index of the library, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from langchain_mchunk.splitters.base import BaseSplitter


class _Strategies(Mapping[str, "type[BaseSplitter]"]):
    """Loads a strategy, and with it its parser, when it is asked for."""

    def __init__(self, classes: Mapping[str, str]) -> None:
        self._classes = classes

    def __getitem__(self, strategy: str) -> type[BaseSplitter]:
        name = self._classes[strategy]
        module = import_module(f"{__name__}.{strategy.replace('-', '_')}")
        return cast("type[BaseSplitter]", getattr(module, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)


STRATEGIES: Final = _Strategies(
    {
        "section": "SectionSplitter",
        "recursive": "RecursiveSplitter",
        "character": "CharacterSplitter",
        "token": "TokenSplitter",
        "sentence": "SentenceSplitter",
        "markdown": "MarkdownSplitter",
        "semantic-markdown": "SemanticMarkdownSplitter",
        "html": "HTMLSplitter",
        "json": "JSONSplitter",
        "latex": "LatexSplitter",
    }
)
