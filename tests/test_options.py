"""Each error names the option, the rule, the value and the cure."""

from __future__ import annotations

import re
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_mchunk import STRATEGIES, SectionSplitter, Span, SpanSplitter

SIZED_IN_TOKENS = {"token", "semantic-markdown"}
ERRORS = [
    ({"chunk_size": 0}, ValueError, "chunk_size must be at least 1, got 0"),
    ({"chunk_size": "800"}, TypeError, "chunk_size must be an integer, got '800'"),
    ({"chunk_size": True}, TypeError, "chunk_size must be an integer, got True"),
    ({"chunk_size": 10.0}, TypeError, "chunk_size must be an integer, got 10.0"),
    ({"chunk_overlap": -1}, ValueError, "chunk_overlap must be at least 0, got -1"),
    (
        {"chunk_size": 200, "chunk_overlap": 300},
        ValueError,
        "chunk_overlap must be smaller than chunk_size (200), got 300",
    ),
    (
        {"chunk_size": 200, "chunk_overlap": 200},
        ValueError,
        "chunk_overlap must be smaller than chunk_size (200), got 200",
    ),
    (
        {"length_function": "len"},
        TypeError,
        "length_function must be a function from a text to its size, got 'len': "
        "use len or TokenCounter(...)",
    ),
    (
        {"keep_separator": "middle"},
        ValueError,
        "keep_separator must be one of True, False, 'start', 'end', got 'middle'",
    ),
    ({"add_start_index": 1}, TypeError, "add_start_index must be True or False, got 1"),
    ({"strip_whitespace": None}, TypeError, "strip_whitespace must be True or False, got None"),
    ({"show_progress": "yes"}, TypeError, "show_progress must be True or False, got 'yes'"),
]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("options", "error", "message"), ERRORS)
def test_messages(strategy: str, options: dict[str, Any], error: type, message: str) -> None:
    if "length_function" in options and strategy in SIZED_IN_TOKENS:
        pytest.skip("counts tokens, whatever the length function")
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        STRATEGIES[strategy](**{"chunk_size": 1000, **options})


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_unknown_option_is_a_type_error(strategy: str) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'chunk_sise'"):
        STRATEGIES[strategy](chunk_size=100, chunk_sise=100)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_options_are_keywords(strategy: str) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        STRATEGIES[strategy](100)


def test_overlap_not_given_follows_the_size() -> None:
    assert SectionSplitter()._chunk_overlap == 50
    assert SectionSplitter(chunk_size=20)._chunk_overlap == 4
    assert SectionSplitter(chunk_size=3)._chunk_overlap == 0


def test_metadatas_of_another_length() -> None:
    with pytest.raises(ValueError, match=r"^metadatas must be as long as texts \(2\), got 1$"):
        SectionSplitter().create_documents(["a", "b"], [{}])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_limit_only_where_that_is_an_option(strategy: str) -> None:
    if not STRATEGIES[strategy]._may_be_unlimited:
        with pytest.raises(TypeError, match="^chunk_size must be an integer, got None$"):
            STRATEGIES[strategy](chunk_size=None)


@pytest.mark.parametrize("size", [None, "3", 1.5])
def test_what_is_no_size(size: object) -> None:
    with pytest.raises(TypeError, match=f"^length_function must return an int, got {size!r}$"):
        SectionSplitter(length_function=lambda _: size).split_text("a text")


def test_texts_and_metadata_may_be_generated() -> None:
    chunks = SectionSplitter().create_documents((t for t in "ab"), iter([None, {"n": 1}]))
    assert [chunk.metadata.get("n") for chunk in chunks] == [None, 1]


def test_where_a_parent_began_is_not_inherited() -> None:
    parents = SectionSplitter(add_start_index=True).create_documents(["# A\n\nOne. Two. Three."])
    chunks = STRATEGIES["recursive"](chunk_size=10, chunk_overlap=0).split_documents(parents)
    assert not any("start_index" in chunk.metadata for chunk in chunks)


def test_split_text_is_not_what_a_strategy_overrides() -> None:
    with pytest.raises(TypeError, match="^Loud must not override split_text, .* spans or pieces$"):

        class Loud(SectionSplitter):
            def split_text(self, text: str) -> list[str]:
                return [chunk.upper() for chunk in super().split_text(text)]

    class Upper:
        def split_text(self, text: str) -> list[str]:
            return [text.upper()]

    with pytest.raises(TypeError, match="^Mixed must not override split_text"):

        class Mixed(Upper, SectionSplitter):
            pass


def test_only_texts_are_inherited() -> None:
    parent = Document("x", metadata={"label": 5, "headers": {"h1": "a"}, "index": 7})
    (chunk,) = SectionSplitter().split_documents([parent])
    assert chunk.metadata == {"label": "x", "headers": "", "index": 0}


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([Span(0, 99)], "got 0:99 behind a start at 0 in a text of length 11"),
        ([Span(6, 11), Span(0, 5)], "got 0:5 behind a start at 6 in a text of length 11"),
        ([Span(5, 3)], "got 5:3 behind"),
    ],
)
def test_spans_of_a_strategy_of_ones_own(spans: list[Span], message: str) -> None:
    class Given(SpanSplitter):
        def spans(self, text: str) -> list[Span]:
            return spans

    with pytest.raises(
        ValueError, match=f"^spans must lie in the text and start in order: {message}"
    ):
        Given().split_text("hello world")


def test_what_is_no_text() -> None:
    with pytest.raises(TypeError, match="^text must be a str, got bytes$"):
        SectionSplitter().split_text(b"a")
    with pytest.raises(
        TypeError, match="^texts must be a list of str, got one str: put it into a list$"
    ):
        SectionSplitter().create_documents("a")
    with pytest.raises(TypeError, match="^documents must hold Documents, got str: use split_text"):
        SectionSplitter().split_documents(["a"])


def test_progress_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    SectionSplitter(show_progress=True).split_documents([Document("a"), Document("b")])
    shown = capsys.readouterr()
    assert "2/2" in shown.err
    assert not shown.out


def test_labels_and_headers_of_the_parent_are_kept() -> None:
    splitter = SectionSplitter()
    parent = Document("Plain text.", metadata={"label": "Part", "headers": "Book > Part"})
    (chunk,) = splitter.split_documents([parent])
    assert (chunk.metadata["label"], chunk.metadata["headers"]) == ("Part", "Book > Part")
    (chunk,) = splitter.split_documents([Document("# Own\n\nText.", metadata=parent.metadata)])
    assert (chunk.metadata["label"], chunk.metadata["headers"]) == ("Own", "Own")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("  \n First   line \nsecond", "First line"),
        ("# Title #\n\nText.", "Title"),
        ("## A\tB ##  \nText.", "A B"),
        ("x" * 100, "x" * 80),
        (" " * 500 + "far in", "far in"),
        ("one\rtwo", "one"),
    ],
)
def test_labels(text: str, label: str) -> None:
    for strip in (True, False):
        chunk = SectionSplitter(strip_whitespace=strip).create_documents([text])[0]
        assert chunk.metadata["label"] == label
