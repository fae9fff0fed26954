"""section: where blocks, headings and fences are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from langchain_mchunk import SectionSplitter
from langchain_mchunk.splitters.section import structure


def labelled(text: str, **options: int) -> list[tuple[str, str]]:
    chunks = SectionSplitter(**options).create_documents([text])
    return [(chunk.metadata["headers"], chunk.page_content) for chunk in chunks]


def test_headings_without_text_stay_with_the_next_section() -> None:
    assert labelled("# A\n\n## B\n\ntext\n\n## C\n\nmore") == [
        ("A > B", "# A\n\n## B\n\ntext"),
        ("A > C", "## C\n\nmore"),
    ]
    assert labelled("a\n\nb\n\n# End") == [("", "a"), ("", "b"), ("End", "# End")]


def test_blocks_without_headings() -> None:
    assert labelled("a\r\n\r\nb\r\n \t\r\nc") == [("", "a"), ("", "b"), ("", "c")]
    assert labelled("a\n\nb") == [("", "a\n\nb")]


def test_a_long_section_keeps_its_path_on_every_window() -> None:
    chunks = labelled("# A\n\n" + "word " * 60 + "\n\nb\n\nc", chunk_size=100, chunk_overlap=10)
    assert len(chunks) > 3
    assert {path for path, _ in chunks} == {"A"}


@pytest.mark.parametrize(
    "text",
    [
        *[
            "#tag\n\na",
            "#!/bin/sh\n\na",
            "####### seven\n\na",
            "    # code\n\na",
            "a\u2028# b\n\na",
        ],
        *[
            "```\n# a\n```",
            "~~~ x\n# a\n\n# b",
            "````\n```\n# a\n````",
            "   ```\n# a\n   ```",
            "```\n# a\n``` x",
        ],
    ],
)
def test_no_headings(text: str) -> None:
    assert structure(text).headings == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[
            ("# A", "A"),
            ("#\tA", "A"),
            ("   ## A ##", "A"),
            ("# A#", "A#"),
            ("# A #b", "A #b"),
            ("###", ""),
        ],
        *[
            ("# #", ""),
            ("# A ##  ", "A"),
            ("\ufeff# A", "A"),
            ("``` a`b\n# A", "A"),
            ("# a  b", "a b"),
        ],
    ],
)
def test_titles(text: str, expected: str) -> None:
    assert [title for *_, title in structure(text).headings] == [expected]


LINES = [
    "# A",
    "## B ##",
    "#",
    "text",
    "",
    "  ",
    "```",
    "~~~",
    "```` x",
    "  ~~~~",
    "    # c",
    "#no",
    "``` `",
]


@given(st.lists(st.sampled_from(LINES), max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_headings_are_those_of_commonmark(lines: list[str], line_break: str) -> None:
    text = line_break.join(lines)
    parser = MarkdownIt().disable(["lheading", "list", "blockquote", "html_block", "reference"])
    tokens = parser.parse(text)
    wanted = [
        (int(token.tag[1:]), tokens[i + 1].content)
        for i, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert [(level, title) for _, _, level, title in structure(text).headings] == wanted


@pytest.mark.parametrize(
    "unit",
    [
        "\n",
        " ",
        "A",
        "`",
        "# x\n",
        "#\n",
        "```\n",
        "~~~ \n\n",
        "\r\n",
        "\u2028",
        "🇩🇪",
        "e\u0301",
        "# ",
    ],
)
def test_a_megabyte_of_anything_is_split_without_loss(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    chunks = SectionSplitter(chunk_overlap=0).split_text(text)
    assert "".join("".join(chunks).split()) == "".join(text.split())
