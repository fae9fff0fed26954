"""questions: what a chunk can answer, in the model's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import Unpack, override

from langchain_mchunk.checks import check_integer
from langchain_mchunk.extractors.base import (
    CONTEXT,
    Answers,
    Extractor,
    Questions,
    added,
)
from langchain_mchunk.extractors.options import ExtractorOptions, check_template

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Sequence

    from langchain_core.documents import Document

QUESTIONS: Final = "questions_this_excerpt_can_answer"
TEMPLATE: Final = """Excerpt of a document:

{context}

Write {num_questions} questions that this excerpt answers and that would be hard to answer
without it. Name people, things and dates instead of pointing at "the excerpt". One question a line,
nothing else."""


class QuestionsExtractor(Extractor):
    """Adds `questions_this_excerpt_can_answer`: questions, one a line.

    Args:
        llm: Any LangChain chat model.
        questions: How many to ask for.
        prompt_template: Names `{context}`, the chunk's text, and `{num_questions}`.
        **options: See `Extractor`.
    """

    def __init__(
        self,
        llm: Any,
        *,
        questions: int = 5,
        prompt_template: str = TEMPLATE,
        **options: Unpack[ExtractorOptions],
    ) -> None:
        super().__init__(llm, **options)
        check_integer("questions", questions, 1)
        check_template("prompt_template", prompt_template, (CONTEXT, "num_questions"))
        self._questions = questions
        self._template = prompt_template

    @property
    @override
    def keys(self) -> tuple[str, ...]:
        return (QUESTIONS,)

    @override
    def work(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        answers = yield from self.each(documents, self._template, num_questions=self._questions)
        return added(QUESTIONS, answers)
