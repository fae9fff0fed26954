"""Rulers: a length function is asked seldom and on short slices, and the limit holds."""

from __future__ import annotations

from math import log2
from pydoc_data.topics import topics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_mchunk import SectionSplitter
from langchain_mchunk.sizes import CharacterRuler, FunctionRuler

PROSE = "\n\n".join(" ".join(text.split()) for text in topics.values())[:200_000]


class Recorder:
    """A length function that remembers how long the slices were that it was asked about."""

    def __init__(self, function: object) -> None:
        self.function = function
        self.asked: list[int] = []

    def __call__(self, text: str) -> int:
        self.asked.append(len(text))
        return self.function(text)


@pytest.mark.parametrize(
    ("function", "size", "overlap"),
    [(len, 800, 50), (len, 4000, 0), (lambda text: len(text.split()), 150, 10)],
)
def test_length_function_is_asked_seldom(function: object, size: int, overlap: int) -> None:
    recorder = Recorder(function)
    chunks = SectionSplitter(
        chunk_size=size, chunk_overlap=overlap, length_function=recorder
    ).split_text(PROSE)
    longest = max(map(len, chunks))
    assert len(recorder.asked) <= 4 * log2(longest) * len(chunks)
    assert max(recorder.asked) <= 4 * longest


@pytest.mark.parametrize("size", [7, 50, 333])
def test_the_limit_holds_for_a_function_that_is_not_monotone(size: int) -> None:
    def odd(text: str) -> int:
        return len(text) - 5 * text.count("e") % 7 + 9 * (len(text) % 3)

    for chunk in SectionSplitter(chunk_size=size, length_function=odd).split_text(PROSE[:20_000]):
        assert odd(chunk) <= size or len(chunk) == 1


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 70), st.data())
def test_a_function_finds_what_arithmetic_finds(
    text: str, at: int, limit: int, data: st.DataObject
) -> None:
    arithmetic, function = CharacterRuler(text), FunctionRuler(len, text)
    start = min(at, len(text))
    assert function.reach(start, limit) == arithmetic.reach(start, limit)
    assert function.back(start, limit) == arithmetic.back(start, limit)
    end = data.draw(st.integers(start, len(text)))
    assert function.fits(start, end, limit) == arithmetic.fits(start, end, limit)
    assert function.size(start, end) == arithmetic.size(start, end)
