"""KeywordRetriever against a plain scan of folded texts and against bm25s (`pip install bm25s`).

`python benchmarks/bench_retriever.py` prints the rows of a million chunks; it takes some ten
minutes and 8 GB.
"""

from __future__ import annotations

import random
import statistics
import tempfile
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bm25s
from harness import Row, faster, seconds

from langchain_mchunk import KeywordRetriever
from langchain_mchunk.words import fold, query_words, telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VOCABULARY = 200_000  # words
SHORT = 1_500  # of them, the commonest, have few syllables
ONSETS = [*"bcdfghjklmnprstvw", "st", "tr", "pl", "ch", "sh", "br", "cl", "gr"]
VOWELS = [*"aeiou", "ai", "ou", "ea", "ee"]
CODAS = ["", "", "", "n", "r", "s", "t", "ng", "ck", "nd"]


def vocabulary() -> list[str]:
    """Return words of one to five syllables, the frequent ones shorter."""
    chance = random.Random(1)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        most = 2 + len(words) // 500 if len(words) < SHORT else 5
        parts = [ONSETS, VOWELS] * chance.randint(1, most) + [CODAS]
        words["".join(map(chance.choice, parts))] = None
    return list(words)


def chunks(number: int, words: list[str]) -> Iterator[str]:
    """Return chunks of about 650 characters; word frequencies follow Zipf's law."""
    chance = random.Random(2)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    for _ in range(number):
        run = chance.choices(words, cum_weights=weights, k=chance.randint(70, 90))
        yield f"{' '.join(run[:25]).capitalize()}. {' '.join(run[25:]).capitalize()}, {run[0]}."


def queries(words: list[str], number: int = 20) -> list[str]:
    """Return queries of four words, neither among the commonest nor rare."""
    chance = random.Random(3)
    return [" ".join(chance.choices(words[100:20_000], k=4)) for _ in range(number)]


def scan(folded: list[str], query: str, k: int = 4) -> list[int]:
    """Return the k best texts by counting in all of them, in order."""
    texts = [word.text for word in telling(query_words(query, lambda _: True))]
    scores = [sum(map(text.count, texts)) for text in folded]
    return sorted(sorted(range(len(scores)), key=lambda i: -scores[i])[:k])


def built(texts: list[str]) -> KeywordRetriever:
    retriever = KeywordRetriever.from_texts(texts)
    retriever.invoke("the first query builds the index")
    return retriever


def peer(texts: list[str]) -> Any:
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    return index


def peer_query(index: Any, query: str) -> None:
    index.retrieve(bm25s.tokenize(query, show_progress=False), k=4, show_progress=False)


def answered(
    what: str, theirs: Callable[[str], object], ours: Callable[[str], object], asked: list[str]
) -> Row:
    """Time each query with both, and return the median ratio."""
    ratios = [
        seconds(lambda query=query: theirs(query)) / seconds(lambda query=query: ours(query))
        for query in asked
    ]
    return Row(what, f"{statistics.median(ratios):.1f} times as fast")


def rows() -> Iterator[Row]:
    words = vocabulary()
    texts = list(chunks(60_000, words))
    retriever, folded = built(texts), list(map(fold, texts))
    yield answered(
        "query of 60,000 chunks, to a plain scan of folded texts",
        lambda query: scan(folded, query),
        retriever.invoke,
        queries(words),
    )
    yield faster(
        "index of 60,000 chunks, Documents included, to bm25s",
        lambda: peer(texts),
        lambda: built(texts),
        rounds=3,
    )


def resident() -> int:
    """Return the bytes that this process holds (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def million() -> Iterator[Row]:
    words = vocabulary()
    texts = list(chunks(1_000_000, words))
    characters = sum(map(len, texts))
    documents = KeywordRetriever.from_texts(texts).documents
    before = resident()
    retriever = KeywordRetriever.from_documents(documents)
    spent = seconds(lambda: retriever.invoke("the first query builds the index"))
    grown = resident() - before
    yield Row("live memory of the index", f"{grown / characters:.2f} bytes a character")
    with tempfile.TemporaryDirectory() as folder:
        retriever.save_local(folder)
        saved = sum(path.stat().st_size for path in Path(folder).glob("*.npz"))
    yield Row("saved arrays", f"{saved / characters:.2f} bytes a character")
    index: list[Any] = []
    theirs = seconds(lambda: index.append(peer(texts)))
    yield Row("index of 1,000,000 chunks, to bm25s", f"{theirs / spent:.1f} times as fast")
    for scoring in ("overlap", "bm25"):
        yield answered(
            f"query of 1,000,000 chunks, scoring {scoring}, to bm25s",
            lambda query: peer_query(index[0], query),
            retriever.model_copy(update={"scoring": scoring}).invoke,
            queries(words),
        )


if __name__ == "__main__":
    for row in million():
        print(f"{row.what:<60} {row.value}", flush=True)
