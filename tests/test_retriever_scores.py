"""The index gives the results and the scores of a plain scan over all texts."""

import math
import time
import unicodedata
from collections import Counter

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_mchunk.index import Segment, batches, merged
from langchain_mchunk.ranking import best, bm25
from langchain_mchunk.retriever import KeywordRetriever
from langchain_mchunk.words import Word, fold, overlap, query_words, telling, words

# The plain scan, written a second time and without the library's words.

CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]"


def plain_fold(text):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def plain_short(word):
    return len(word) <= 3 and not regex.search(CJK, word)


def plain_count(word, text):
    if not plain_short(word):
        return text.count(word)
    return sum(run == word for run in regex.findall(r"[\w\p{M}]+", text))


def plain_words(query, texts):
    for word in regex.findall(r"[\w\p{M}]+", plain_fold(query)):
        end = 0
        for run in regex.finditer(CJK + "{3,}", word):
            if not any(run[0] in text for text in texts):
                yield word[end : run.start()]
                yield from (run[0][i : i + 2] for i in range(len(run[0]) - 1))
                end = run.end()
        yield word[end:]


def plain_scores(query, texts, scoring):
    texts = [plain_fold(text) for text in texts]
    wanted = [word for word in plain_words(query, texts) if word]
    if scoring == "overlap":
        wanted = [word for word in wanted if not plain_short(word)] or wanted
        return [sum(plain_count(word, text) for word in wanted) for text in texts]
    result = [0.0] * len(texts)
    mean = sum(map(len, texts)) / max(len(texts), 1)
    for word, times in Counter(wanted).items():
        counts = [plain_count(word, text) for text in texts]
        holding = sum(count > 0 for count in counts)
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for i, count in enumerate(counts):
            if count:
                norm = 1.2 * (1 - 0.75 + 0.75 * len(texts[i]) / mean)
                result[i] += times * (idf * count * 2.2 / (count + norm))
    return result


def plain_search(scores, k, order, min_score):
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    least = min_score if min_score is not None else 5e-324
    top = [i for i in ranked if scores[i] >= least][:k]
    return [(i, scores[i]) for i in (top if order == "score" else sorted(top))]


PARTS = [
    *["cache", "Caches", "ache", "anan", "ananan", "to", "TO", "a", "go_1", "ﬃx", "straße", "İi"],
    *[
        "кот",
        "КОТЫ",
        "हिन्दी",
        "ไทย",
        "ภาษาไทย",
        "全文検索",
        "検索",
        "水",
        "サーバー",
        "서울시",
        "𠮷野家",
    ],
    *[
        " ",
        " ",
        " ",
        ", ",
        "\n",
        "\0",
        "e\u0301",
        "\u0301",
        "\u200d",
        "\ud800",
        "🙂",
        "é",
        "=\u0338",
    ],
]
texts_of = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


@given(
    texts=st.lists(texts_of, max_size=12),
    query=texts_of,
    scoring=st.sampled_from(["overlap", "bm25"]),
    options=st.fixed_dictionaries(
        {
            "k": st.integers(0, 5),
            "order": st.sampled_from(["document", "score"]),
            "min_score": st.sampled_from([None, 0, 0.5, 2]),
        }
    ),
    split=st.integers(0, 12),
)
@settings(max_examples=300, deadline=None)
def test_results_and_scores_are_those_of_the_plain_scan(texts, query, scoring, options, split):
    documents = KeywordRetriever.from_texts(texts).documents
    retriever = KeywordRetriever.from_documents(documents[:split], scoring=scoring, **options)
    retriever.invoke("a query builds the first part of the index")
    retriever.add_documents(documents[split:])
    found = retriever.search_with_score(query)
    expected = plain_search(plain_scores(query, texts, scoring), **options)
    assert [score for _, score in found] == [score for _, score in expected]
    assert all(
        document is documents[i] for (document, _), (i, _) in zip(found, expected, strict=True)
    )


