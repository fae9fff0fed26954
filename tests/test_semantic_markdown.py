"""semantic-markdown: which sections join, and what a chunk then says of itself."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from markdown_oracle import REAL, TEXTS

from langchain_mchunk import SemanticMarkdownSplitter, TokenCounter
from langchain_mchunk.splitters._markdown_structure import read

COUNT = TokenCounter()


def split(text: str, **options: object) -> list[Document]:
    return SemanticMarkdownSplitter(add_start_index=True, **options).create_documents([text])


def texts(text: str, **options: object) -> list[str]:
    return [chunk.page_content for chunk in split(text, **options)]


def joined_one_by_one(text: str, threshold: int) -> list[str]:
    """Join sections as the rule says it, measuring at every step."""
    headings = read(text, inner=False).headings
    starts = [(0, 0), *((heading.start, heading.level) for heading in headings), (len(text), 0)]
    groups = [(low, high, level) for (low, level), (high, _) in pairwise(starts)]
    groups = [group for group in groups if text[group[0] : group[1]].strip()]
    for level in range(6, 0, -1):
        kept: list[tuple[int, int, int]] = []
        for low, high, own in groups:
            first = kept[-1] if kept else (0, 0, 7)
            size = COUNT(text[first[0] : high].strip())
            if own == level and first[2] <= own and size < threshold:
                kept[-1] = (first[0], high, first[2])
            else:
                kept.append((low, high, own))
        groups = kept
    return [text[low:high].strip() for low, high, _ in groups]


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(0, 60))
def test_it_joins_what_the_rule_says(text: str, threshold: int) -> None:
    assert texts(text, join_threshold=threshold) == joined_one_by_one(text, threshold)


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.integers(1, 40), st.integers(0, 60))
def test_limit_and_count(text: str, size: int, threshold: int) -> None:
    for chunk in split(text, chunk_size=size, join_threshold=threshold):
        count = chunk.metadata["token_count"]
        assert count == COUNT(chunk.page_content)
        assert count <= size or len(chunk.page_content) == 1


@pytest.mark.parametrize("path", REAL, ids=lambda path: "/".join(path.parts[-3:]))
def test_real_files(path) -> None:
    text = path.read_text("utf-8", errors="replace")
    if not text.startswith("---"):
        assert texts(text, join_threshold=200) == joined_one_by_one(text, 200)


def test_sections_in_a_random_order() -> None:
    chance = random.Random(4)
    text = "".join(
        f"{'#' * chance.randint(1, 6)} {i}\n\n{'word ' * chance.randint(0, 60)}\n\n"
        for i in range(300)
    )
    for threshold in (10, 50, 120, 400):
        assert texts(text, join_threshold=threshold) == joined_one_by_one(text, threshold)


def test_headers_are_those_of_the_first_section() -> None:
    text = "lead\n\n# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\nd"
    chunks = split(text, join_threshold=9)
    assert [(c.metadata["headers"], c.metadata["label"], c.page_content) for c in chunks] == [
        ("", "lead", "lead\n\n# A\n\na"),
        ("A > B", "B", "## B\n\nb"),
        ("A > C", "C", "## C\n\nc"),
        ("D", "D", "# D\n\nd"),
    ]


def test_a_large_section_stays_whole_or_is_packed() -> None:
    text = "# A\n\n" + "A sentence of six words. " * 20
    assert texts(text, join_threshold=50) == [text.strip()]
    chunks = split(text, join_threshold=50, chunk_size=40, chunk_overlap=0)
    assert len(chunks) > 2
    assert {chunk.metadata["headers"] for chunk in chunks} == {"A"}
    assert max(chunk.metadata["token_count"] for chunk in chunks) <= 40


def test_sections_join_up_to_chunk_size_only() -> None:
    text = "# A\n\none two\n\n## B\n\nthree four\n\n## C\n\nfive six"
    assert len(split(text)) == 1
    assert len(split(text, chunk_size=8, chunk_overlap=0)) == 3


def test_front_matter_and_headings_in_lists_are_no_sections() -> None:
    text = "---\n# no\n---\n\n# A\n\n- # no\n\n> # no\n"
    chunks = split(text, join_threshold=0)
    assert [chunk.metadata["headers"] for chunk in chunks] == ["", "A"]


def test_other_encodings_and_counters() -> None:
    text = "# A\n\n" + "Größenordnungen " * 9
    counts = {
        name: split(text, encoding_name=name)[0].metadata["token_count"]
        for name in ("gpt2", "cl100k_base", "o200k_base")
    }
    assert counts == {name: TokenCounter(name)(text.strip()) for name in counts}
    by_method = SemanticMarkdownSplitter.from_tiktoken_encoder("gpt2", join_threshold=9)
    assert by_method.create_documents([text])[0].metadata["token_count"] == counts["gpt2"]
    with pytest.raises(ValueError, match="<.endoftext.>"):
        split("# A <|endoftext|>", disallowed_special="all")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"join_threshold": "9"}, TypeError, "join_threshold must be an integer, got '9'"),
        ({"join_threshold": -1}, ValueError, "join_threshold must be at least 0, got -1"),
        ({"chunk_size": 0}, ValueError, "chunk_size must be at least 1, got 0"),
        ({"encoding_name": "x"}, ValueError, "encoding"),
        ({"headers": []}, TypeError, "headers"),
    ],
)
def test_options_are_checked(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SemanticMarkdownSplitter(**options)
