"""json: held against `json` itself, which reads every chunk, and against a plain merge of what it reads."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring
from typing import Any

import pytest
from facts import as_lists, merged
from hypothesis import given
from hypothesis import strategies as st
from json_texts import DOCUMENTS, fuzzed

from langchain_mchunk import JSONSplitter
from langchain_mchunk.splitters._json.document import read
from langchain_mchunk.splitters._json.grammar import strings as written
from langchain_mchunk.splitters._json.reader import Reader


def literal(number: str) -> tuple[str]:
    """Keep a number as it is written."""
    return (number,)


def strictly(text: str) -> Any:
    """Read JSON; what cannot be encoded, constants and keys that occur twice are refused."""
    text.encode()
    return json.loads(
        text,
        parse_int=literal,
        parse_float=literal,
        parse_constant=refuse,
        object_pairs_hook=once,
    )


def refuse(constant: str) -> None:
    raise ValueError(constant)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def merge(chunks: list[str]) -> Any:
    whole, *rest = map(strictly, chunks)
    for chunk in rest:
        whole = merged(whole, chunk)
    return as_lists(whole)


def may_be_larger(chunk: str, size: Any, limit: int) -> bool:
    """Tell whether all that a chunk holds is one thing that has no parts or no room, under its path."""
    value, before, after = strictly(chunk), "", ""
    while size(before + after) < limit:
        if not isinstance(value, dict | list) or len(value) == 0:
            return type(value) is not str or len(value) <= 1
        if len(value) > 1:
            return False
        if isinstance(value, list):
            (value,), before, after = value, f"{before}[", f"]{after}"
        else:
            end = scanstring(chunk, len(before) + 2)[1]
            (value,), after = value.values(), f"}}{after}"
            before = f"{chunk[:end]}: "
    return True


def words(text: str) -> int:
    return len(text.split())


def utf8(text: str) -> int:
    return len(text.encode())


def tokens(text: str) -> int:
    """Count about what a tokenizer does: runs of letters in fours, runs of signs in twos."""
    return len(re.findall(r" ?[^\W_]{1,4}| ?[^\w\s]{1,2}|\s+|.", text))


@pytest.mark.parametrize("size", [len, utf8, words, tokens])
@fuzzed
@given(
    text=DOCUMENTS,
    limit=st.integers(1, 60) | st.sampled_from([100, 300, 2000]),
    least=st.none() | st.integers(0, 100),
    convert_lists=st.booleans(),
    ensure_ascii=st.booleans(),
)
def test_chunks_are_json_that_fits_and_merges(
    size: Any, text: str, limit: int, least: int | None, convert_lists: bool, ensure_ascii: bool
) -> None:
    splitter = JSONSplitter(
        chunk_size=limit,
        min_size=None if least is None else limit * least // 100,
        convert_lists=convert_lists,
        ensure_ascii=ensure_ascii,
        length_function=size,
    )
    chunks = splitter.split_text(text)
    assert merge(chunks) == as_lists(strictly(text))
    for chunk in chunks:
        assert size(chunk) <= limit or may_be_larger(chunk, size, limit), chunk
        assert not ensure_ascii or chunk.isascii()
        assert not convert_lists or not any(holds_items(value) for value in values(strictly(chunk)))


def holds_items(value: Any) -> bool:
    return isinstance(value, list) and value != []


def values(value: Any) -> Any:
    yield value
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from values(part)


@fuzzed
@given(text=DOCUMENTS)
def test_a_chunk_is_written_as_json_dumps_writes_it(text: str) -> None:
    value = json.loads(text, parse_float=lambda _: 1, parse_int=lambda _: 1)
    (chunk,) = JSONSplitter(chunk_size=10**6, ensure_ascii=True).split_text(text)
    assert re.sub(
        r'("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*', lambda m: m[1] or "1", chunk
    ) == json.dumps(value)


@fuzzed
@given(text=DOCUMENTS, ensure_ascii=st.booleans())
def test_both_ways_of_reading_agree(text: str, ensure_ascii: bool) -> None:
    how = written(ensure_ascii=ensure_ascii)
    assert read(text, 0, len(text), how)[:2] == Reader(text, len(text), how).document(0)


@fuzzed
@given(
    text=st.text(st.sampled_from('[]{},:"\\ 01-.eE+tfn\nu/a\t\f'), max_size=12)
    | st.text(max_size=6)
)
def test_what_json_refuses_is_refused(text: str) -> None:
    how = written(ensure_ascii=False)
    try:
        strictly(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"^text must be JSON, but at line \d+, column \d+ "):
            read(text, 0, len(text), how)
    else:
        assert read(text, 0, len(text), how)[:2] == Reader(text, len(text), how).document(0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "line 1, column 9 a key in double quotes was expected, got '}'"),
        ("[1,\r\n  2,\n  NaN]", "line 3, column 3 a value was expected, got 'NaN'"),
        ("[-Infinity]", "line 1, column 2 a value was expected, got '-Infinity'"),
        ('{"a" 1}', "line 1, column 6 ':' was expected, got '1'"),
        ("{'a': 1}", "line 1, column 2 a key in double quotes was expected, got \"'a'\""),
        ('{"a": 1 "b": 2}', "line 1, column 9 ',' or '}' was expected, got '\"b\"'"),
        ("[1}", "line 1, column 3 ',' or ']' was expected, got '}'"),
        ("[1, [2", "line 1, column 7 ',' or ']' was expected, got the end of the text"),
        ("1 2", "line 1, column 3 the end of the document was expected, got '2'"),
        ("", "line 1, column 1 a value was expected, got the end of the text"),
        ("\ufeff[", "line 1, column 2 a value was expected, got the end of the text"),
        (
            '["a\tb"]',
            "column 4 a closing quote or an escaped control character was expected, got '\\t'",
        ),
        (r'["\x41"]', r"column 3 an escape such as \n or \u00e9 was expected, got '\\x41'"),
        (
            '{"é": 1, "\\u00e9": 2}',
            "column 10 a key that the object does not have yet was expected, got",
        ),
        ('{"a": 1}\n{"a": [}\n', "line 2, column 8 a value was expected, got '}'"),
        ('{"a": 1}\n{"a":\n1}\n', "line 2, column 6 a value was expected, got the end of the line"),
        ("[" * 5000 + "1,]", "line 1, column 5003 a value was expected, got ']'"),
    ],
)
def test_an_error_says_where_and_what(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        JSONSplitter().split_text(text)


def test_keys_of_any_form_are_told_apart() -> None:
    text = r'{"a": 1, "A": 2, "\u0041 ": 3, "a\u0000": 4}'
    assert strictly(JSONSplitter().split_text(text)[0]) == strictly(text)


DEPTH = 100_000
NESTS = {
    "lists": "[" * DEPTH + "1, 2" + "]" * DEPTH,
    "objects": '{"a":' * DEPTH + "1" + "}" * DEPTH,
}


@pytest.mark.parametrize("size", [len, words])
@pytest.mark.parametrize("text", ["lists", "objects"])
def test_nesting_has_no_limit(text: str, size: Any) -> None:
    source = NESTS[text]
    (chunk,) = JSONSplitter(length_function=size).split_text(source)
    assert chunk.count("1") == source.count("1")
    assert chunk.count("[") + chunk.count("{") == DEPTH


def test_a_nest_with_neighbours() -> None:
    text = '{"b":0,"a":[' * (DEPTH // 2) + "1" + "]}" * (DEPTH // 2)
    *fitting, last = JSONSplitter(chunk_size=5000).split_text(text)
    assert fitting
    assert max(map(len, fitting)) <= 5000 + len('"b": 0')  # one number, where there is no more room
    assert last.endswith("}" * 9)


def test_json_lines() -> None:
    text = "\ufeff" + "".join(f'{{"id": {number}}}\r\n\r\n' for number in range(1000))
    chunks = JSONSplitter().create_documents([text])
    assert [chunk.page_content for chunk in chunks] == [f'{{"id": {n}}}' for n in range(1000)]
    assert [chunk.metadata["index"] for chunk in chunks] == list(range(1000))


@fuzzed
@given(texts=st.lists(DOCUMENTS, min_size=2, max_size=4))
def test_each_line_is_split_like_a_document_of_its_own(texts: list[str]) -> None:
    lines = [re.sub(r"[\r\n]", " ", text) for text in texts]
    splitter = JSONSplitter(chunk_size=20)
    whole = splitter.split_text("\n".join(lines))
    assert whole == [chunk for line in lines for chunk in splitter.split_text(line)]


def test_a_large_string_is_cut_at_word_ends() -> None:
    words_ = [f"word{number}" for number in range(5000)]
    chunks = JSONSplitter(chunk_size=200).split_text(json.dumps({"text": " ".join(words_)}))
    pieces = [json.loads(chunk)["text"] for chunk in chunks]
    assert [word for piece in pieces for word in piece.split()] == words_
    assert min(map(len, chunks[:-1])) > 200 - len(" word4999")


def test_neighbours_are_joined_while_they_fit() -> None:
    chunks = JSONSplitter(chunk_size=100).split_text(str(list(range(1000, 3000))))
    assert {len(chunk) for chunk in chunks[:-1]} == {2 + 16 * 6 - 2}


def test_a_document_that_fits_is_one_chunk() -> None:
    text = json.dumps({"a": [1, {"b": None}], "c": "x y z"})
    assert JSONSplitter(chunk_size=len(text)).split_text(text) == [text]


def test_a_label_shows_no_lone_surrogate() -> None:
    (chunk,) = JSONSplitter().create_documents([r'{"\ud800": 1}'])
    assert chunk.metadata["label"] == r"\ud800"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"min_size": 30, "chunk_size": 20},
            ValueError,
            "min_size must be at most chunk_size (20), got 30",
        ),
        ({"min_size": -1}, ValueError, "min_size must be at least 0, got -1"),
        ({"min_size": 1.5}, TypeError, "min_size must be an integer, got 1.5"),
        ({"ensure_ascii": 1}, TypeError, "ensure_ascii must be True or False, got 1"),
        ({"convert_lists": "yes"}, TypeError, "convert_lists must be True or False, got 'yes'"),
        ({"chunk_size": 0}, ValueError, "chunk_size must be at least 1, got 0"),
        ({"chunk_size": None}, TypeError, "chunk_size must be an integer, got None"),
        ({"headers": []}, TypeError, "headers"),
    ],
)
def test_options_are_checked(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        JSONSplitter(**options)


@pytest.mark.parametrize(("chunk_size", "least"), [(2000, 1800), (260, 60), (100, 50), (30, 30)])
def test_the_default_of_min_size(chunk_size: int, least: int) -> None:
    """A first entry of `least` characters is enough, one of less is not: then the second is opened."""
    for size, opened in ((least, False), (least - 1, True)):
        first = "x" * (size - len('{"a": ""}'))
        rest = {str(number): 0 for number in range(chunk_size)}
        chunks = JSONSplitter(chunk_size=chunk_size).split_text(json.dumps({"a": first, "b": rest}))
        assert ("b" in json.loads(chunks[0])) == (
            opened and chunk_size > size + len(', "b": {"0": 0}')
        )
