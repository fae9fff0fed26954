"""sentence: how sentences are joined, repeated and, if too large, cut."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_mchunk import SentenceSplitter, TokenCounter
from langchain_mchunk.sentences import sentence_ends


def split(text: str, size: int, **options: object) -> list[str]:
    return SentenceSplitter(chunk_size=size, **{"chunk_overlap": 0, **options}).split_text(text)


def test_a_chunk_is_closed_when_it_reaches_the_target() -> None:
    text = "One one. Two two. Three three. Four four. Five."
    assert split(text, 40, target_size=17, min_size=1) == [
        "One one. Two two.",
        "Three three. Four four.",
        "Five.",
    ]
    assert split(text, 40, target_size=18, min_size=1) == [
        "One one. Two two. Three three.",
        "Four four. Five.",
    ]


def test_a_sentence_that_does_not_fit_begins_the_next_chunk() -> None:
    text = "One one. Two two. Three three three. Four."
    assert split(text, 20, target_size=20, min_size=1) == [
        "One one. Two two.",
        "Three three three.",
        "Four.",
    ]


def test_a_small_chunk_joins_the_one_before_else_the_one_after() -> None:
    text = "Aaaa aaaa aaaa. Bb. Cccc cccc cccc."
    options = {"target_size": 10, "min_size": 6}
    assert split("Aaaa aaaa aaaa. Bb.", 20, **options) == ["Aaaa aaaa aaaa. Bb."]
    assert split(f"Bb. {'c' * 17}. Dddddd ddd.", 21, **options)[0] == "Bb."  # neither fits
    assert split(text, 15, target_size=15, min_size=3) == text.replace(". ", ".|").split("|")
    after = "Aaaa aaaa aaaa aaaa. B. C cccc cccccc cccc."
    assert split(after, 22, target_size=8, min_size=4) == [
        "Aaaa aaaa aaaa aaaa.",
        "B. C cccc cccccc cccc.",
    ]


def test_the_small_last_chunk_may_pass_the_target_but_not_the_size() -> None:
    text = "Aaaa aaaa aaaa. Bb."
    assert split(text, 19, target_size=15, min_size=4) == [text]
    assert split(text, 18, target_size=15, min_size=4) == ["Aaaa aaaa aaaa.", "Bb."]


def test_overlap_is_whole_sentences() -> None:
    text = "Aaa. Bbb. Ccc. Ddd. Eee. Fff. Ggg."
    chunks = split(text, 14, target_size=14, min_size=1, chunk_overlap=4)
    assert chunks == ["Aaa. Bbb. Ccc.", "Ccc. Ddd. Eee.", "Eee. Fff. Ggg."]
    assert split(text, 14, target_size=14, min_size=1, chunk_overlap=3) == [
        "Aaa. Bbb. Ccc.",
        "Ddd. Eee. Fff.",
        "Ggg.",
    ]


def test_overlap_gives_way_to_the_next_sentence() -> None:
    text = "Aaaa. Bbbb. Cccccccc cccccc. Dd."
    assert split(text, 20, target_size=11, min_size=1, chunk_overlap=6) == [
        "Aaaa. Bbbb.",
        "Cccccccc cccccc.",
        "Dd.",
    ]


LONG = "Tiny. A sentence with incomprehensibilities inside it. End."


@pytest.mark.parametrize(
    ("words", "characters", "chunks"),
    [
        (
            True,
            True,
            ["Tiny.", "A sentence", "with", "incomprehe", "nsibilitie", "s inside", "it."],
        ),
        (False, True, ["Tiny.", "A sentence", "with incom", "prehensibi", "lities ins", "ide it."]),
        (True, False, ["Tiny.", "A sentence", "with", "incomprehensibilities", "inside it."]),
        (False, False, ["Tiny.", "A sentence with incomprehensibilities inside it."]),
    ],
)
def test_a_sentence_that_is_too_large(words: bool, characters: bool, chunks: list[str]) -> None:
    options = {"fallback_to_words": words, "fallback_to_characters": characters}
    assert split(LONG, 10, target_size=10, min_size=1, **options) == [*chunks, "End."]


def test_clusters_are_whole() -> None:
    family = "👨\u200d👩\u200d👧"
    assert split(family * 5, 11, fallback_to_words=False) == [family * 2, family * 2, family]


def test_language_and_enders() -> None:
    text = "Es war z. B. Anna. Am 3. Mai kam er; sie blieb."
    options = {"target_size": 1, "min_size": 1}
    assert split(text, 99, language="de", **options) == [
        "Es war z. B. Anna.",
        "Am 3. Mai kam er; sie blieb.",
    ]
    assert split(text, 99, sentence_enders=[";"], **options) == [
        "Es war z. B. Anna. Am 3. Mai kam er;",
        "sie blieb.",
    ]


def test_enders_may_come_from_an_iterator() -> None:
    options = {"target_size": 1, "min_size": 1}
    assert split("aa; bb. C", 9, sentence_enders=iter([".", ";"]), **options) == [
        "aa;",
        "bb.",
        "C",
    ]


def test_defaults() -> None:
    text = "Twenty characters ab. " * 100
    chunks = SentenceSplitter(chunk_size=1000).split_text(text)
    assert all(800 <= len(chunk) <= 1000 for chunk in chunks[:-1])
    assert split("Ab. Cd. Ef.", 1) == list("Ab.Cd.Ef.")
    with pytest.raises(TypeError, match="chunk_size"):
        SentenceSplitter()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"chunk_size": None}, TypeError, "chunk_size must be an integer, got None"),
        ({"target_size": 101}, ValueError, "target_size must be at most chunk_size (100), got 101"),
        ({"min_size": 101}, ValueError, "min_size must be at most chunk_size (100), got 101"),
        (
            {"target_size": 20, "min_size": 30},
            ValueError,
            "min_size must be at most target_size (20), got 30",
        ),
        ({"target_size": 0}, ValueError, "target_size must be at least 1, got 0"),
        ({"min_size": -1}, ValueError, "min_size must be at least 0, got -1"),
        ({"min_size": "5"}, TypeError, "min_size must be an integer, got '5'"),
        ({"language": None}, TypeError, "language must be an ISO 639 code such as 'de', got None"),
        (
            {"sentence_enders": ".;"},
            TypeError,
            "sentence_enders must be a list of characters, got '.;': write ['.', ';']",
        ),
        (
            {"sentence_enders": None},
            TypeError,
            "sentence_enders must be a list of characters, got None: write ['.', ';']",
        ),
        (
            {"sentence_enders": ["...", "!"]},
            ValueError,
            "sentence_enders must hold one character each, got '...'",
        ),
        ({"fallback_to_words": 1}, TypeError, "fallback_to_words must be True or False, got 1"),
    ],
)
def test_messages(options: dict[str, object], error: type, message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        SentenceSplitter(**{"chunk_size": 100, **options})


def test_sizes_in_tokens() -> None:
    text = "Пустота. Hello there! 你好。 Dr. Hall left. " * 30
    splitter = SentenceSplitter.from_tiktoken_encoder(chunk_size=30, target_size=24, min_size=5)
    chunks = splitter.split_text(text)
    sizes = list(map(TokenCounter("cl100k_base"), chunks))
    assert max(sizes) <= 30
    assert min(sizes[:-1]) >= 20
    assert all(chunk.endswith((".", "!", "。")) for chunk in chunks)


PARTS = [
    "Aa bb. ",
    "C! ",
    "Dd dd dd dd? ",
    "好。",
    "Dr. E f. ",
    "ggggggggggggggggggg ",
    "\n\n",
    "x",
]


@settings(max_examples=200, deadline=None)
@given(
    text=st.lists(st.sampled_from(PARTS), max_size=30).map("".join),
    size=st.integers(1, 40),
    data=st.data(),
)
def test_chunks_are_sentences(text: str, size: int, data: st.DataObject) -> None:
    target = data.draw(st.integers(1, size))
    least = data.draw(st.integers(0, target))
    overlap = data.draw(st.integers(0, size - 1))
    splitter = SentenceSplitter(
        chunk_size=size,
        target_size=target,
        min_size=least,
        chunk_overlap=overlap,
        fallback_to_words=False,
        fallback_to_characters=False,
        add_start_index=True,
    )
    chunks = splitter.create_documents([text])
    first = len(text) - len(text.lstrip())
    starts = {first, *sentence_ends(text)}
    borders = sorted([*starts, len(text)])
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert start in starts
        end = next(b for b in borders if text[start:b].strip() == chunk.page_content)
        assert len(chunk.page_content) <= size or borders.index(end) == borders.index(start) + 1
    end = 0
    cores = []  # the chunks without what they repeat
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert end - start <= overlap
        fresh = text[max(start, end) : start + len(chunk.page_content)]
        end = start + len(chunk.page_content)
        cores.append((end - len(fresh.lstrip()), end))
    for (start, middle), (following, end) in pairwise(cores):
        small = min(middle - start, end - following) < least
        assert not small or end - start > size, "a small chunk that fits is joined"
