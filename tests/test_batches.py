"""ArrowChunker: the same chunks as split_documents, in one schema, whatever the batch holds."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from types import MappingProxyType

import pyarrow as pa
import pytest
from langchain_core.documents import Document
from langchain_text_splitters import CharacterTextSplitter

from langchain_mchunk import (
    STRATEGIES,
    ArrowChunker,
    AutoSplitter,
    HTMLSplitter,
    JSONSplitter,
    MarkdownSplitter,
    SectionSplitter,
    SemanticMarkdownSplitter,
    Span,
    SpanSplitter,
)
from langchain_mchunk.batches import DocumentError

TEXTS = ["# A\n\nOne.\n\n## B\n\nTwo.", "", "# C\n\nThree.", " \n"]
MADE = ["page_content", "label", "index", "headers", "start_index", "error"]


class Parts(SpanSplitter):
    """A strategy that adds a key of its own."""

    added_metadata = MappingProxyType({"part": str, "size": int})

    def spans(self, text):
        for match in re.finditer(r"\w+", text):
            yield Span(match.start(), match.end(), (), {"part": match[0][0], "size": len(match[0])})


class Seen(SectionSplitter):
    """Remembers the metadata it gets."""

    def split_documents(self, documents):
        self.seen = getattr(self, "seen", []) + [document.metadata for document in documents]
        return super().split_documents(documents)


def table(texts=TEXTS, kind=None, **columns):
    return pa.table({"text": pa.array(texts, kind or pa.string()), **columns})


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_chunks_are_those_of_split_documents(strategy: str) -> None:
    options = {"chunk_size": 1000, "add_start_index": True}
    splitter = STRATEGIES[strategy](**options)
    text = '{"a": 1}' if strategy == "json" else TEXTS[0]
    given = table([text, text], id=[1, 2])
    chunks = ArrowChunker(splitter, metadata=["id"])(given).to_pylist()
    expected = splitter.split_documents([Document(text, metadata={"id": i}) for i in (1, 2)])
    assert len(chunks) == len(expected)
    for chunk, document in zip(chunks, expected, strict=True):
        absent = dict.fromkeys(["start_index", *splitter.added_metadata, "error"])
        assert chunk == {**absent, **document.metadata, "page_content": document.page_content}


def test_the_schema_is_fixed() -> None:
    chunker = ArrowChunker(Parts(), metadata=["id", "tags"], on_error="record")
    given = table(id=pa.array([1, 2, 3, 4], pa.int32()), tags=[["x"], None, [], ["y", "z"]])
    expected = pa.schema(
        [
            ("id", pa.int32()),
            ("tags", pa.list_(pa.string())),
            ("page_content", pa.string()),
            ("label", pa.string()),
            ("index", pa.int64()),
            ("headers", pa.string()),
            ("start_index", pa.int64()),
            ("part", pa.string()),
            ("size", pa.int64()),
            ("error", pa.string()),
        ]
    )
    assert chunker.schema(given.schema) == expected
    for batch in (given, given.slice(0, 0), given.slice(1, 1), table([None] * 4, **_rest(given))):
        assert chunker(batch).schema == expected
    assert chunker(given).select(["part", "size", "start_index"]).slice(0, 2).to_pylist() == [
        {"part": "A", "size": 1, "start_index": None},
        {"part": "O", "size": 3, "start_index": None},
    ]


def _rest(given):
    return {name: given[name] for name in given.column_names if name != "text"}


def test_a_blank_text_has_no_chunks() -> None:
    chunks = ArrowChunker(SectionSplitter(), metadata=["n"])(table(n=[0, 1, 2, 3]))
    assert chunks["n"].to_pylist() == [0, 0, 2]


def test_it_pickles_copies_and_takes_record_batches() -> None:
    chunker = ArrowChunker(SectionSplitter(add_start_index=True), on_error="record")
    expected = chunker(table())
    for same in (pickle.loads(pickle.dumps(chunker)), copy.deepcopy(chunker)):
        assert same(table()).equals(expected)
    (batch,) = table().to_batches()
    assert chunker(batch).equals(expected)
    chunked = pa.concat_tables([table().slice(0, 1), table().slice(1)])
    assert chunker(chunked).equals(expected)


def test_stream_of_one_batch() -> None:
    with pytest.raises(TypeError, match="^batches must be an iterable of batches, got one: call "):
        list(ArrowChunker(SectionSplitter()).stream(table()))


def test_stream() -> None:
    chunker = ArrowChunker(SectionSplitter())
    streamed = list(chunker.stream(table().to_batches(max_chunksize=1)))
    assert all(isinstance(batch, pa.RecordBatch) for batch in streamed)
    assert pa.Table.from_batches(streamed).to_pylist() == chunker(table()).to_pylist()


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
    ],
    ids=str,
)
def test_columns_of_other_types(kind: pa.DataType) -> None:
    column = pa.array(TEXTS).cast(kind)
    chunker = ArrowChunker(SectionSplitter(), metadata=["kept"])
    chunks = chunker(pa.table({"text": column, "kept": column}))
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    plain = pa.string() if plain == pa.string_view() else plain
    assert chunks.schema.field("kept").type == plain
    expected = chunker(table(kept=TEXTS))
    assert chunks.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize(
    "nulls",
    [
        *(pa.nulls(1, kind) for kind in (pa.string(), pa.null())),
        pa.nulls(1, pa.dictionary(pa.int32(), pa.string())),
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([None], pa.string())),
    ],
)
def test_a_null_is_an_error(nulls: pa.Array) -> None:
    given = pa.table({"text": nulls, "id": [7]})
    reason = "ValueError: the text is null: fill it or leave the row out"
    (row,) = ArrowChunker(SectionSplitter(), metadata=["id"], on_error="record")(given).to_pylist()
    assert row == {**dict.fromkeys(MADE), "id": 7, "error": reason}
    with pytest.raises(DocumentError, match=f"^row 0: {reason}$") as raised:
        ArrowChunker(SectionSplitter())(given)
    assert pickle.loads(pickle.dumps(raised.value)).row == 0


def test_one_that_fails_costs_no_other() -> None:
    given = table(['{"a": 1}', '{"a": ', "[2]"], id=["x", "y", "z"])
    chunker = ArrowChunker(JSONSplitter(), metadata=["id"], on_error="record")
    rows = chunker(given).select(["id", "page_content", "error"]).to_pylist()
    assert [row["id"] for row in rows] == ["x", "y", "z"]
    assert [row["page_content"] for row in rows] == ['{"a": 1}', None, "[2]"]
    assert rows[1]["error"].startswith("ValueError: ")
    with pytest.raises(DocumentError, match=r"^row 1: ValueError: ") as raised:
        ArrowChunker(JSONSplitter())(given)
    assert isinstance(raised.value.__cause__, ValueError)


def broken_text() -> pa.Array:
    offsets = pa.array([0, 1, 2, 3], pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"a\xffb")])


def test_what_is_no_utf8_is_an_error_row() -> None:
    broken = broken_text()
    rows = ArrowChunker(SectionSplitter(), on_error="record")(pa.table({"text": broken}))
    assert rows["page_content"].to_pylist() == ["a", None, "b"]
    assert "UnicodeDecodeError" in rows["error"][1].as_py()


def test_metadata_that_are_no_utf8_are_null_in_an_error_row() -> None:
    given = pa.table({"text": ["A", "B", "C"], "id": broken_text()})
    rows = ArrowChunker(SectionSplitter(), metadata=["id"], on_error="record")(given)
    assert rows["id"].to_pylist() == ["a", None, "b"]
    assert rows["page_content"].to_pylist() == ["A", None, "C"]
    assert rows["error"][1].as_py().startswith("ValueError: metadata column 'id': 'utf-8' codec")
    with pytest.raises(DocumentError, match="^row 1: ValueError: metadata column 'id': "):
        ArrowChunker(SectionSplitter(), metadata=["id"])(given)


@pytest.mark.parametrize(
    "column",
    [
        pa.RunEndEncodedArray.from_arrays([1, 2], ["a", "b"]),
        pa.StructArray.from_arrays([pa.array(["a", "b"], pa.string_view())], ["key"]),
        pa.array([["a"], []], pa.list_(pa.string_view())),
        pa.array([[("k", "v")], []], pa.map_(pa.string(), pa.dictionary(pa.int32(), pa.string()))),
    ],
    ids=["run ends", "struct", "list", "map"],
)
def test_metadata_that_are_encoded_within(column: pa.Array) -> None:
    chunker = ArrowChunker(SectionSplitter(), metadata=["kept"])
    chunks = chunker(pa.table({"text": ["A", "B"], "kept": column}))
    assert chunks["kept"].to_pylist() == column.to_pylist()
    assert not re.search("view|run_end|dictionary", str(chunks.schema))


def test_slices_of_structs_of_nulls() -> None:
    given = table(["A", "B", "C"], m=[{"a": None}] * 3)
    chunks = ArrowChunker(SectionSplitter(), metadata=["m"])(given.slice(2))
    assert chunks["m"].to_pylist() == [{"a": None}]


@pytest.mark.parametrize(
    "times",
    [
        pa.array([2**40] * 2, pa.timestamp("s")),
        pa.array([253402300799] * 2, pa.timestamp("s", "Europe/Berlin")),
        pa.array([2**30] * 2, pa.date32()),
    ],
    ids=str,
)
def test_times_that_python_cannot_hold_are_copied(times: pa.Array) -> None:
    chunks = ArrowChunker(SectionSplitter(), metadata=["until"])(table(["A", "B"], until=times))
    assert chunks["page_content"].to_pylist() == ["A", "B"]
    assert chunks["until"].combine_chunks().equals(times)


def test_a_label_that_is_no_text_is_an_error_row() -> None:
    class Numbers(SectionSplitter):
        def split_documents(self, documents):
            chunks = super().split_documents(documents)
            chunks[0].metadata["label"] = 5
            return chunks

    (row,) = ArrowChunker(Numbers(), on_error="record")(table(["A"])).to_pylist()
    assert row["error"] == "TypeError: label of a chunk must be of type string, got 5"


def test_what_arrow_cannot_hold_is_an_error_row() -> None:
    class Surrogates(SectionSplitter):
        def split_documents(self, documents):
            chunks = super().split_documents(documents)
            chunks[0].metadata["label"] = "\ud800" if "A" in chunks[0].page_content else "fine"
            return chunks

    rows = ArrowChunker(Surrogates(), on_error="record")(table(["A", "B"]))
    assert rows["label"].to_pylist() == [None, "fine"]
    assert "UnicodeEncodeError" in rows["error"][0].as_py()


def test_metadata_go_to_the_splitter_but_for_nulls() -> None:
    splitter = Seen()
    given = table(TEXTS[:2], id=[1, None], tags=[["x"], None], other=[0, 0])
    ArrowChunker(splitter, metadata=["id", "tags"])(given)
    assert splitter.seen == [{"id": 1, "tags": ["x"]}, {}]


@pytest.mark.parametrize("column", ["content_type", "source", "file_path"])
def test_auto_reads_the_type_from_a_column(column: str) -> None:
    types = ["application/json", "text/plain"] if column == "content_type" else ["a.json", "a.txt"]
    text = '{"user": {"name": "Ann"}}'
    chunks = ArrowChunker(AutoSplitter(), metadata=[column])(table([text] * 2, **{column: types}))
    assert chunks["label"].to_pylist() == ["user", text]
    assert chunks[column].to_pylist() == types


def test_any_text_splitter_of_langchain() -> None:
    chunks = ArrowChunker(CharacterTextSplitter())(table(TEXTS[:1]))
    assert chunks["page_content"].to_pylist() == TEXTS[:1]
    assert chunks["label"].null_count == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"text": 1}, TypeError, "text must be the name of a column, got 1"),
        ({"metadata": "id"}, TypeError, "metadata must be a list of column names, got 'id'"),
        ({"metadata": [1]}, TypeError, "metadata must be a list of column names, got 1 in it"),
        (
            {"metadata": ["index"]},
            ValueError,
            "metadata must not name 'index', a column of the chunks: rename it first",
        ),
        (
            {"metadata": ["part"]},
            ValueError,
            "metadata must not name 'part', a column of the chunks: rename it first",
        ),
        (
            {"metadata": ["error"]},
            ValueError,
            "metadata must not name 'error', a column of the chunks: rename it first",
        ),
        (
            {"metadata": ["id", "id"]},
            ValueError,
            "metadata must name each column once, got 'id' twice",
        ),
        (
            {"on_error": "ignore"},
            ValueError,
            "on_error must be one of 'raise', 'record', got 'ignore'",
        ),
    ],
)
def test_wrong_options(options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ArrowChunker(Parts(), **options)


@pytest.mark.parametrize(
    ("splitter", "text", "added"),
    [
        (
            MarkdownSplitter(headers=[("#", "title"), ("##", "section")]),
            TEXTS[0],
            {"title": ["A", "A"], "section": [None, "B"]},
        ),
        (
            HTMLSplitter(headers=[("h1", "title"), ("h2", "section")], add_xpath=True),
            "<h1>A</h1><p>One.<h2>B</h2><p>Two.",
            {
                "title": ["A", "A"],
                "section": [None, "B"],
                "xpath": ["/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]"],
            },
        ),
        (
            HTMLSplitter(sections=[("article", "part")]),
            "<article><h1>A</h1>One.</article>",
            {"part": ["A"]},
        ),
        (SemanticMarkdownSplitter(), "one two", {"token_count": [2]}),
    ],
)
def test_keys_of_headers_are_columns(splitter, text: str, added: dict) -> None:
    chunks = ArrowChunker(splitter)(table([text]))
    assert chunks.column_names == [*MADE[:-1], *added, "error"]
    assert chunks.select(list(added)).to_pydict() == added
    assert chunks["error"].null_count == chunks.num_rows


def test_keys_of_headers_that_clash() -> None:
    message = (
        "^the splitter must not add the metadata key 'error', a column of the chunks: give its"
    )
    with pytest.raises(ValueError, match=message):
        ArrowChunker(MarkdownSplitter(headers=[("#", "error")]))


def test_no_splitter() -> None:
    with pytest.raises(TypeError, match="^splitter must be a TextSplitter, got 'section'$"):
        ArrowChunker("section")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            pa.table({"body": ["a"], "id": [1]}),
            ValueError,
            "there is no column 'text': name one of 'body', 'id' with text=",
        ),
        (pa.table({}), ValueError, "there is no column 'text': the table has no columns"),
        (
            pa.table({"text": ["a"]}),
            ValueError,
            "there is no column 'id': name one of 'text' with metadata=",
        ),
        (
            pa.table([["a"], ["b"], [1]], names=["text", "text", "id"]),
            ValueError,
            "there are 2 columns 'text': rename all but one",
        ),
        (
            pa.table({"text": [b"a"], "id": [1]}),
            TypeError,
            "column 'text' must hold text, got binary: cast it to string",
        ),
        (
            pa.table({"text": pa.array([1]).dictionary_encode(), "id": [1]}),
            TypeError,
            "column 'text' must hold text, got "
            "dictionary<values=int64, indices=int32, ordered=0>: cast it to string",
        ),
        (
            {"text": ["a"]},
            TypeError,
            "batch must be a pyarrow.Table or RecordBatch, got dict: "
            'in Ray set batch_format="pyarrow", else use pyarrow.Table.from_pandas',
        ),
    ],
)
def test_wrong_batches(given: object, error: type, message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ArrowChunker(SectionSplitter(), metadata=["id"])(given)


@pytest.mark.parametrize("name", ["ArrowChunker", "split_dataset"])
def test_without_pyarrow(name: str) -> None:
    program = f"import sys; sys.modules['pyarrow'] = None\nfrom langchain_mchunk import SectionSplitter, {name}"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stderr.splitlines()[-1] == (
        f'ImportError: {name} needs pyarrow: pip install "langchain-mchunk[arrow]"'
    )


class Odd(SectionSplitter):
    """Fails in ways that are no plain Exception, or cannot be told."""

    def split_documents(self, documents):
        text = documents[0].page_content
        if text == "exit":
            sys.exit(3)
        if text == "surrogate":
            raise ValueError("\ud800")
        if text == "silent":
            raise SilentError
        return super().split_documents(documents)


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError


def test_whatever_a_splitter_raises_is_a_row() -> None:
    chunker = ArrowChunker(Odd(), on_error="record")
    table = chunker(pa.table({"text": ["exit", "surrogate", "silent", "fine"]}))
    assert table["error"].to_pylist() == [
        "SystemExit: 3",
        "ValueError: ?",
        "SilentError: its message cannot be shown",
        None,
    ]


def test_a_class_is_no_splitter() -> None:
    with pytest.raises(TypeError, match="^splitter must be a TextSplitter, got <class"):
        ArrowChunker(SectionSplitter)
