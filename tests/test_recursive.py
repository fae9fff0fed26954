"""recursive: LangChain's chunks in characters, chunks as emitted in any other unit."""

from __future__ import annotations

import copy
import pickle
import re
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from pydoc_data.topics import topics

import langchain_text_splitters
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from langchain_mchunk import CharacterSplitter, RecursiveSplitter, TokenCounter, TokenSplitter

MARKUP = "\n\n".join(topics.values())
MARKDOWN = (Path(__file__).parent.parent / "notebooks/data/guide.md").read_text("utf-8") * 9
TEXTS = {
    "prose": "\n\n".join(" ".join(text.split()) for text in topics.values()),
    "markup": MARKUP,
    "markdown": re.sub(r"^([A-Z].*)\n\*+$", r"## \1\n", MARKUP[:60_000], flags=re.MULTILINE)
    + MARKDOWN,
    "code": Path(langchain_text_splitters.__file__).with_name("character.py").read_text("utf-8"),
}
SIZES = [(200, 0), (800, 50), (1000, 200), (4000, 200)]
LANGUAGES = [language.value for language in Language if language is not Language.PERL]


def langchains(text: str, *, language: str | None = None, **options) -> list[str]:
    make = RecursiveCharacterTextSplitter
    splitter = make.from_language(Language(language), **options) if language else make(**options)
    return splitter.split_text(text)


def check_parity(text: str, **options) -> None:
    """Ours are LangChain's chunks, except blank ones and those inside a neighbour."""
    strip = options.get("strip_whitespace", True)
    peers = [chunk.strip() if strip else chunk for chunk in langchains(text, **options)]
    ours = RecursiveSplitter(**options).split_text(text)
    at = 0
    for i, peer in enumerate(peers):
        if at < len(ours) and ours[at] == peer:
            at += 1
        else:
            neighbours = peers[max(i - 1, 0) : i] + peers[i + 1 : i + 2]
            assert not peer or any(peer in chunk for chunk in neighbours), peer
    assert at == len(ours)


@pytest.mark.parametrize("keep", ["start", True, "end"])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", TEXTS)
def test_langchains_chunks(name: str, sizes: tuple[int, int], keep: str | bool) -> None:
    text, (size, overlap) = TEXTS[name], sizes
    options = {"chunk_size": size, "chunk_overlap": overlap, "keep_separator": keep}
    assert RecursiveSplitter(**options).split_text(text) == langchains(text, **options)


