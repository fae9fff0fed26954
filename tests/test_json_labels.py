"""json: `label` and `headers`, held against what the chunks hold once `json` has read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import DOCUMENTS, fuzzed

from langchain_mchunk import JSONSplitter
from langchain_mchunk.splitters.base import shorten

Names = tuple[str | int, ...]

# Small entries in containers that do not fit: a chunk holds the tail of one and the head of another.
_ENTRIES = st.integers(1, 30).map("9 ".__mul__) | st.integers(0, 99) | st.just("")
NESTS = st.recursive(
    st.dictionaries(st.sampled_from("abcd"), _ENTRIES, min_size=1),
    lambda inner: (
        st.dictionaries(st.sampled_from("abcd"), inner | _ENTRIES, min_size=2)
        | st.lists(inner | _ENTRIES, min_size=2, max_size=4)
    ),
    max_leaves=8,
).map(json.dumps)


def leaves(value: Any, names: Names = ()) -> Iterator[tuple[Names, Any]]:
    """Yield what has no entries, in order, with the path to it."""
    if not isinstance(value, dict | list) or not value:
        yield names, value
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from leaves(item, (*names, place))
    else:
        for key, item in value.items():
            yield from leaves(item, (*names, key))


def shown(names: Names) -> str:
    """Write a path as labels and headers have it."""
    return " > ".join(
        f"[{name}]" if isinstance(name, int) else name if name.strip() else f'"{name}"'
        for name in names
    )


def held(text: str, chunks: list[str]) -> Iterator[tuple[list[Names], list[Names]]]:
    """Yield for each chunk the paths of all leaves in it, and of those that stand whole in it.

    The leaves of the chunks are those of the document, in order; only strings come in parts.
    """
    rest = leaves(json.loads(text))
    names, leaf = next(rest)
    used = 0
    for chunk in chunks:
        present, whole = [], []
        for _, part in leaves(json.loads(chunk)):
            present.append(names)
            length = len(part) if isinstance(leaf, str) else 0
            if part == leaf or not isinstance(leaf, str):
                whole.append(names)
            used += length
            if not isinstance(leaf, str) or used == len(leaf):
                (names, leaf), used = next(rest, ((), None)), 0
        yield present, whole


def shared(paths: list[Names]) -> Names:
    """Return what all paths begin with."""
    levels = takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))
    return tuple(level[0] for level in levels)


def largest(names: Names, whole: list[Names], every: list[Names]) -> Names:
    """Go out to the largest value all of whose leaves stand whole."""
    while names and all(other in whole for other in every if other[: len(names) - 1] == names[:-1]):
        names = names[:-1]
    return names


@pytest.mark.parametrize("size", [len, lambda text: len(text.encode())])
@fuzzed
@given(
    text=DOCUMENTS | NESTS,
    limit=st.integers(1, 80),
    least=st.just(100) | st.integers(0, 100),
    convert_lists=st.booleans(),
    ensure_ascii=st.booleans(),
)
def test_labels_and_headers_are_those_of_the_values_in_the_chunk(
    size: Any, text: str, limit: int, least: int, convert_lists: bool, ensure_ascii: bool
) -> None:
    splitter = JSONSplitter(
        chunk_size=limit,
        min_size=limit * least // 100,
        convert_lists=convert_lists,
        ensure_ascii=ensure_ascii,
        length_function=size,
    )
    chunks = splitter.create_documents([text])
    every = [names for names, _ in leaves(json.loads(text))]
    contents = [chunk.page_content for chunk in chunks]
    for chunk, (present, whole) in zip(chunks, held(text, contents), strict=True):
        values = [largest(names, whole, every) for names in whole] or present
        assert chunk.metadata["headers"] == shown(shared([names[:-1] for names in values]))
        if values[0]:
            assert chunk.metadata["label"] == shorten(shown(values[0]))


A_TAIL_AND_A_HEAD = json.dumps(
    {"a": {"x": "1" * 20, "y": "2" * 20}, "b": {"u": "4", "v": "5" * 30}}
)
PARTS_ONLY = json.dumps({"a": {"x": "one two three four five six"}, "b": {"u": "ten " * 10}})


@pytest.mark.parametrize(
    ("text", "limit", "content", "label", "headers"),
    [
        (
            A_TAIL_AND_A_HEAD,
            54,
            '{"a": {"y": "22222222222222222222"}, "b": {"u": "4"}}',
            "a > y",
            "",
        ),
        (
            PARTS_ONLY,
            40,
            '{"a": {"x": "six"}, "b": {"u": "ten "}}',
            "a > x",
            "",
        ),
        (r'[1, 123456789012345, ["\ud83d"]]', 15, r'{"2": {"0": "\ud83d"}}', "[2]", ""),
    ],
    ids=["a tail and a head", "parts of strings only", "one character that does not fit"],
)
def test_label_and_headers(text: str, limit: int, content: str, label: str, headers: str) -> None:
    chunks = JSONSplitter(chunk_size=limit).create_documents([text])
    (chunk,) = (chunk for chunk in chunks if chunk.page_content == content)
    assert (chunk.metadata["label"], chunk.metadata["headers"]) == (label, headers)
