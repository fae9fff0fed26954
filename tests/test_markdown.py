"""markdown: headings as CommonMark has them, sections, and what is not cut."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from markdown_oracle import REAL, TEXTS, Seen, headings_of, is_read_alike, lines_of

from langchain_mchunk import MarkdownSplitter
from langchain_mchunk.splitters import _markdown_blocks
from langchain_mchunk.splitters._markdown_structure import leading, read

GUIDE = (Path(__file__).parent.parent / "notebooks" / "data" / "guide.md").read_text("utf-8")
ALL = [("#" * level, f"h{level}") for level in range(1, 7)]
SUBSETS = st.lists(st.sampled_from(ALL), unique=True)


def seen(text: str) -> list[Seen]:
    """Return the headings as the splitters read them."""
    return [
        Seen(level, title, len(lines_of(text[:start])) - 1)
        for start, _, level, title in read(text, inner=False).headings
    ]


def split(text: str, **options: object) -> list[Document]:
    return MarkdownSplitter(add_start_index=True, **options).create_documents([text])


def texts(text: str, **options: object) -> list[str]:
    return [chunk.page_content for chunk in split(text, **options)]


def told(chunks: list[Document]) -> list[tuple[str, str]]:
    return [(chunk.metadata["headers"], chunk.page_content) for chunk in chunks]


def lost(text: str, chunks: list[Document]) -> list[int]:
    """Return the places of the characters that are not blank and in no chunk."""
    at, places = 0, []
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert text.startswith(chunk.page_content, start)
        places += range(at, start)
        at = max(at, start + len(chunk.page_content))
    return [
        i
        for i in [*places, *range(at, len(text))]
        if not text[i].isspace() and i != text.find("\ufeff")
    ]


# Headings against the oracle.


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_headings_are_those_of_markdown_it(text: str) -> None:
    assume(is_read_alike(text) and not text.startswith("---"))
    assert seen(text) == headings_of(text)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 60))
def test_reading_in_segments_changes_nothing(text: str, width: int) -> None:
    whole = read(text, inner=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_markdown_blocks, "SEGMENT", width)
        assume(not text.startswith("---"))
        assert read(text, inner=True) == whole


@pytest.mark.parametrize("path", REAL, ids=lambda path: "/".join(path.parts[-3:]))
def test_real_files(path: Path) -> None:
    text = path.read_text("utf-8", errors="replace")
    if not text.startswith("---"):
        assert seen(text) == headings_of(text)
    for options in (
        {"headers": ALL, "strip_headers": False},
        {"chunk_size": 400},
        {"return_each_line": True},
    ):
        assert not lost(text, split(text, **options))


def test_there_are_real_files() -> None:
    assert len(REAL) > 10
    assert read(GUIDE, inner=True).code


@settings(max_examples=200, deadline=None)
@given(TEXTS, SUBSETS, st.booleans(), st.sampled_from([None, 9, 40]))
def test_sections_lose_nothing(text: str, headers: list, by_lines: bool, size: int | None) -> None:
    options = {"headers": headers, "return_each_line": by_lines, "chunk_size": size}
    assert not lost(text, split(text, strip_headers=False, **options))
    chunks = split(text, strip_headers=True, **options)
    gone = set(lost(text, chunks))
    path = [title for chunk in chunks for title in chunk.metadata["headers"].split(" > ")]
    levels = {len(mark) for mark, _ in headers}
    for start, end, level, title in read(text, inner=False).headings:
        inside = gone & set(range(start, end))
        gone -= inside
        assert not inside or level in levels
        assert not inside or not title or any(title in p for p in [*path, " > ".join(path)])
    assert not gone


# What stands below is by hand.


def test_a_level_that_is_not_asked_for_stays_in_the_text_or_ends_a_deeper_section() -> None:
    text = "# T\n\nt\n\n## A\n\na\n\n### D\n\nd\n\n# U\n\nu\n\n## B\n\nb"
    assert told(split(text, headers=[("##", "part")])) == [
        ("", "# T\n\nt"),
        ("A", "a\n\n### D\n\nd"),
        ("", "# U\n\nu"),
        ("B", "b"),
    ]


def test_an_empty_heading_closes_its_level() -> None:
    text = "# A\n\n## B\n\nb\n\n##\n\nc\n\n### D\n\nd"
    chunks = split(text, headers=ALL[:3])
    assert told(chunks) == [("A > B", "b"), ("A", "c"), ("A > D", "d")]
    assert [sorted(chunk.metadata.keys() & {"h1", "h2", "h3"}) for chunk in chunks] == [
        ["h1", "h2"],
        ["h1"],
        ["h1", "h3"],
    ]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# Intro to *x*", "Intro to x"),
        ("# [a `b`](u) ![pic](v)", "a b pic"),
        ("# AT&amp;T &#169; &copy;", "AT&T © ©"),
        ("  ##\ta  b \t##  ", "a b"),
        ("# a\\* <b>c</b>", "a* c"),
        ("# C\\#", "C#"),
        ("two\n*lines*\n===", "two lines"),
        ("# [ref] [other]\n\n[ref]: /u", "ref [other]"),
        ("# <u@x.org>", "u@x.org"),
    ],
)
def test_title_is_what_is_seen(source: str, title: str) -> None:
    assert split(f"{source}\n\ntext")[0].metadata["headers"] == title


def test_a_heading_whose_title_says_nothing_of_it_stays() -> None:
    text = "# ![](logo.png)\n\na\n\n## <a id='x'></a>\n\nb"
    assert told(split(text, headers=ALL[:2])) == [
        ("", "# ![](logo.png)\n\na"),
        ("", "## <a id='x'></a>\n\nb"),
    ]


def test_headings_without_text() -> None:
    text = "# A\n\n## B\n\n## C\n\n### D\n\nd\n\n# E"
    assert told(split(text, headers=ALL[:3])) == [
        ("A > B", "## B"),
        ("A > C > D", "d"),
        ("E", "# E"),
    ]
    assert told(split(text, headers=ALL[:3], strip_headers=False)) == [
        ("A > B", "# A\n\n## B"),
        ("A > C > D", "## C\n\n### D\n\nd"),
        ("E", "# E"),
    ]


def test_front_matter_is_at_the_start_only() -> None:
    front = "---\ntitle: x\n# no\n---"
    assert told(split(f"{front}\n# A\n\na", headers=ALL)) == [("", front), ("A", "a")]
    assert told(split(f"\ufeff{front}\r\n# A\r\na", headers=ALL)) == [("", front), ("A", "a")]
    later = "a\n\n---\n\nb: c\n---\n\nd"
    assert told(split(later, headers=ALL)) == [("", "a\n\n---"), ("b: c", "d")]
    unclosed = "---\n\n# A\n\na"
    assert told(split(unclosed, headers=ALL)) == [("", "---"), ("A", "a")]


def test_each_line() -> None:
    text = "# A\n\none\ntwo\n\n```\n  x\n\n  y\n```\n\n## B\n| a |\n|---|\n"
    by_line = [("A", "one"), ("A", "two"), ("A", "```"), ("A", "x"), ("A", "y"), ("A", "```")]
    table = [("A > B", "| a |"), ("A > B", "|---|")]
    assert told(split(text, headers=ALL, return_each_line=True)) == [*by_line, *table]
    kept = [("A", "# A"), *by_line, ("A > B", "## B"), *table]
    assert told(split(text, headers=ALL, strip_headers=False, return_each_line=True)) == kept
    assert told(split(text, return_each_line=True)) == kept


def test_each_line_of_headings_in_a_row_has_its_own_path() -> None:
    chunks = split("# A\n## B\nb", return_each_line=True)
    assert told(chunks) == [("A", "# A"), ("A > B", "## B"), ("A > B", "b")]


def test_lines_over_the_limit_are_packed() -> None:
    text = "# A\n\none two three four\nfive"
    options = {"headers": ALL, "return_each_line": True, "chunk_size": 10, "chunk_overlap": 0}
    assert texts(text, **options) == ["one two", "three four", "five"]


def test_blanks_stay_without_strip_whitespace() -> None:
    text = "# A\n\n    code\n\n## B  \nb\n"
    chunks = split(text, headers=ALL, strip_whitespace=False)
    assert told(chunks) == [("A", "    code\n\n"), ("A > B", "b\n")]


@pytest.mark.parametrize(
    "block",
    [
        "```py\nx = 1\n\ny = 2. No end\n```",
        "    x = 1\n\n    y = 2. No end",
        "| a | b |\n|---|---|\n| c. d | e |",
        "- one. two\n\n  three\n  - four",
        "<div>\none. two\nthree\n</div>",
        "$$\na = b. c\n- d\n+ e\n$$",
        "---\nfront: matter. Here\n\nthere: too\n---",
    ],
)
@pytest.mark.parametrize("before", [0, 20, 50, 70])
def test_blocks_that_fit_are_whole(block: str, before: int) -> None:
    lead = "" if block.startswith("---") else "Some words. " * (before // 12) + "\n\n"
    for size in range(max(len(block), 20), len(block) + 30, 3):
        found = texts(
            f"{lead}{block}\n\nMore words follow here. " * 1 + "And more. " * 5, chunk_size=size
        )
        assert any(block.strip() in text for text in found), size
        assert max(map(len, found)) <= size


def test_large_code_is_cut_between_lines_and_large_tables_between_rows() -> None:
    code = "```\n" + "".join(f"value_{i} = call(a, b. c)\n" for i in range(40)) + "```"
    table = "| a | b |\n|---|---|\n" + "".join(f"| cell {i} | and. so on |\n" for i in range(40))
    for text in (code, table):
        for size in range(45, 120, 5):
            cut = texts(text, chunk_size=size, chunk_overlap=0)
            assert "\n".join(cut) == text.rstrip("\n")
            assert cut[0].startswith("```") or "|---|---|" in cut[0]


def test_items_are_cut_before_their_lines() -> None:
    text = "".join(f"- item {i} with\n  a second line\n" for i in range(9))
    found = texts(text, chunk_size=90, chunk_overlap=0)
    assert all(chunk.startswith("- item") and chunk.endswith("second line") for chunk in found)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(20, 80))
def test_a_heading_ends_a_chunk_only_if_it_begins_it(text: str, size: int) -> None:
    headings = read(text, inner=False).headings
    short = [heading for heading in leading(headings) if heading.end - heading.start < size]
    behind = {heading.end for heading in headings}
    begun = {0} | {heading.start for heading in headings if heading.start not in behind}
    for chunk in split(text, chunk_size=size)[:-1]:
        start = chunk.metadata["start_index"]
        end = start + len(chunk.page_content)
        if any(heading.start < end <= heading.end < len(text) for heading in short):
            assert not any(start < place < end for place in begun), chunk


def test_the_higher_heading_is_the_stronger_boundary() -> None:
    text = "# A\n\n" + "word " * 30 + "\n\n# B\n\nword word\n\n## C\n\n" + "word " * 30
    assert [chunk[:3] for chunk in texts(text, chunk_size=220)] == ["# A", "# B"]


def test_sizes_in_tokens() -> None:
    chunks = MarkdownSplitter.from_tiktoken_encoder(chunk_size=40).create_documents([GUIDE])
    from langchain_mchunk import TokenCounter

    assert max(TokenCounter()(chunk.page_content) for chunk in chunks) <= 40
    assert len(chunks) > 3


def test_titles_find_their_definitions_in_other_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# [Ä  b] [c]\n\n" + "word\n\n" * 50 + "## [d][ä B]\n\ne\n\n[ä b]: /u\n"
    monkeypatch.setattr(_markdown_blocks, "SEGMENT", 40)
    assert [heading.title for heading in read(text, inner=False).headings] == ["Ä b [c]", "d"]


def test_surrogates_and_controls_are_read() -> None:
    text = "# a\ud800b\n\n\x00\ud800\udc00é\n\n## c\x0b\n\nd"
    assert told(split(text, headers=ALL)) == [
        ("a\ufffdb", "\x00\ud800\udc00é"),
        ("a\ufffdb > c", "d"),
    ]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"headers": "#"}, TypeError, "headers must be a list of pairs"),
        ({"headers": [("#", 1)]}, TypeError, "headers must be a list of pairs"),
        ({"headers": ["#"]}, TypeError, "headers must be a list of pairs"),
        ({"headers": [("**", "b")]}, ValueError, r"from # to ######, got '\*\*'"),
        ({"headers": [("#", "a"), ("#", "b")]}, ValueError, "each heading once"),
        ({"headers": [("#", "label")]}, ValueError, "must not use 'label' as a metadata key"),
        ({"strip_headers": 1}, TypeError, "strip_headers must be True or False, got 1"),
        ({"return_each_line": None}, TypeError, "return_each_line must be True or False"),
        ({"chunk_size": 0}, ValueError, "chunk_size must be at least 1, got 0"),
    ],
)
def test_options_are_checked(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MarkdownSplitter(**options)


# Stores.


class Words(DeterministicFakeEmbedding):
    """Embeddings without a model: the same text has the same place."""

    size: int = 16


@pytest.mark.filterwarnings("ignore")  # of the store's own dependencies
def test_chunks_go_into_chroma_as_they_are() -> None:
    chroma = pytest.importorskip("langchain_chroma")
    settings = pytest.importorskip("chromadb").config.Settings(anonymized_telemetry=False)
    chunks = split(GUIDE, headers=ALL[:2], chunk_size=400)
    store = chroma.Chroma(embedding_function=Words(), client_settings=settings)
    store.add_documents(chunks)
    section = chunks[-1].metadata["h2"]
    found = store.similarity_search("words", k=50, filter={"h2": section})
    wanted = [chunk for chunk in chunks if chunk.metadata.get("h2") == section]
    assert sorted(map(repr_of, found)) == sorted(map(repr_of, wanted))


@pytest.mark.filterwarnings("ignore")
def test_chunks_go_into_faiss_as_they_are() -> None:
    faiss = pytest.importorskip("faiss")
    import numpy as np

    chunks = split(GUIDE, headers=ALL[:2], chunk_size=400)
    vectors = Words().embed_documents([chunk.page_content for chunk in chunks])
    index = faiss.IndexFlatL2(Words().size)
    index.add(np.array(vectors, dtype=np.float32))
    section = chunks[-1].metadata["h2"]
    wanted = [i for i, chunk in enumerate(chunks) if chunk.metadata.get("h2") == section]
    query = np.array([Words().embed_query(chunks[wanted[0]].page_content)], dtype=np.float32)
    chosen = faiss.SearchParameters(sel=faiss.IDSelectorBatch(wanted))
    _, found = index.search(query, len(chunks), params=chosen)
    assert found[0][0] == wanted[0]
    assert sorted(i for i in found[0] if i >= 0) == wanted


def repr_of(chunk: Document) -> str:
    return json.dumps([chunk.page_content, chunk.metadata], sort_keys=True)


@pytest.mark.parametrize(
    "part",
    [
        *["# a\n", "##\n", "# [a]\n", "a\n=\n", "`", "` ", "```\n", "[", "[a](", "![", "<", "<a "],
        *[">", "> - ", "- a\n", "1. x\n", "| a |\n", "$$ ", "$$\n\n", "*a ", "\\", "---\n", "\r"],
        "".join(f"{'  ' * depth}- é\n" for depth in range(100)),
    ],
)
def test_much_of_anything_takes_little_time(part: str) -> None:
    text = (part * (100_000 // len(part) + 1))[:100_000]
    start = time.process_time()
    for options in ({"headers": ALL, "strip_headers": False}, {"chunk_size": 800}):
        assert not lost(text, split(text, **options))
    assert time.process_time() - start < 5


def test_a_line_break_in_a_heading_parts_words() -> None:
    (chunk,) = MarkdownSplitter().create_documents(["# Install<br/>Guide <b>now</b>\n\ntext"])
    assert chunk.metadata["headers"] == "Install Guide now"