@pytest.mark.parametrize("keep", ["start", "end"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_langchains_chunks_of_code(language: str, keep: str) -> None:
    # every separator of the language occurs, as far as it is no pattern
    given_ = RecursiveCharacterTextSplitter.get_separators_for_language(Language(language))
    words = TEXTS["prose"][:8000].split()
    mixed = "".join(f"{word}{given_[i % len(given_)]}" for i, word in enumerate(words))
    for text in (mixed, TEXTS["code"], MARKUP[:30_000]):
        for size, overlap in SIZES:
            check_parity(
                text,
                language=language,
                chunk_size=size,
                chunk_overlap=overlap,
                keep_separator=keep,
            )


FRAGMENTS = ["a", "bb", "word", "x" * 12, " ", "  ", "\n", "\n\n", "\n\n\n", ". ", ";", "é", "漢字"]
STRINGS = [
    ["\n\n", "\n", " ", ""],
    [" "],
    ["\n\n", " "],
    [";", "\n", ""],
    ["\n\n\n", "\n"],
    ["bb", "b", " "],
    [""],
    ["x", "", "b"],
]
PATTERNS = [
    [r"\s+", ""],
    [r"(?<=\.) ", "\n"],
    [r"\n(?=\w)", " "],
    ["x*", ""],
    ["[ab]+", " "],
    ["$", " "],
    [r"\b", ""],
]


@settings(max_examples=500, deadline=None)
@given(
    text=st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join),
    size=st.integers(1, 25),
    separators=st.sampled_from([*((s, False) for s in STRINGS), *((p, True) for p in PATTERNS)]),
    keep=st.sampled_from(["start", True, "end"]),
    strip=st.booleans(),
    data=st.data(),
)
def test_langchains_chunks_of_any_text(text, size, separators, keep, strip, data) -> None:
    check_parity(
        text,
        chunk_size=size,
        chunk_overlap=data.draw(st.integers(0, size - 1)),
        separators=separators[0],
        is_separator_regex=separators[1],
        keep_separator=keep,
        strip_whitespace=strip,
    )


@settings(max_examples=300, deadline=None)
@given(
    text=st.lists(st.sampled_from([*FRAGMENTS, "e\u0301", " \u0301", "🇩🇪"]), max_size=30).map(
        "".join
    ),
    size=st.integers(4, 25),
    keep=st.sampled_from(["start", "end"]),
    data=st.data(),
)
def test_a_function_that_counts_characters_gives_the_chunks_of_len(text, size, keep, data) -> None:
    options = {
        "chunk_size": size,
        "chunk_overlap": data.draw(st.integers(0, size - 1)),
        "keep_separator": keep,
        "strip_whitespace": False,
    }
    measured = RecursiveSplitter(length_function=str.__len__, **options)
    assert measured.split_text(text) == RecursiveSplitter(**options).split_text(text)


# The differences from LangChain's chunks, one test each.


def test_a_chunk_inside_its_neighbour_is_left_out() -> None:
    text, options = " " * 10 + "b a", {"chunk_size": 4, "chunk_overlap": 2}
    assert langchains(text, **options) == ["b", "b a"]
    assert RecursiveSplitter(**options).split_text(text) == ["b a"]


def test_a_crlf_blank_line_is_a_paragraph_break() -> None:
    options = {"chunk_size": 30, "chunk_overlap": 0}
    text = "A1 aaaa\r\nA2 aaaa\r\n\r\nB1 bbbb\r\nB2 bbbb"
    assert langchains(text, **options)[0] == "A1 aaaa\r\nA2 aaaa\r\n\r\nB1 bbbb"
    ours = RecursiveSplitter(**options).split_text(text)
    assert ours == ["A1 aaaa\r\nA2 aaaa", "B1 bbbb\r\nB2 bbbb"]


def test_a_languages_line_feeds_are_any_line_breaks() -> None:
    lines = ["Public Sub A()", "  x = 1", "End Sub", "Public Sub B()", "  y = 2", "End Sub", ""]
    splitter = RecursiveSplitter(language="visualbasic6", chunk_size=36, chunk_overlap=0)
    expected = [chunk.split("\n") for chunk in splitter.split_text("\n".join(lines))]
    assert len(expected) > 1
    for line_break in ("\r\n", "\r"):
        chunks = splitter.split_text(line_break.join(lines))
        assert [chunk.split(line_break) for chunk in chunks] == expected


def test_no_cut_inside_a_grapheme_cluster() -> None:
    family = "👨\u200d👩\u200d👧"
    splitter = RecursiveSplitter(chunk_size=8, chunk_overlap=0)
    assert splitter.split_text(family * 3) == [family] * 3
    assert family not in langchains(family * 3, chunk_size=8, chunk_overlap=0)
    assert splitter.split_text("a🇩🇪🇫🇷🇮🇹🇪🇸") == ["a🇩🇪🇫🇷🇮🇹", "🇪🇸"]
    assert "".join(splitter.split_text("e" + "\u0301" * 20)) == "e" + "\u0301" * 20  # larger alone


def test_a_separator_inside_a_cluster_is_none() -> None:
    splitter = RecursiveSplitter(separators=["e"], chunk_size=4, chunk_overlap=0)
    assert splitter.split_text("abee\u0301cd") == ["ab", "ee\u0301cd"]
    pattern = RecursiveSplitter(
        separators=["[\n]"], is_separator_regex=True, chunk_size=3, chunk_overlap=0
    )
    assert pattern.split_text("ab\r\ncd") == ["ab", "cd"]
    strict = RecursiveSplitter(
        separators=["\r", ""], chunk_size=4, chunk_overlap=0, strip_whitespace=False
    )
    assert strict.split_text("ab\r\ncd\r\n") == ["ab", "\r\ncd", "\r\n"]


@pytest.mark.parametrize("keep", ["start", "end", False])
@pytest.mark.parametrize("pattern", ["(;|\\|)", "(?:;)|(\\|)", "(?<=[0-9])[;|]", "(;)?\\|?"])
def test_patterns_neither_leak_nor_lose(pattern: str, keep: str | bool) -> None:
    text = "a1;b2|c3;d4"
    splitter = RecursiveSplitter(
        separators=[pattern],
        is_separator_regex=True,
        keep_separator=keep,
        chunk_size=3,
        chunk_overlap=0,
    )
    joined = "".join(splitter.split_text(text))
    assert joined == (text if keep else "a1b2c3d4")


def test_a_piece_without_separators_is_trimmed_as_its_neighbours() -> None:
    splitter = RecursiveSplitter(separators=[" "], chunk_size=10, chunk_overlap=0)
    assert splitter.split_text("tiny extraordinarily end") == ["tiny", "extraordinarily", "end"]
    assert " extraordinarily" in langchains(
        "tiny extraordinarily end", separators=[" "], chunk_size=10, chunk_overlap=0
    )


def test_a_byte_order_mark_does_not_count() -> None:
    chunk = RecursiveSplitter(chunk_size=4, add_start_index=True).create_documents(["\ufeffabcd"])
    assert [(c.page_content, c.metadata["start_index"]) for c in chunk] == [("abcd", 1)]


def test_separators_are_dropped_at_chunk_borders_only() -> None:
    splitter = RecursiveSplitter(
        separators=[";", " "], keep_separator=False, chunk_size=7, chunk_overlap=0
    )
    assert splitter.split_text(";;a;b;;c;;;d e;f g h i j k;") == ["a;b;;c", "d e", "f g h i", "j k"]
    assert splitter.split_text(";;;") == []


# Other units.


def words(text: str) -> int:
    return len(text.split())


def test_other_units_are_measured_as_emitted() -> None:
    text = "a b c\n\nd e\n\nf g h i j k l m"
    splitter = RecursiveSplitter(chunk_size=5, chunk_overlap=2, length_function=words)
    assert splitter.split_text(text) == ["a b c\n\nd e", "f g h i j", "i j k l m"]


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "gpt2"])
@pytest.mark.parametrize(
    "text",
    ["漢字かな交じり文。" * 40, "नमस्ते दुनिया " * 40, "สวัสดีครับ" * 40, "👨\u200d👩\u200d👧" * 40],
)
def test_tokens(encoding: str, text: str) -> None:
    counter = TokenCounter(encoding)
    splitter = RecursiveSplitter(
        chunk_size=24, chunk_overlap=6, length_function=counter, add_start_index=True
    )
    chunks = splitter.create_documents([text])
    assert max(counter(chunk.page_content) for chunk in chunks) <= 24
    spans = [(c.metadata["start_index"], len(c.page_content)) for c in chunks]
    borders = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    for (start, length), chunk in zip(spans, chunks, strict=True):
        assert text[start : start + length] == chunk.page_content
        assert {start, start + length} <= borders
    for (a, length), (b, _) in pairwise(spans):
        assert counter(text[b : a + length]) <= 6


