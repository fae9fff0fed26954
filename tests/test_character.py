"""character: one separator, or several in order; what is then too large is cut at words."""

from __future__ import annotations

import re
from pydoc_data.topics import topics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import CharacterTextSplitter

from langchain_mchunk import CharacterSplitter, TokenCounter

PROSE = "\n\n".join(" ".join(text.split()) for text in topics.values())
MARKUP = "\n\n".join(topics.values())


def pieces_fit(text: str, separator: str, size: int, *, regex: bool) -> bool:
    pattern = separator if regex else re.escape(separator)
    ends = (end for match in re.finditer(pattern, text) for end in match.span())
    cuts = [0, 0, *ends, len(text), len(text)]
    return all(b - a < size for a, b in zip(cuts, cuts[2:], strict=False))


@settings(max_examples=300, deadline=None)
@given(
    text=st.lists(
        st.sampled_from(["a", "bb", ";", ";;", "ccc", " ", "\n\n", "\n\n\n"]), max_size=30
    ).map("".join),
    size=st.integers(3, 30),
    separator=st.sampled_from(
        [(";", False), ("\n\n", False), ("[;\n]+", True), (r"(?<=c);", True)]
    ),
    keep=st.sampled_from(["start", True, "end"]),
    data=st.data(),
)
def test_langchains_chunks_where_pieces_fit(text, size, separator, keep, data) -> None:
    options = {
        "separator": separator[0],
        "is_separator_regex": separator[1],
        "keep_separator": keep,
        "chunk_size": size,
        "chunk_overlap": data.draw(st.integers(0, size - 1)),
        "strip_whitespace": False,
    }
    if pieces_fit(text, separator[0], size, regex=separator[1]):
        peers = CharacterTextSplitter(**options).split_text(text)
        assert CharacterSplitter(**options).split_text(text) == peers


@pytest.mark.parametrize("keep", [False, "start", "end"])
def test_langchains_chunks_of_short_paragraphs(keep: str | bool) -> None:
    text = "\n\n".join(part.strip() for part in MARKUP.split("\n\n") if len(part) < 700)
    options = {"chunk_size": 800, "chunk_overlap": 100, "keep_separator": keep}
    peers = CharacterTextSplitter(**options).split_text(re.sub("\n{3,}", "\n\n", text))
    assert CharacterSplitter(**options).split_text(re.sub("\n{3,}", "\n\n", text)) == peers


@pytest.mark.parametrize("unit", [len, lambda text: len(text.encode()), TokenCounter()])
@pytest.mark.parametrize("keep", [False, "start", "end"])
def test_the_limit_holds_for_pieces_that_are_too_large(keep: str | bool, unit) -> None:
    options = {"chunk_size": 60, "chunk_overlap": 12, "keep_separator": keep}
    splitter = CharacterSplitter(length_function=unit, add_start_index=True, **options)
    text = PROSE[:20_000] + "x" * 500
    chunks = splitter.create_documents([text])
    assert max(unit(chunk.page_content) for chunk in chunks) <= 60
    starts = [chunk.metadata["start_index"] for chunk in chunks]
    ends = [start + len(c.page_content) for start, c in zip(starts, chunks, strict=True)]
    shared = [text[b:a] for a, b in zip(ends, starts[1:], strict=False) if b < a]
    assert len(shared) > len(chunks) // 2
    assert max(map(unit, shared)) <= 12
    words = [end for end in ends if end < 20_000 and not text[end].isspace()]
    assert not words, "a chunk of words ends inside one"


def test_several_separators_are_tried_in_order() -> None:
    splitter = CharacterSplitter(separator=["\n\n", "; "], chunk_size=12, chunk_overlap=0)
    text = "one; two; three\n\nfour; five"
    assert splitter.split_text(text) == ["one; two", "three", "four; five"]


def test_the_empty_separator_means_characters() -> None:
    splitter = CharacterSplitter(separator="", chunk_size=4, chunk_overlap=1)
    assert splitter.split_text("abcdefghij") == ["abcd", "defg", "ghij"]
    assert splitter.split_text("e\u0301" * 4) == ["e\u0301" * 2] * 2


def test_a_separator_is_dropped_at_chunk_borders_only() -> None:
    splitter = CharacterSplitter(separator="--", chunk_size=6, chunk_overlap=0)
    assert splitter.split_text("--a--b----c--d--") == ["a--b", "c--d"]


def test_words_part_at_any_white_space() -> None:
    splitter = CharacterSplitter(chunk_size=5, chunk_overlap=0)
    assert splitter.split_text("one\ttwo\u3000six\u00a0ten") == ["one", "two", "six", "ten"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"separator": 1}, TypeError, "separator must be a list of str, got 1"),
        (
            {"separator": []},
            ValueError,
            'separator must hold a str, got []: use [""] for characters',
        ),
        (
            {"separator": "[", "is_separator_regex": True},
            ValueError,
            "separator must hold regular expressions with is_separator_regex, got '[': "
            "unterminated character set at position 0",
        ),
    ],
)
def test_errors(options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        CharacterSplitter(**options)
