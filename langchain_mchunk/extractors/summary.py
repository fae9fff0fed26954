"""summary: what a chunk says, and what its neighbours in the document say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from typing_extensions import Unpack, override

from langchain_mchunk.extractors.base import (
    CONTEXT,
    Answers,
    Extractor,
    Questions,
    document_of,
)
from langchain_mchunk.extractors.options import ExtractorOptions, check_template

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Sequence

    from langchain_core.documents import Document

KEYS: Final = {
    "self": "section_summary",
    "prev": "prev_section_summary",
    "next": "next_section_summary",
}
STEPS: Final = {"self": 0, "prev": -1, "next": 1}
TEMPLATE: Final = """Part of a document:

{context}

Say in at most three sentences what this part is about and what it states. Keep the names of people,
products and places. Answer with the summary alone."""


class SummaryExtractor(Extractor):
    """Adds `section_summary`, `prev_section_summary`, `next_section_summary`, as asked for.

    Each chunk is summarised once, whatever is asked for. A neighbour is the chunk before or behind,
    if it is of the same document.

    Args:
        llm: Any LangChain chat model.
        summaries: Some of `"self"`, `"prev"`, `"next"`.
        prompt_template: Names `{context}`, the chunk's text.
        **options: See `Extractor`.
    """

    def __init__(
        self,
        llm: Any,
        *,
        summaries: Iterable[Literal["self", "prev", "next"]] = ("self",),
        prompt_template: str = TEMPLATE,
        **options: Unpack[ExtractorOptions],
    ) -> None:
        super().__init__(llm, **options)
        which = [*summaries] if isinstance(summaries, Iterable) else []
        if isinstance(summaries, str) or not which or any(one not in list(KEYS) for one in which):
            got = which or summaries
            raise ValueError(f"summaries must be some of {', '.join(KEYS)}, got {got!r}")
        check_template("prompt_template", prompt_template, (CONTEXT,))
        self._summaries = tuple(which)
        self._template = prompt_template

    @property
    @override
    def keys(self) -> tuple[str, ...]:
        return tuple(KEYS[which] for which in self._summaries)

    @override
    def groups(self, documents: Sequence[Document]) -> list[Hashable]:
        """Say of what document each chunk is; unnamed ones go on as long as `index` does."""
        groups: list[Hashable] = []
        for i, document in enumerate(documents):
            metadata, before = document.metadata, documents[i - 1].metadata if i else {}
            named = document_of(metadata)
            goes_on = "index" in metadata and before.get("index") == metadata["index"] - 1
            groups.append(named or (groups[-1] if groups and goes_on else (i,)))
        return groups

    @override
    def work(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        summaries = yield from self.each(documents, self._template)
        result: list[dict[str, Any]] = [{} for _ in documents]
        for which in self._summaries:
            for i, group in enumerate(groups):
                other = i + STEPS[which]
                if 0 <= other < len(groups) and groups[other] == group and summaries[other]:
                    result[i][KEYS[which]] = summaries[other]
        return result