@given(texts=st.lists(texts_of, max_size=12), query=texts_of)
@settings(max_examples=100, deadline=None)
def test_the_rule_in_words_is_the_rule_of_the_index(texts, query):
    retriever = KeywordRetriever.from_texts(texts, k=len(texts), min_score=0)
    folded = [fold(text) for text in texts]
    prepared = telling(query_words(query, lambda run: any(run in text for text in folded)))
    scores = [overlap(prepared, text) for text in texts]
    assert [score for _, score in retriever.search_with_score(query)] == scores


@given(
    texts=st.lists(texts_of, max_size=12), kept=st.lists(st.booleans(), min_size=12, max_size=12)
)
@settings(max_examples=100, deadline=None)
def test_a_merged_or_thinned_index_is_that_of_its_texts(texts, kept):
    folded = [fold(text) for text in texts]
    kept = kept[: len(texts)]
    whole = merged([Segment.of(folded[:3]), Segment.of(folded[3:])])
    thinned = whole.only(np.array(kept, bool))
    left = [text for text, keep in zip(folded, kept, strict=True) if keep]
    assert sorted(thinned.words()) == sorted({word for text in left for word in words(text)})
    for text in thinned.words():
        for word in (Word(text, whole=True), Word(text[:2], whole=False)):
            counts = [word.count(one) for one in left]
            numbers, found = thinned.occurrences(word)
            assert list(numbers) == [i for i, count in enumerate(counts) if count]
            assert list(found) == [count for count in counts if count]


@given(
    scores=st.lists(st.integers(0, 3), max_size=1500),
    k=st.integers(0, 9),
    least=st.sampled_from([None, 0, 2, -1, 9]),
)
@settings(max_examples=100, deadline=None)
def test_the_best_are_those_of_a_stable_sort(scores, k, least):
    expected = [i for i, _ in plain_search(scores, k, "score", least)]
    assert best(np.array(scores, float), k, least) == expected


def test_a_count_larger_than_a_byte():
    retriever = KeywordRetriever.from_texts(["word " * 300, "word " * 70_000, "word"])
    assert [score for _, score in retriever.search_with_score("word")] == [300, 70_000, 1]


@pytest.mark.parametrize("word", ["a" * 64, "a" * 65, "ab" * 50, "慡" * 70, "\u6100\u0061" * 40])
def test_long_words_that_repeat_themselves(word):
    text = f"x {word * 5} {word[1:]} {word}y"
    found = KeywordRetriever.from_texts([text, word[:-1]]).search_with_score(word)
    assert [score for _, score in found] == [6]


def test_a_long_run_is_searched_in_linear_time():
    retriever = KeywordRetriever.from_texts(["a" * 1_000_000])
    started = time.process_time()
    assert [score for _, score in retriever.search_with_score("a" * 50_000)] == [20]
    assert [score for _, score in retriever.search_with_score("aaaa")] == [250_000]
    assert time.process_time() - started < 5


def test_batches_are_indexed_as_one(monkeypatch):
    monkeypatch.setattr("langchain_mchunk.index.BATCH", 20)
    folded = ["the cache is cold.", "a cache of caches.", "nothing.", "cold storage.", "cache"]
    parts = list(batches(folded))
    assert len(parts) == 3
    for index in (Segment.of(folded), merged(parts)):
        numbers, counts = index.occurrences(Word("cach", whole=False))
        assert (list(numbers), list(counts)) == ([0, 1, 4], [1, 2, 1])


def test_bm25_by_hand():
    """Two texts of 5 and 15 characters; the word stands twice in the shorter one alone."""
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 5 / 10))
    assert bm25(2, 5, 1, total=2, mean=10) == pytest.approx(expected)
    found = KeywordRetriever.from_texts(["ab ab", "x" * 15], scoring="bm25").search_with_score("ab")
    assert [score for _, score in found] == [pytest.approx(expected)]


def test_few_segments_however_documents_are_added():
    retriever = KeywordRetriever()
    for number in range(200):
        retriever.add_documents([Document(page_content=f"word{number} common")])
        assert retriever.invoke(f"word{number}")[0].page_content == f"word{number} common"
    _, segments = retriever.corpus.indexed()
    assert len(segments) <= 9
    assert len(retriever.invoke("common", k=300)) == 200
