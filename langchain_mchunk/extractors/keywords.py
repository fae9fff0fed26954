"""keywords: the words that tell a chunk apart, from a model or by counting."""

from __future__ import annotations

import re
from collections import Counter
from math import log
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
from langchain_mchunk.extractors.terms import is_telling, terms
from langchain_mchunk.words import is_short

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Sequence

    from langchain_core.documents import Document

KEYWORDS: Final = "excerpt_keywords"
TEMPLATE: Final = """Part of a document:

{context}

List up to {max_keywords} keywords under which somebody would look for this part, the most telling
first, separated by commas. Answer with the list alone."""

_CAPTION: Final = re.compile(r"\A[^\n,;:]{0,40}\bkey\s?words?\b[^\n,;:]{0,40}:", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"[,;\n\r\u060c\u061b\u3001\uff0c\uff1b]")  # Arabic and CJK ones, too
_MARK: Final = re.compile(  # of a list item
    r"\s*+(?: (?: [-*+\u2022\u2013\u2014\xb7] | \(?\d{1,3}[.)] ) (?:\s++|\Z) )?+", re.VERBOSE
)
# White space, quotes and marks of emphasis.
_AROUND: Final = " \t\xa0\u3000\"'`*\xab\xbb\u2018\u2019\u201c\u201d\u201e\u300c\u300d"


class KeywordsExtractor(Extractor):
    """Adds `excerpt_keywords`: keywords joined with `", "`, each once.

    A model's answer is cut at commas, semicolons and line breaks, and bullets, numbers and quotes
    around a keyword go.

    Without a model the keywords are the words with the highest tf-idf over the given chunks: those
    that stand often in this chunk and in few others. Function words (of English, German, French,
    Spanish, Italian and Russian; hiragana) and words of three letters or fewer are left out if
    there are others; those in Han, kana or Hangul count whatever their length. Chinese, Japanese
    and Thai, written without spaces, count by runs of one script. Nothing is downloaded.

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

    needs_model = False

    def __init__(
        self,
        llm: Any = None,
        *,
        keywords: int = 5,
        prompt_template: str = TEMPLATE,
        **options: Unpack[ExtractorOptions],
    ) -> None:
        super().__init__(llm, **options)
        check_integer("keywords", keywords, 1)
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

    @override
    def text(self, i: int, answer: str) -> str:
        """Return the keywords of an answer, joined; an answer without any is a ValueError."""
        return super().text(i, ", ".join(_listed(answer)[: self._keywords]))


def telling(texts: Sequence[str], most: int) -> list[list[str]]:
    """Return for each text the terms with the highest tf-idf, then tf, then the longer ones.

    tf is how often a word stands in the text, idf is ln(n / df) with df of the n texts that have
    words holding it: Manning, Raghavan, Schuetze, Introduction to Information Retrieval (2008),
    section 6.2. A word of all texts has an idf of 0, so in a single text tf alone decides.
    """
    counts = [_counted(text) for text in texts]
    holding = Counter(word for count in counts for word in count)
    n = sum(bool(count) for count in counts)

    def rank(word: str, tf: int) -> tuple[float, int, int]:
        return -tf * log(n / holding[word]), -tf, -len(word)

    return [
        [word for word, _ in sorted(count.items(), key=lambda item: rank(*item))[:most]]
        for count in counts
    ]


def _counted(text: str) -> dict[str, int]:
    """Count the terms, without function words and short ones if there are others."""
    count = Counter(terms(text))
    full = {term: tf for term, tf in count.items() if is_telling(term)} or count
    return {term: tf for term, tf in full.items() if not is_short(term)} or full


def _listed(answer: str) -> list[str]:
    """Return the keywords of a model's list, each once, as it was written first."""
    listed: dict[str, str] = {}
    for item in _BETWEEN.split(_CAPTION.sub("", answer)):
        keyword = _MARK.sub("", item, count=1).strip(_AROUND)
        if keyword:
            listed.setdefault(keyword.casefold(), keyword)
    return list(listed.values())
