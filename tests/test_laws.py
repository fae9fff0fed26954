"""The laws of DESIGN, stated once and held by every strategy in `STRATEGIES` on any text.

Strategies that make text (html, json) keep the laws about agreement, isolation and processes here;
what cover, order and limit mean for them is tested in their own modules.
"""

from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_mchunk import STRATEGIES, TokenCounter

MAKES_TEXT = {"html", "json"}
SIZED_IN_TOKENS = {"token", "semantic-markdown"}
SLICES = [name for name in STRATEGIES if name not in MAKES_TEXT]

FRAGMENTS = [
    *[
        "a",
        "bb",
        "word ",
        "Two words. ",
        "Why? ",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\r\n\r\n",
        "\r",
        "\t",
    ],
    *[
        "# H\n",
        "## Sub ##\n",
        "#\n",
        "Title\n===\n",
        "```\n",
        "~~~\n",
        "- item\n",
        "> quote\n",
        "| a | b |\n",
    ],
    *["\\section{S}\n", "\\begin{a}", "\\end{a}", "$$", "{", "}", "%", "<p>", "</p>", "&amp;"],
    *["漢字。", "かな", "कि", "नमस्ते ", "สวัสดี", "שלום ", "مرحبا؟ ", "e\u0301", "\u0301", "\u200d"],
    *[
        "👨\u200d👩\u200d👧",
        "🇩🇪🇫🇷",
        "👍🏽",
        "\u2028",
        "\f",
        "\x1c",
        "\x85",
        "\u200b",
        "\ufeff",
        "\u00a0",
    ],
    *["<|endoftext|>", "x" * 40, "^" * 9],
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=50).map("".join),
    st.text(max_size=80),
)


def words(text: str) -> int:
    return len(text.split())


def utf8(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def jumpy(text: str) -> int:
    """A unit in which a longer text is often smaller."""
    return len(text) * 7919 % 13 + len(text) // 3


UNITS = {
    "characters": len,
    "jumpy": jumpy,
    "words": words,
    "bytes": utf8,
    **{name: TokenCounter(name) for name in ("cl100k_base", "o200k_base", "gpt2")},
}

law = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def options_for(strategy: str, unit: str, size: int, overlap: int, **others: Any) -> dict[str, Any]:
    """Options that ask every strategy for the same limit."""
    options = {"chunk_size": size, "chunk_overlap": overlap, "add_start_index": True, **others}
    if strategy not in SIZED_IN_TOKENS:
        options["length_function"] = UNITS[unit]
    return options


def measure(strategy: str, unit: str) -> Any:
    return UNITS["cl100k_base"] if strategy in SIZED_IN_TOKENS else UNITS[unit]


def spans(chunks: list[Document]) -> list[tuple[int, int]]:
    return [
        (chunk.metadata["start_index"], chunk.metadata["start_index"] + len(chunk.page_content))
        for chunk in chunks
    ]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("strategy", SLICES)
@law
@given(text=TEXTS, size=st.integers(1, 60), strip=st.booleans(), data=st.data())
def test_slice_limit_cover_order_overlap(
    strategy: str, unit: str, text: str, size: int, strip: bool, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1), label="overlap")
    length = measure(strategy, unit)
    options = options_for(strategy, unit, size, overlap, strip_whitespace=strip)
    chunks = STRATEGIES[strategy](**options).create_documents([text])
    covered = set()
    for index, chunk in enumerate(chunks):
        (start, end), content = spans([chunk])[0], chunk.page_content
        assert text[start:end] == content
        assert content
        assert not strip or content == content.strip()
        assert length(content) <= size or len(content) == 1
        assert chunk.metadata["index"] == index
        assert len(chunk.metadata["label"]) <= 80
        covered.update(range(start, end))
    for (start, end), (next_start, next_end) in pairwise(spans(chunks)):
        assert start < next_start
        assert end < next_end
        assert next_start >= end or length(text[next_start:end]) <= overlap
    lost = [
        i
        for i, character in enumerate(text)
        if i not in covered and not character.isspace() and (i, character) != (0, "\ufeff")
    ]
    assert not lost


@pytest.mark.parametrize("strategy", SLICES)
@law
@given(text=TEXTS, size=st.integers(12, 60))
def test_clusters_that_fit_are_whole(strategy: str, text: str, size: int) -> None:
    length = measure(strategy, "characters")
    options = options_for(strategy, "characters", size, 0)
    chunks = STRATEGIES[strategy](**options).create_documents([text])
    borders = {border for span in spans(chunks) for border in span}
    for match in regex.finditer(r"\X", text):
        whole = match.group()
        if length(whole) > size or whole != whole.strip() or match.start() == 0:
            continue
        assert not any(match.start() < border < match.end() for border in borders), whole


@pytest.mark.parametrize("strategy", STRATEGIES)
@law
@given(text=TEXTS)
def test_agreement(strategy: str, text: str) -> None:
    text = f'["{"ab " * len(text)}", 1]' if strategy == "json" else text
    splitter = STRATEGIES[strategy](chunk_size=30)
    documents = [Document(page_content=text, metadata={"n": 1}), Document(page_content=text)]
    chunks = splitter.split_documents(documents)
    assert splitter.split_documents(documents) == chunks
    assert splitter.transform_documents(documents) == chunks
    assert list(splitter.lazy_split_documents(iter(documents))) == chunks
    assert asyncio.run(splitter.atransform_documents(documents)) == chunks
    first = splitter.create_documents([text], [{"n": 1}])
    assert first == chunks[: len(first)]
    assert splitter.split_text(text) == [chunk.page_content for chunk in first]
    assert [chunk.metadata["index"] for chunk in chunks] == 2 * list(range(len(first)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_isolation(strategy: str) -> None:
    text = "[1, 2, 3, 4, 5, 6, 7, 8, 9]" if strategy == "json" else "word and word " * 9
    metadata = {"tags": ["a"], "deep": {"b": [1]}, "pair": ([], 1), "plain": "c"}
    document = Document(page_content=text, metadata=copy.deepcopy(metadata))
    chunks = STRATEGIES[strategy](chunk_size=12).split_documents([document])
    assert len(chunks) > 1
    chunks[0].metadata["tags"].append("changed")
    chunks[0].metadata["deep"]["b"].append("changed")
    chunks[0].metadata["pair"][0].append("changed")
    assert document.page_content == text
    assert document.metadata == metadata
    assert {key: chunks[1].metadata[key] for key in metadata} == metadata


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_process(strategy: str) -> None:
    text = "[1, 2, 3, 4, 5, 6, 7, 8, 9]" if strategy == "json" else "word and word " * 9
    splitter = STRATEGIES[strategy](chunk_size=12)
    chunks = splitter.split_text(text)
    assert pickle.loads(pickle.dumps(splitter)).split_text(text) == chunks
    assert copy.deepcopy(splitter).split_text(text) == chunks
    with ThreadPoolExecutor(4) as pool:
        assert all(result == chunks for result in pool.map(splitter.split_text, [text] * 8))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", ["", " ", " \n\n\t \r\n ", "\ufeff", "\ufeff \n"])
def test_blank_texts_have_no_chunks(strategy: str, text: str) -> None:
    if strategy == "json":
        pytest.skip("a blank text is no JSON document: an error, tested there")
    splitter = STRATEGIES[strategy](chunk_size=12)
    assert splitter.split_text(text) == []
