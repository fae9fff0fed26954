"""title: one title for all chunks of a document, combined from candidates of its first chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import Unpack, override

from langchain_mchunk.checks import check_integer
from langchain_mchunk.extractors.base import (
    CONTEXT,
    Answers,
    Extractor,
    Questions,
)
from langchain_mchunk.extractors.options import ExtractorOptions, check_template

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Sequence

    from langchain_core.documents import Document

TITLE: Final = "document_title"
NODE_TEMPLATE: Final = """The beginning of a document, or a part near it:

{context}

Give the document a title that names its subject and the things and names that set it apart. Answer
with the title alone."""
COMBINE_TEMPLATE: Final = """Titles that were proposed for one document, each from one of its parts:

{context}

Write the one title that fits the whole document best. Answer with the title alone."""


class TitleExtractor(Extractor):
    """Adds `document_title`, the same for all chunks of one document.

    Chunks are of one document if they agree in `metadata["doc_id"]`, else in `source`; a chunk with
    neither is a document by itself. Each of the first chunks proposes a title; several proposals
    are combined by a last request.

    Args:
        llm: Any LangChain chat model.
        nodes: How many chunks of a document, from its start, propose a title.
        node_template: Names `{context}`, a chunk's text.
        combine_template: Names `{context}`, the proposals, one a line.
        **options: See `Extractor`.
    """

    def __init__(
        self,
        llm: Any,
        *,
        nodes: int = 5,
        node_template: str = NODE_TEMPLATE,
        combine_template: str = COMBINE_TEMPLATE,
        **options: Unpack[ExtractorOptions],
    ) -> None:
        super().__init__(llm, **options)
        check_integer("nodes", nodes, 1)
        check_template("node_template", node_template, (CONTEXT,))
        check_template("combine_template", combine_template, (CONTEXT,))
        self._nodes = nodes
        self._node_template = node_template
        self._combine_template = combine_template

    @property
    @override
    def keys(self) -> tuple[str, ...]:
        return (TITLE,)

    @override
    def work(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        first = self._first(documents, groups)
        answers = yield from self.each([documents[i] for i in first], self._node_template)
        proposals: dict[Hashable, list[str]] = {}
        for i, answer in zip(first, answers, strict=True):
            if answer:
                proposals.setdefault(groups[i], []).append(answer)
        titles = yield from self._combined(proposals)
        return [{TITLE: titles[group]} if group in titles else {} for group in groups]

    def _first(self, documents: Sequence[Document], groups: Sequence[Hashable]) -> list[int]:
        """Return the places of the first chunks of each document, blank ones passed over."""
        taken: dict[Hashable, int] = {}
        first = []
        for i, group in enumerate(groups):
            if documents[i].page_content.strip() and taken.get(group, 0) < self._nodes:
                taken[group] = taken.get(group, 0) + 1
                first.append(i)
        return first

    def _combined(
        self, proposals: dict[Hashable, list[str]]
    ) -> Generator[Questions, Answers, dict[Hashable, str]]:
        titles = {group: titles[0] for group, titles in proposals.items()}
        several = [group for group, titles in proposals.items() if len(titles) > 1]
        inputs = [{CONTEXT: "\n".join(proposals[group])} for group in several]
        answers = yield Questions(self.chain(self._combine_template), inputs, self.text)
        combined = zip(several, answers, strict=True)
        titles.update({group: answer for group, answer in combined if answer})
        return titles  # where combining failed, the first proposal stands