def test_a_function_that_no_slice_satisfies() -> None:
    splitter = RecursiveSplitter(chunk_size=5, length_function=lambda _: 9)
    assert splitter.split_text("ab cd") == ["a", "b", "c", "d"]


# Cost and processes.

HOSTILE = {
    "no separator": "x" * 300_000,
    "line feeds": "\n" * 300_000,
    "spaces": " " * 300_000,
    "emoji": "😀" * 300_000,
    "flags": "a" + "🇩🇪" * 150_000,
    "marks": "a" + "\u0301" * 300_000,
    "spaces with marks": " \u0301" * 100_000,
    "blanks inside": "a" + " " * 300_000 + "b",
    "carriage returns": "\r\n" * 150_000,
}


@pytest.mark.parametrize("keep", ["start", "end", False])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_no_time(name: str, keep: str | bool) -> None:
    start = time.perf_counter()
    RecursiveSplitter(keep_separator=keep).split_text(HOSTILE[name])
    assert time.perf_counter() - start < 4


@pytest.mark.parametrize(
    "splitter",
    [
        RecursiveSplitter(chunk_size=80, chunk_overlap=20),
        RecursiveSplitter(chunk_size=80, language="markdown"),
        RecursiveSplitter(separators=[r"(?<=\.)\s+", ""], is_separator_regex=True, chunk_size=80),
        RecursiveSplitter.from_tiktoken_encoder(chunk_size=20),
        CharacterSplitter(separator=["\n\n", ". "], chunk_size=80),
        TokenSplitter(chunk_size=20, chunk_overlap=5),
    ],
    ids=["recursive", "language", "patterns", "tokens", "character", "token"],
)
def test_copies_and_workers_give_the_same(splitter) -> None:
    texts = [TEXTS["prose"][i * 2000 : i * 2000 + 3000] for i in range(4)]
    expected = [splitter.split_text(text) for text in texts]
    for other in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter)):
        assert [other.split_text(text) for text in texts] == expected
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(splitter.split_text, texts)) == expected
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(splitter.split_text, texts)) == expected


# Options.


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"separators": "\n"}, TypeError, "separators must be a list of str, got '\\n'"),
        ({"separators": ["a", 1]}, TypeError, "separators must be a list of str, got 1 in it"),
        (
            {"separators": []},
            ValueError,
            'separators must hold a str, got []: use [""] for characters',
        ),
        (
            {"separators": ["("], "is_separator_regex": True},
            ValueError,
            "separators must hold regular expressions with is_separator_regex, got '(': "
            "missing ), unterminated subpattern at position 0",
        ),
        (
            {"is_separator_regex": "yes"},
            TypeError,
            "is_separator_regex must be True or False, got 'yes'",
        ),
        ({"seperators": ["a"]}, TypeError, None),
    ],
)
def test_errors(options: dict, error: type, message: str | None) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$" if message else "seperators"):
        RecursiveSplitter(**options)


@pytest.mark.parametrize("language", ["klingon", "perl"])
def test_unknown_languages(language: str) -> None:
    with pytest.raises(ValueError, match=f"^language must be one of .*python.*, got '{language}'"):
        RecursiveSplitter(language=language)


def test_language_wins_over_separators() -> None:
    by_name = RecursiveSplitter(language="python", separators=["x"], chunk_size=200)
    by_value = RecursiveSplitter(language=Language.PYTHON, chunk_size=200)
    assert by_name.split_text(TEXTS["code"]) == by_value.split_text(TEXTS["code"])
