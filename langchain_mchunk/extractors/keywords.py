"""keywords: the words that tell a chunk apart, from a model or by counting."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import Unpack, override

from langchain_mchunk.extractors.base import (
    CONTEXT,
    Answers,
    Extractor,
    ExtractorOptions,
    Questions,
    added,
    check_count,
    check_template,
)
from langchain_mchunk.words import SHORT, fold, words

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Sequence

    from langchain_core.documents import Document

KEYWORDS: Final = "excerpt_keywords"
TEMPLATE: Final = """Part of a document:

{context}

List up to {max_keywords} keywords under which somebody would look for this part, the most telling
first, separated by commas. Answer with the list alone."""


class KeywordsExtractor(Extractor):
    """Adds `excerpt_keywords`: keywords joined with `", "`.

    Without a model the keywords are the words with the highest tf-idf over the given chunks: those
    that stand often in this chunk and in few others. Words of three letters or fewer are left out;
    nothing is downloaded.

    Args:
        llm: Any LangChain chat model, or None to count words.
        keywords: At most so many.
        prompt_template: Names `{context}`, the chunk's text, and `{max_keywords}`.
        **options: See `Extractor`.

    Example:
        >>> from langchain_core.documents import Document
        >>> chunks = [Document("tea and water, more tea"), Document("coffee and water")]
        >>> KeywordsExtractor(keywords=1).transform_documents([*chunks])[1].metadata
        {'excerpt_keywords': 'coffee'}
    """

    def __init__(
        self,
        llm: Any = None,
        *,
        keywords: int = 5,
        prompt_template: str = TEMPLATE,
        **options: Unpack[ExtractorOptions],
    ) -> None:
        super().__init__(llm, **options)
        check_count("keywords", keywords)
        check_template("prompt_template", prompt_template, (CONTEXT, "max_keywords"))
        self._keywords = keywords
        self._template = prompt_template

    @property
    @override
    def keys(self) -> tuple[str, ...]:
        return (KEYWORDS,)

    @override
    def work(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        if self.llm is None:
            texts = [document.page_content for document in documents]
            return added(KEYWORDS, [", ".join(best) for best in telling(texts, self._keywords)])
        answers = yield from self.each(documents, self._template, max_keywords=self._keywords)
        return added(KEYWORDS, answers)


def telling(texts: Sequence[str], most: int) -> list[list[str]]:
    """Return for each text the words with the highest tf-idf, the earlier one among equals.

    tf is how often a word stands in the text, idf is ln((1 + n) / (1 + df)) + 1 with df of the n
    texts holding it: the smoothed form of Manning, Raghavan, Schuetze, Introduction to Information
    Retrieval (2008), section 6.2.
    """
    counts = [Counter(w for w in words(fold(text)) if len(w) > SHORT) for text in texts]
    holding = Counter(word for count in counts for word in count)
    weight = {word: log((1 + len(texts)) / (1 + df)) + 1 for word, df in holding.items()}
    return [
        sorted(count, key=lambda word, count=count: -count[word] * weight[word])[:most]  # type: ignore[misc]
        for count in counts
    ]
