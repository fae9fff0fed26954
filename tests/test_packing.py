"""Which boundaries are taken, one rule a test."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_mchunk import SectionSplitter
from langchain_mchunk.boundaries import Places, grapheme_floor, prose
from langchain_mchunk.headings import Heading, Outline
from langchain_mchunk.packing import Packer, whole
from langchain_mchunk.sizes import CharacterRuler


def packed(text: str, size: int, overlap: int = 0, **options: object) -> list[str]:
    levels = [*options.pop("levels", []), *prose(text)]
    packer = Packer(text, CharacterRuler(text), levels, size=size, overlap=overlap, **options)
    return [text[start:stop].strip() for start, stop in packer.pack(0, len(text))]


@pytest.mark.parametrize(
    ("text", "size", "chunks"),
    [
        ("one two x\n\nthree. four five", 20, ["one two x", "three. four five"]),
        ("aaaaaa. bb cc\ndd ee ff gg", 18, ["aaaaaa. bb cc", "dd ee ff gg"]),
        ("aaaaaaaa bb. Cc dd ee, ff gg hh", 20, ["aaaaaaaa bb.", "Cc dd ee, ff gg hh"]),
        ("aaaaaaaaa bb cc, dd ee ff", 20, ["aaaaaaaaa bb cc,", "dd ee ff"]),
        ("我们。你们好吗？他们都很好", 10, ["我们。你们好吗？", "他们都很好"]),
        ("a\n\nbbbbbbbbbbbb cccc dddd", 18, ["a\n\nbbbbbbbbbbbb", "cccc dddd"]),
    ],
)
def test_the_strongest_boundary_of_the_second_half(text: str, size: int, chunks: list[str]) -> None:
    assert packed(text, size) == chunks


def test_a_boundary_at_exactly_half_counts() -> None:
    assert packed("12345678\n\nabc def ghi jkl", 20) == ["12345678", "abc def ghi jkl"]
    assert packed("1234567\n\nabc def ghi jkl", 20) == ["1234567\n\nabc def ghi", "jkl"]


def test_a_word_that_fits_is_not_cut() -> None:
    assert packed("ab " + "x" * 19, 20) == ["ab", "x" * 19]


def test_overlap_starts_at_a_word() -> None:
    assert packed("aaa bbb ccc ddd eee", 11, 5) == ["aaa bbb ccc", "ccc ddd eee"]


def test_no_overlap_across_a_heading() -> None:
    text = "# A\n\naaa bbb ccc\n\n# B\n\nddd eee fff\n\nggg"
    chunks = SectionSplitter(chunk_size=22, chunk_overlap=8).create_documents([text])
    assert [(c.metadata["label"], c.page_content) for c in chunks] == [
        ("A", "# A\n\naaa bbb ccc"),
        ("B", "# B\n\nddd eee fff\n\nggg"),
    ]


def test_what_fits_stays_whole_and_inner_ranges_serve_what_does_not() -> None:
    text = "intro words\n\n[one two three]\n\nout"
    block = (text.index("["), text.index("]") + 1)
    assert packed(text, 20, unbroken=[block]) == ["intro words", "[one two three]\n\nout"]
    assert packed(text, 14, unbroken=[block]) == ["intro words", "[one two", "three]\n\nout"]


def test_whole() -> None:
    def fits(start: int, end: int) -> bool:
        return end - start <= 10

    assert whole([(0, 30), (2, 8), (9, 20), (9, 12), (12, 15)], fits) == [(2, 8), (9, 12), (12, 15)]
    assert whole([(0, 6), (5, 9)], fits) == [(0, 9)]
    assert whole([(0, 6), (5, 15)], fits) == [(0, 6), (5, 15)]


def test_places() -> None:
    places = Places([3, 7])
    assert (places.last(0, 7), places.last(4, 6), places.last(0, 5)) == (7, None, 3)
    assert (places.first(3, 9), places.first(4, 6), places.first(4, 9)) == (3, None, 7)


def test_clusters() -> None:
    family = "👨\u200d👩\u200d👧"
    assert grapheme_floor(family * 9, 0, 12) == 10
    assert grapheme_floor(family, 0, 3) is None
    assert grapheme_floor("🇩🇪" * 400, 0, 501) == 500
    assert grapheme_floor("a\r\nb", 0, 2) == 1
    assert grapheme_floor("a" + "\u0301" * 2000 + "b", 0, 2000) is None


def test_paths() -> None:
    found = [
        Heading(0, 5, 1, "A"),
        Heading(5, 9, 3, "B"),
        Heading(20, 25, 2, ""),
        Heading(30, 35, 3, "C"),
    ]
    outline = Outline(found)
    assert [outline.at(offset) for offset in (0, 12, 22, 40)] == [
        ("A", "B"),
        ("A", "B"),
        ("A",),
        ("A", "C"),
    ]
    assert Outline([]).at(3) == ()


def test_a_heading_stays_with_its_text() -> None:
    text = "# One\n\n" + "word " * 30 + "\n\n## Two\n\n" + "more " * 30
    for size in range(20, 150, 7):
        for chunk in SectionSplitter(chunk_size=size, chunk_overlap=0).split_documents(
            [Document(text)]
        ):
            assert chunk.page_content not in ("# One", "## Two")


@pytest.mark.parametrize("line", ["\r\n", "\n", "\r"])
def test_a_line_break_of_two_characters_is_no_blank_line(line: str) -> None:
    text = f"aaaa bb{line * 2}cc d{line}ee fff ggg"
    assert packed(text, 18) == ["aaaa bb", f"cc d{line}ee fff ggg"]


PIECES = [
    "word ",
    "a, b. ",
    "xxxxxxxxxxxx",
    "[one]",
    "[two three]",
    "[a. b\n\nc]",
    "%",
    "\n",
    "\n\n",
    "漢字。",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.integers(1, 25),
    st.booleans(),
    st.data(),
)
def test_a_range_that_fits_is_never_cut(
    text: str, size: int, strip: bool, data: st.DataObject
) -> None:
    blocks = [match.span() for match in re.finditer(r"\[[^]]*\]", text)]
    overlap = data.draw(st.integers(0, size - 1), label="overlap")
    packer = Packer(
        text,
        CharacterRuler(text),
        prose(text),
        size=size,
        overlap=overlap,
        strip=strip,
        unbroken=blocks,
    )
    for border in chain.from_iterable(packer.pack(0, len(text))):
        for start, end in blocks:
            assert end - start > size or not start < border < end
