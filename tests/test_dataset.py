"""split_dataset: what it reads, that it writes all of it once, and that a stopped run is finished."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
import regex
from langchain_core.documents import Document
from workers import Deadly, Slow

import langchain_mchunk.dataset
from langchain_mchunk import (
    AutoSplitter,
    JSONSplitter,
    RecursiveSplitter,
    Report,
    SectionSplitter,
    TokenCounter,
    TokenSplitter,
    split_dataset,
)
from langchain_mchunk.batches import DocumentError
from langchain_mchunk.dataset.fingerprint import describe, options
from langchain_mchunk.dataset.fragments import MANIFEST, find
from langchain_mchunk.dataset.lines import BLOCK, Unreadable
from langchain_mchunk.dataset.reading import read, schema_of

SPLITTER = SectionSplitter(chunk_size=100)
split = partial(split_dataset, workers=1, show_progress=False)


def documents(count: int, of: str = "") -> list[dict]:
    return [{"text": f"# {of}{i}\n\n" + f"word {i} " * i, "id": i} for i in range(count)]


def write_lines(path: Path, rows: list[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_parquet(path: Path, rows: list[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def rows(target: Path) -> list[dict]:
    return pads.dataset(target).to_table().to_pylist()


def by_a_loop(given: list[dict], splitter=SPLITTER) -> list[dict]:
    """Return the rows of a plain loop over the documents."""
    chunks = splitter.split_documents(
        [
            Document(row["text"], metadata={k: v for k, v in row.items() if k != "text"})
            for row in given
        ]
    )
    return [
        {"page_content": chunk.page_content, "start_index": None, "error": None, **chunk.metadata}
        for chunk in chunks
    ]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """Three files of JSON Lines."""
    for name in ("a", "b", "deep/c"):
        write_lines(tmp_path / "in" / f"{name}.jsonl", documents(20, name))
    return tmp_path / "in"


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has to do with no process needs none: they take a second to start."""

    def run(work, fragments, workers):
        return ((fragment, work(fragment)) for fragment in fragments)

    monkeypatch.setattr(langchain_mchunk.dataset, "load", lambda name: run)


def everything() -> list[dict]:
    return [row for name in ("a", "b", "deep/c") for row in by_a_loop(documents(20, name))]


@pytest.mark.usefixtures("inline")
class TestReads:
    def test_json_lines(self, lines: Path, tmp_path: Path) -> None:
        report = split(lines, tmp_path / "out", SPLITTER)
        assert rows(tmp_path / "out") == everything()
        written = {str(p.relative_to(tmp_path / "out")) for p in tmp_path.glob("out/**/*.*")}
        assert written == {MANIFEST, *(f"{name}.jsonl.parquet" for name in ("a", "b", "deep/c"))}
        characters = sum(
            len(row["text"]) for name in ("a", "b", "deep/c") for row in documents(20, name)
        )
        assert report._replace(seconds=0) == (60, len(everything()), characters, 0, 0, 3)
        assert re.fullmatch(
            rf"3 files, 60 documents, {report.chunks} chunks, 13,290 characters, "
            r"0 errors in \d+\.\d s",
            str(report).replace(f"{characters:,}", "13,290"),
        )

    def test_parquet(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            write_parquet(tmp_path / f"in/{name}.parquet", documents(20, name))
        (tmp_path / "in/_SUCCESS").touch()
        split(str(tmp_path / "in"), str(tmp_path / "out"), SPLITTER, batch_size=3)
        expected = [row for name in ("a", "b") for row in by_a_loop(documents(20, name))]
        assert rows(tmp_path / "out") == expected
        assert (tmp_path / "out/a.parquet").exists()

    def test_plain_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("in/deep").mkdir(parents=True)
        Path("in/a.json").write_bytes(b'\xef\xbb\xbf{"user": {"name": "Ann"}}')
        Path("in/deep/b.txt").write_text("Größe", "utf-8")
        Path("in/c.txt").write_text("Größe", "latin-1")
        Path("in/.hidden").touch()
        report = split("in", "in/out", AutoSplitter())
        assert [(row["source"], row["label"]) for row in rows(Path("in/out"))] == [
            ("in/a.json", "user"),
            (None, None),
            ("in/deep/b.txt", "Größe"),
        ]
        assert report.errors == 1
        (error,) = filter(None, (row["error"] for row in rows(Path("in/out"))))
        assert error.startswith("in/c.txt, row 0: 'utf-8' codec can't decode byte 0xf6")
        assert split("in", "in/out", AutoSplitter()).files == 3  # its own files are no documents

    def test_targets_in_a_source_are_no_part_of_it(self, lines: Path, tmp_path: Path) -> None:
        first = split(lines, lines / "deep/out", SPLITTER)
        for target in (lines / "deep/out", lines / "out", tmp_path / "out"):
            assert split(lines, target, SPLITTER)[:-2] == first[:-2]
            assert split(str(lines / "**/*.*"), target, SPLITTER)[:-2] == first[:-2]
        assert {Path(f.name).suffix for f in find(lines / "out", tmp_path / "x")[1]} == {".parquet"}

    def test_a_target_is_not_the_folder_of_the_source(self, lines: Path, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(lines)
        for source in (lines, lines / "a.jsonl", str(lines / "*.jsonl"), lines / "deep", link):
            with pytest.raises(ValueError, match=r"target must not be the folder of the source"):
                split(source, lines, SPLITTER)

    def test_names_that_readers_skip(self, tmp_path: Path) -> None:
        for name in ("_a.txt", "_b/_c.txt", "d_.txt"):
            (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "in" / name).write_text(name)
        split(tmp_path / "in", tmp_path / "out", SPLITTER)
        assert sorted(row["label"] for row in rows(tmp_path / "out")) == [
            "_a.txt",
            "_b/_c.txt",
            "d_.txt",
        ]

    def test_names_that_are_alike(self, tmp_path: Path) -> None:
        for name in ("_a.txt", "%5Fa.txt", "%255Fa.txt"):
            (tmp_path / "in").mkdir(exist_ok=True)
            (tmp_path / "in" / name).write_text(name)
        assert split(tmp_path / "in", tmp_path / "out", SPLITTER).files == 3
        assert {row["page_content"] for row in rows(tmp_path / "out")} == {
            "_a.txt",
            "%5Fa.txt",
            "%255Fa.txt",
        }
        write_parquet(tmp_path / "pq/a.pq", documents(1))
        write_parquet(tmp_path / "pq/a.pq.parquet", documents(1))
        with pytest.raises(ValueError, match=r"^source must not hold both .*a\.pq and .*a\.pq\.p"):
            split(tmp_path / "pq", tmp_path / "other", SPLITTER)
        for name in ("a.txt", "a.txt.parquet/b.txt"):
            (tmp_path / "txt" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "txt" / name).write_text(name)
        with pytest.raises(ValueError, match=r"^source must not hold both .*a\.txt and .*/b\.txt"):
            split(tmp_path / "txt", tmp_path / "third", SPLITTER)

    @pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
    def test_names_that_are_long_or_no_utf8(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        names = [b"a" * 249 + b".jsonl", "ä".encode() * 120 + b".jsonl", b"\xff.jsonl", b"b.jsonl"]
        for name in names:
            (tmp_path / "in" / os.fsdecode(name)).write_text('{"text": "A"}')
        assert split(tmp_path / "in", tmp_path / "out", SPLITTER).chunks == 4
        assert split(tmp_path / "in", tmp_path / "out", SPLITTER).chunks == 4
        assert (tmp_path / "out/%FF.jsonl.parquet").is_file()
        (tmp_path / "in/\udcff.txt").write_text("A")
        split(tmp_path / "in/\udcff.txt", tmp_path / "plain", SPLITTER)
        assert [row["source"] for row in rows(tmp_path / "plain")] == [f"{tmp_path}/in/\\xff.txt"]

    def test_a_file_that_is_named_is_taken(self, tmp_path: Path) -> None:
        for name in ("_a.jsonl", ".a.jsonl"):
            write_lines(tmp_path / name, documents(2))
            assert split(tmp_path / name, tmp_path / f"out{name}", SPLITTER).documents == 2

    def test_columns_of_the_chunks_in_the_source_give_way(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "in.jsonl", [{"text": "A", "index": 7, "error": "x", "id": 1}])
        split(tmp_path / "in.jsonl", tmp_path / "out", SPLITTER)
        assert [row["index"] for row in rows(tmp_path / "out")] == [0]
        with pytest.raises(ValueError, match="^metadata must not name 'index'"):
            split(tmp_path / "in.jsonl", tmp_path / "other", SPLITTER, metadata=["index"])

    def test_a_file_and_a_pattern(self, lines: Path, tmp_path: Path) -> None:
        split(lines / "a.jsonl", tmp_path / "one", SPLITTER)
        assert rows(tmp_path / "one") == by_a_loop(documents(20, "a"))
        split(lines / "**" / "*.jsonl", tmp_path / "all", SPLITTER)
        assert rows(tmp_path / "all") == everything()
        assert (tmp_path / "all/deep/c.jsonl.parquet").exists()

    def test_other_columns(self, tmp_path: Path) -> None:
        given = [{"body": "# A\n\ntext", "id": 1, "when": "2020-01-01", "more": {"a": [None]}}]
        write_lines(tmp_path / "in.jsonl", [*given, {"body": "B", "when": "never", "new": 1.5}])
        split(tmp_path / "in.jsonl", tmp_path / "all", SPLITTER, text="body")
        first, second = rows(tmp_path / "all")
        assert (first["when"], first["more"], first["new"]) == ("2020-01-01", {"a": [None]}, None)
        assert (second["when"], second["more"], second["new"]) == ("never", None, 1.5)
        split(tmp_path / "in.jsonl", tmp_path / "id", SPLITTER, text="body", metadata=["id"])
        assert list(rows(tmp_path / "id")[0])[:2] == ["id", "page_content"]

    def test_columns_that_only_some_files_have(self, tmp_path: Path) -> None:
        write_parquet(tmp_path / "in/a.parquet", [{"text": "A", "n": 1}])
        write_parquet(tmp_path / "in/b.parquet", [{"text": "B", "n": 1.5, "m": "x"}])
        split(tmp_path / "in", tmp_path / "out", SPLITTER)
        assert [(row["n"], row["m"]) for row in rows(tmp_path / "out")] == [(1.0, None), (1.5, "x")]

    def test_two_columns_of_one_name(self, tmp_path: Path) -> None:
        twice = pa.table([["a"], ["b"], ["c"]], names=["text", "x", "x"])
        pq.write_table(twice, tmp_path / "in.parquet")
        with pytest.raises(
            ValueError, match=r"in\.parquet: its columns do not .*\(2 columns 'x'\)"
        ):
            split(tmp_path / "in.parquet", tmp_path / "out", SPLITTER)
        split(tmp_path / "in.parquet", tmp_path / "out", SPLITTER, metadata=[])
        assert [row["page_content"] for row in rows(tmp_path / "out")] == ["a"]

    def test_compressed_and_long_lines(self, tmp_path: Path) -> None:
        given = [{"text": "word " * (BLOCK // 2)}, {"text": "short"}]
        with gzip.open(tmp_path / "in.JSONL.GZ", "wt") as file:
            file.writelines(json.dumps(row) + "\n\n" for row in given)
        report = split(
            tmp_path / "in.JSONL.GZ", tmp_path / "out", SectionSplitter(chunk_size=10**6)
        )
        assert report.documents == 2
        assert report.characters == 5 * (BLOCK // 2) + 5
        assert rows(tmp_path / "out")[-1]["page_content"] == "short"

    def test_batches_do_not_show(self, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "in.parquet", documents(30))
        for size in (1, 7, 100):
            split(path, tmp_path / str(size), SPLITTER, batch_size=size)
            assert rows(tmp_path / str(size)) == by_a_loop(documents(30))

    @pytest.mark.parametrize("kind", ["parquet", "jsonl"])
    def test_memory_is_flat(self, kind: str, tmp_path: Path) -> None:
        row = {"text": random.Random(0).randbytes(40_000).hex()}
        if kind == "jsonl":
            write_lines(tmp_path / "in.jsonl", [row] * 500)
        else:
            table = pa.Table.from_pylist([row] * 50)
            with pq.ParquetWriter(
                tmp_path / "in.parquet", table.schema, use_dictionary=False
            ) as file:
                for _ in range(10):
                    file.write_table(table)
        kind, (fragment,) = find(tmp_path / f"in.{kind}", tmp_path / "out")
        assert fragment.size > 38_000_000
        before, peak, count = pa.total_allocated_bytes(), 0, 0
        for batch in read(kind, fragment, pa.schema([("text", pa.string())]), "text", 10):
            count += batch.num_rows
            peak = max(peak, pa.total_allocated_bytes() - before)
        assert count == 500
        assert peak < 20_000_000


@pytest.mark.usefixtures("inline")
class TestErrors:
    def test_a_document_that_fails(self, tmp_path: Path) -> None:
        given = [{"text": '{"a": 1}'}, {"text": '{"a": '}, {"text": "[2]"}, {"text": None}]
        path = write_lines(tmp_path / "in.jsonl", given)
        report = split(path, tmp_path / "out", JSONSplitter())
        assert (report.documents, report.chunks, report.errors) == (4, 2, 2)
        assert [row["page_content"] for row in rows(tmp_path / "out")] == [
            '{"a": 1}',
            None,
            "[2]",
            None,
        ]
        with pytest.raises(DocumentError, match=rf"^{path}, row 1: ValueError: "):
            split(path, tmp_path / "raised", JSONSplitter(), on_error="raise", batch_size=1)

    def test_a_line_that_is_no_json(self, tmp_path: Path) -> None:
        path = tmp_path / "in.jsonl"
        path.write_bytes(
            b'\xef\xbb\xbf{"text": "A", "n": 1}\n\n{"text": \n{"text": 5}\n{"text": "\xff"}\n{"text": "B"}'
        )
        report = split(path, tmp_path / "out", SPLITTER)
        assert (report.documents, report.chunks, report.errors) == (5, 2, 3)
        assert [row["page_content"] for row in rows(tmp_path / "out")] == [
            "A",
            None,
            None,
            None,
            "B",
        ]
        errors = [row["error"] for row in rows(tmp_path / "out")[1:4]]
        assert errors[0].startswith(f"{path}, row 1: the line is no JSON: JSONDecodeError: ")
        assert errors[1] == f"{path}, row 2: the text must be a string, got 5"
        assert "UnicodeDecodeError" in errors[2]
        with pytest.raises(DocumentError, match=rf"^{path}, row 1: the line is no JSON"):
            split(path, tmp_path / "raised", SPLITTER, on_error="raise")

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        write_parquet(tmp_path / "in/a.parquet", documents(3))
        whole = write_parquet(tmp_path / "in/b.parquet", documents(3)).read_bytes()
        (tmp_path / "in/b.parquet").write_bytes(whole[:100])
        report = split(tmp_path / "in", tmp_path / "out", SPLITTER)
        assert (report.documents, report.errors, report.files) == (4, 1, 2)
        assert rows(tmp_path / "out")[-1]["error"].startswith(f"{tmp_path}/in/b.parquet, row 0: ")
        with pytest.raises(DocumentError, match="b.parquet, row 0: "):
            split(tmp_path / "in", tmp_path / "raised", SPLITTER, on_error="raise")

    def test_no_file_that_can_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "a.parquet").write_bytes(b"a")
        report = split(tmp_path / "a.parquet", tmp_path / "out", SPLITTER)
        assert (report.documents, report.errors) == (1, 1)
        (tmp_path / "b.txt").write_bytes(b"\xff")
        split(tmp_path / "b.txt", tmp_path / "plain", SPLITTER)
        (row,) = rows(tmp_path / "plain")
        assert row["error"].endswith(": convert the file to UTF-8")

    def test_raise_keeps_what_is_finished(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "in/a.jsonl", [{"text": "1"}])
        path = write_lines(tmp_path / "in/b.jsonl", [{"text": "1"}, {"text": "{"}])
        with pytest.raises(DocumentError):
            split(tmp_path / "in", tmp_path / "out", JSONSplitter(), on_error="raise")
        made = (tmp_path / "out/a.jsonl.parquet").stat().st_mtime_ns
        assert not (tmp_path / "out/b.jsonl.parquet").exists()
        assert split(tmp_path / "in", tmp_path / "out", JSONSplitter()).errors == 1
        assert (tmp_path / "out/a.jsonl.parquet").stat().st_mtime_ns == made
        with pytest.raises(DocumentError, match=rf"^{path}, row 1"):  # an error row does not count
            split(tmp_path / "in", tmp_path / "out", JSONSplitter(), on_error="raise")

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (
                {"engine": "spark"},
                ValueError,
                "engine must be one of 'process', 'ray', 'dask', got 'spark'",
            ),
            ({"workers": 0}, ValueError, "workers must be at least 1, got 0"),
            ({"batch_size": 0}, ValueError, "batch_size must be at least 1, got 0"),
            ({"resume": 1}, TypeError, "resume must be True or False, got 1"),
            ({"show_progress": None}, TypeError, "show_progress must be True or False, got None"),
            ({"on_error": "x"}, ValueError, "on_error must be one of 'raise', 'record', got 'x'"),
            ({"metadata": "id"}, TypeError, "metadata must be a list of column names, got 'id'"),
            (
                {"text": "body"},
                ValueError,
                "there is no column 'body': name one of 'text', 'id' with text=",
            ),
            (
                {"metadata": ["no"]},
                ValueError,
                "there is no column 'no': name one of 'text', 'id' with metadata=",
            ),
            ({"text": "id"}, TypeError, "column 'id' must hold text, got int64: cast it to string"),
        ],
    )
    def test_wrong_arguments(
        self, lines: Path, tmp_path: Path, arguments: dict, error: type, message: str
    ) -> None:
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            split(lines, tmp_path / "out", SPLITTER, **arguments)
        assert not (tmp_path / "out").exists()

    def test_no_files(self, tmp_path: Path) -> None:
        for source in (tmp_path, tmp_path / "no", tmp_path / "*.md"):
            with pytest.raises(
                ValueError, match="^source must be a file, a folder or a pattern with"
            ):
                split(source, tmp_path / "out", SPLITTER)
        (tmp_path / "a[1]").mkdir()
        (tmp_path / "a[1]/a.txt").write_text("A")
        with pytest.raises(ValueError, match=r"\(\[ in a name is written \[\[\]\)$"):
            split(tmp_path / "a[1]/*.txt", tmp_path / "out", SPLITTER)
        assert split(tmp_path / "a[[]1]/*.txt", tmp_path / "out", SPLITTER).files == 1

    def test_files_of_two_kinds(self, lines: Path, tmp_path: Path) -> None:
        (lines / "readme.md").touch()
        message = (
            "^source must hold files of one kind, got .*jsonl and readme.md: name those of one"
        )
        with pytest.raises(ValueError, match=message):
            split(lines, tmp_path / "out", SPLITTER)

    def test_lines_that_disagree(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "in/a.jsonl", [{"text": "A", "id": 1, "m": {}}, {"text": "B"}])
        write_lines(tmp_path / "in/b.jsonl", [{"text": "C", "id": "x", "m": [1, "x"], "n": 1}])
        (tmp_path / "in/c.jsonl").write_text('{"text": "D", "n": 12345678901234567890123}\nnull\n[')
        report = split(tmp_path / "in", tmp_path / "out", SPLITTER)
        assert (report.documents, report.errors) == (6, 2)
        made = [
            [row[key] for key in ("page_content", "id", "m", "n")] for row in rows(tmp_path / "out")
        ]
        assert made[:4] == [
            ["A", "1", "{}", None],
            ["B", None, None, None],
            ["C", "x", '[1, "x"]', "1"],
            ["D", None, None, "12345678901234567890123"],
        ]

    def test_what_only_later_lines_have_costs_no_other(self, tmp_path: Path) -> None:
        long = {"text": "word " * 400, "n": 1}
        lines = [long] * 600 + [{"text": "late", "n": "x"}, {"text": 5}]
        write_lines(tmp_path / "in.jsonl", lines)
        report = split(tmp_path / "in.jsonl", tmp_path / "out", SPLITTER)
        assert (report.documents, report.errors) == (602, 2)
        first, second = (row["error"] for row in rows(tmp_path / "out")[-2:])
        assert first.endswith("600: 'n' must be int64, got 'x': leave it out with metadata=")
        assert second.endswith("row 601: the text must be a string, got 5")

    @pytest.mark.parametrize(
        ("first", "late", "fits"),
        [
            (1, 2.9, False),
            (1, True, False),
            (1, 2**63, False),
            (1, -(2**63) + 1, True),
            (1.5, 2, True),
            (1.5, True, False),
            ([1], [1.9], False),
            ([1], "", False),
            ([1], [], True),
            ({"a": 1}, {"a": 2.5}, False),
            ({"a": 1}, [], False),
            ({"a": 1}, {}, True),
            (True, False, True),
            ("x", 5, True),
        ],
    )
    def test_no_value_is_changed(self, tmp_path: Path, first, late, fits: bool) -> None:
        long = {"text": "word " * 400, "m": first}
        write_lines(tmp_path / "in.jsonl", [long] * 600 + [{"text": "late", "m": late}, {}])
        report = split(tmp_path / "in.jsonl", tmp_path / "out", SPLITTER)
        row = rows(tmp_path / "out")[-2]
        assert report.errors == (1 if fits else 2)  # the last has no text
        if fits:
            assert row["page_content"] == "late"
            assert row["m"] == (str(late) if first == "x" else {"a": None} if late == {} else late)
        else:
            assert "row 600: 'm' must be " in row["error"]

    def test_half_characters_in_lines(self, tmp_path: Path) -> None:
        lines = ['{"text": "a", "k\\ud800": 1}', '{"text": "b\\ud800"}', '{"text": "c"}']
        (tmp_path / "in.jsonl").write_text("\n".join(lines))
        report = split(tmp_path / "in.jsonl", tmp_path / "out", SPLITTER)
        assert (report.chunks, report.errors) == (1, 2)
        for i, row in enumerate(rows(tmp_path / "out")[:2]):
            assert f"row {i}: the line holds half a character: 'utf-8' codec" in row["error"]

    def test_rows_of_parquet_that_do_not_fit(self, tmp_path: Path) -> None:
        ids = pa.array([1] * 599 + [2**64 - 1] + [3] * 400, pa.uint64())
        texts = [f"doc {i}" for i in range(1000)]
        (tmp_path / "in").mkdir()
        pq.write_table(pa.table({"text": texts, "id": ids}), tmp_path / "in/a.parquet")
        write_parquet(tmp_path / "in/b.parquet", [{"text": "x", "id": 1}])
        report = split(tmp_path / "in", tmp_path / "out", SPLITTER)
        assert (report.documents, report.chunks, report.errors) == (1001, 1000, 1)
        error = rows(tmp_path / "out")[599]["error"]
        assert "a.parquet, row 599: column 'id': Integer value 18446744073709551615" in error
        assert error.endswith("leave it out with metadata=")

    def test_structs_of_nulls(self, tmp_path: Path) -> None:
        made = [{"text": f"{i}", "m": {"author": None, "n": 1}} for i in range(600)]
        write_parquet(tmp_path / "in.parquet", made)
        assert split(tmp_path / "in.parquet", tmp_path / "out", SPLITTER).chunks == 600
        assert rows(tmp_path / "out")[599]["m"] == {"author": None, "n": 1}

    def test_lines_that_are_deep(self, tmp_path: Path) -> None:
        nests = {depth: "[" * depth + "]" * depth for depth in (45, 100_000)}
        lines = [f'{{"text": "{depth} [[", "m": {nest}}}' for depth, nest in nests.items()]
        (tmp_path / "in.jsonl").write_text("\n".join([*lines, json.dumps({"text": "[" * 99})]))
        report = split(tmp_path / "in.jsonl", tmp_path / "out", SPLITTER)
        assert (report.chunks, report.errors) == (2, 1)
        first, second, third = rows(tmp_path / "out")
        assert (first["page_content"], first["m"]) == ("45 [[", nests[45])
        assert "row 1: the line is no JSON: RecursionError: " in second["error"]
        assert (third["page_content"], third["m"]) == ("[" * 99, None)

    @pytest.mark.parametrize("content", [b"", b"\n\n", b"{}\n"])
    def test_a_file_without_keys(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "in.jsonl").write_bytes(content)
        report = split(tmp_path / "in.jsonl", tmp_path / "out", SPLITTER)
        assert (report.chunks, report.errors) == (0, report.documents)
        assert report.documents == content.count(b"{")


@pytest.mark.usefixtures("inline")
class TestResumes:
    def test_nothing_is_made_twice(self, lines: Path, tmp_path: Path) -> None:
        first = split(lines, tmp_path / "out", SPLITTER)
        made = _times(tmp_path / "out")
        again = split(lines, tmp_path / "out", SPLITTER)
        assert again._replace(seconds=0) == first._replace(seconds=0)
        assert _times(tmp_path / "out") == made
        split(lines, tmp_path / "out", SPLITTER, resume=False)
        assert not set(_times(tmp_path / "out").values()) & set(made.values())

    def test_what_changed_is_made_again(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        made = _times(tmp_path / "out")
        write_lines(lines / "b.jsonl", [{"text": "new", "id": 0}])
        (lines / "a.jsonl").unlink()
        write_lines(lines / "d.jsonl", [{"text": "more", "id": 0}])
        (tmp_path / "out/.b.jsonl.parquet.1.tmp").touch()
        split(lines, tmp_path / "out", SPLITTER)
        assert [row["page_content"] for row in rows(tmp_path / "out")][:2] == ["new", "more"]
        assert rows(tmp_path / "out")[2:] == by_a_loop(documents(20, "deep/c"))
        kept = {name for name, time in _times(tmp_path / "out").items() if time in made.values()}
        assert kept == {"c.jsonl.parquet"}
        assert not list(tmp_path.glob("out/.*"))

    def test_what_is_gone_or_damaged_is_made_again(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        (tmp_path / "out/a.jsonl.parquet").unlink()
        (tmp_path / "out/b.jsonl.parquet").write_bytes(b"")
        split(lines, tmp_path / "out", SPLITTER)
        assert rows(tmp_path / "out") == everything()

    def test_a_new_column_is_in_all_files(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        write_lines(lines / "d.jsonl", [{"text": "new", "id": 0, "more": 1}])
        split(lines, tmp_path / "out", SPLITTER)
        schemas = [pq.read_schema(path) for path in tmp_path.glob("out/**/*.parquet")]
        assert len(schemas) == 4
        assert all(schema.equals(schemas[0]) and "more" in schema.names for schema in schemas)

    @pytest.mark.parametrize(
        ("arguments", "changed"),
        [
            ({"splitter": SectionSplitter(chunk_size=99)}, r"chunk_size 100, now 99"),
            ({"splitter": TokenSplitter(chunk_size=100)}, r"splitter '.*SectionSplitter', now '"),
            ({"metadata": []}, r"metadata None, now \[\]"),
            (
                {"splitter": RecursiveSplitter(chunk_size=100, separators=["a" * 99, ""])},
                r"separators None, now .{80}\.\.\.\)",
            ),
        ],
    )
    def test_other_options_are_refused(
        self, lines: Path, tmp_path: Path, arguments: dict, changed: str
    ) -> None:
        given = {"splitter": SPLITTER, **arguments}
        split(lines, tmp_path / "out", SPLITTER)
        with pytest.raises(ValueError, match=rf"^target .* made with other options \(.*{changed}"):
            split(lines, tmp_path / "out", **given)
        assert rows(tmp_path / "out") == everything()
        split(lines, tmp_path / "out", **given, resume=False)
        split(lines, tmp_path / "fresh", **given)
        assert rows(tmp_path / "out") == rows(tmp_path / "fresh")

    def test_a_target_of_others_is_refused(self, lines: Path, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out/thesis.parquet").touch()
        for resume in (True, False):
            with pytest.raises(
                ValueError, match="^target must be an empty folder or one that split"
            ):
                split(lines, tmp_path / "out", SPLITTER, resume=resume)

    def test_files_of_others_and_other_sources(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        (tmp_path / "out/notes.txt").touch()
        with pytest.raises(ValueError, match=r"^target must be .*, which holds notes\.txt$"):
            split(lines, tmp_path / "out", SPLITTER)
        (tmp_path / "out/notes.txt").unlink()
        other = write_lines(tmp_path / "other/x.jsonl", documents(1))
        with pytest.raises(ValueError, match="holds chunks of another source, such as .*: name"):
            split(other, tmp_path / "out", SPLITTER)
        assert split(other, tmp_path / "out", SPLITTER, resume=False).files == 1

    def test_a_part_of_the_source_is_refused(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        with pytest.raises(ValueError, match="holds chunks of another source, such as .*a.jsonl"):
            split(lines / "b.jsonl", tmp_path / "out", SPLITTER)
        assert rows(tmp_path / "out") == everything()

    @pytest.mark.parametrize("content", [b"\xff\xfe\n", b"{}\n", b"[1]\n", b"nothing\n"])
    def test_a_manifest_that_is_damaged(self, lines: Path, tmp_path: Path, content: bytes) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        (tmp_path / "out" / MANIFEST).write_bytes(content)
        with pytest.raises(ValueError, match=rf"{MANIFEST} is damaged \(.*\): name another target"):
            split(lines, tmp_path / "out", SPLITTER)

    def test_no_file_outside_of_the_target_is_removed(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        (tmp_path / "precious").touch()
        manifest = tmp_path / "out" / MANIFEST
        manifest.write_text(manifest.read_text().replace('"a.jsonl.parquet"', '"../precious"'))
        split(lines, tmp_path / "out", SPLITTER)
        assert (tmp_path / "precious").exists()
        assert rows(tmp_path / "out") == everything()

    def test_a_line_of_the_manifest_that_is_torn(self, lines: Path, tmp_path: Path) -> None:
        split(lines, tmp_path / "out", SPLITTER)
        manifest = tmp_path / "out" / MANIFEST
        written = manifest.read_bytes()
        for end in random.Random(0).sample(range(written.index(b"\n") + 1, len(written)), 3):
            manifest.write_bytes(written[:end])
            split(lines, tmp_path / "out", SPLITTER)
            assert rows(tmp_path / "out") == everything()


def _times(target: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in target.glob("**/*.parquet")}


SCRIPT = """
import sys
from langchain_mchunk import split_dataset
from workers import Slow

if __name__ == "__main__":
    source, target = sys.argv[1:]
    split_dataset(source, target, Slow(chunk_size=100), workers=2, batch_size=4, show_progress=False)
"""


class TestKilled:
    def test_at_any_moment(self, tmp_path: Path) -> None:
        """The whole process group is killed ten times; then a run finishes what they began."""
        for name in "abcdefgh":
            write_lines(tmp_path / f"in/{name}.jsonl", documents(40, name))
        expected = [row for name in "abcdefgh" for row in by_a_loop(documents(40, name))]
        source, target = tmp_path / "in", tmp_path / "out"
        (tmp_path / "run.py").write_text(SCRIPT)
        moments = random.Random(10)
        for _ in range(10):
            process = _started(tmp_path / "run.py", source, target)
            _wait_for(lambda target=target: (target / MANIFEST).exists())
            time.sleep(moments.uniform(0, 3))
            os.killpg(process.pid, signal.SIGKILL)
            finished = process.wait() == 0
            for path in target.glob("*.parquet"):  # whatever has its name is whole
                assert pq.read_table(path).to_pylist() == by_a_loop(documents(40, path.name[0]))
            if finished:
                assert rows(target) == expected
                target = tmp_path / f"after {process.pid}"
        split(source, target, Slow(chunk_size=100))
        assert rows(target) == expected
        assert {path.name for path in target.iterdir()} == {
            MANIFEST,
            *(f"{n}.jsonl.parquet" for n in "abcdefgh"),
        }

    @pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    def test_workers_end_with_their_parent(self, tmp_path: Path, sign: signal.Signals) -> None:
        write_lines(tmp_path / "in/a.jsonl", documents(300))
        write_lines(tmp_path / "in/b.jsonl", documents(10))
        (tmp_path / "run.py").write_text(SCRIPT)
        process = _started(tmp_path / "run.py", tmp_path / "in", tmp_path / "out")
        _wait_for(lambda: list(tmp_path.glob("out/.a*")))
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(process.pid, sign)
        _wait_for(lambda: process.poll() is not None)
        _wait_for(lambda: not any(Path("/proc", child).exists() for child in children))

    def test_one_run_a_target(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "in/a.jsonl", documents(300))
        (tmp_path / "run.py").write_text(SCRIPT)
        process = _started(tmp_path / "run.py", tmp_path / "in", tmp_path / "out")
        _wait_for(lambda: list(tmp_path.glob("out/.a*")))
        with pytest.raises(ValueError, match="^another run is writing to .*out: wait for it, or"):
            split(tmp_path / "in", tmp_path / "out", Slow(chunk_size=100))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert split(tmp_path / "in", tmp_path / "out", Slow(chunk_size=100)).documents == 300

    def test_a_worker_alone(self, tmp_path: Path) -> None:
        given = [*documents(10), {"text": "deadly", "id": 10}]
        write_lines(tmp_path / "in/a.jsonl", given)
        write_lines(tmp_path / "in/b.jsonl", documents(10))
        splitter = Deadly(chunk_size=100)
        splitter.mark = str(tmp_path / "mark")
        report = split(tmp_path / "in", tmp_path / "out", splitter, workers=2)
        assert (tmp_path / "mark").exists()
        assert report.errors == 0
        assert rows(tmp_path / "out") == [*by_a_loop(given), *by_a_loop(documents(10))]

    def test_a_worker_twice(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "in/a.jsonl", [{"text": "deadly", "id": 1}])
        write_lines(tmp_path / "in/b.jsonl", documents(10))
        report = split(tmp_path / "in", tmp_path / "out", Deadly(chunk_size=100))
        assert (report.files, report.errors) == (2, 1)
        first, *others = rows(tmp_path / "out")
        assert first["error"] == (
            f"{tmp_path}/in/a.jsonl, row 0: two workers died over this file: "
            "they may have run out of memory"
        )
        assert others == by_a_loop(documents(10))
        assert not list(tmp_path.glob("out/.*"))
        with pytest.raises(DocumentError, match=r"a\.jsonl, row 0: two workers died"):
            split(tmp_path / "in", tmp_path / "raised", Deadly(chunk_size=100), on_error="raise")


def test_a_splitter_that_cannot_reach_the_workers(lines: Path, tmp_path: Path) -> None:
    splitter = SectionSplitter(length_function=lambda text: 2 * len(text))
    with pytest.raises(TypeError, match="^splitter must pickle, .*: use functions of a module"):
        split(lines, tmp_path / "out", splitter)
    shutil.rmtree(tmp_path / "out")
    script = "import sys; from langchain_mchunk import *; "
    script += "split_dataset(*sys.argv[1:], SectionSplitter(), show_progress=False)"
    (tmp_path / "bare.py").write_text(script)
    ended = subprocess.run(
        [sys.executable, tmp_path / "bare.py", lines, tmp_path / "out"],
        env={**os.environ, "PYTHONPATH": str(Path(langchain_mchunk.__file__).parent.parent)},
        capture_output=True,
        check=False,
    )
    assert b"RuntimeError: worker processes die before they begin: call split_d" in ended.stderr


def _started(script: Path, *arguments: Path) -> subprocess.Popen:
    folders = [Path(langchain_mchunk.__file__).parent.parent, Path(__file__).parent]
    return subprocess.Popen(
        [sys.executable, str(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        start_new_session=True,
    )


def _wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise TimeoutError


def test_a_report_is_one_line() -> None:
    assert str(Report(1, 2000, 30000, 0, 1.25, 1)) == (
        "1 file, 1 document, 2,000 chunks, 30,000 characters, 0 errors in 1.2 s"
    )


def test_progress_is_shown_on_stderr(
    lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split(lines, tmp_path / "out", SPLITTER, show_progress=True)
    shown = capsys.readouterr()
    assert "3/3" in shown.err
    assert not shown.out


class TestFingerprint:
    def test_equal_options_are_equal_in_every_process(self) -> None:
        program = (
            "import json; from langchain_mchunk import TokenSplitter\n"
            "from langchain_mchunk.dataset.fingerprint import options\n"
            "print(json.dumps(options(TokenSplitter(allowed_special={'<|endoftext|>', 'a', 'b'}))))"
        )
        shown = {
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(shown) == 1

    def test_other_options_are_others(self) -> None:
        splitters = [
            SectionSplitter(),
            SectionSplitter(chunk_size=10),
            SectionSplitter(length_function=TokenCounter()),
            SectionSplitter(length_function=TokenCounter("o200k_base")),
            SectionSplitter(length_function=str.__len__),
            SectionSplitter(length_function=partial(round, ndigits=1)),
            SectionSplitter(length_function=partial(round, ndigits=2)),
            TokenSplitter(),
            AutoSplitter(),
            AutoSplitter(chunk_size=10),
        ]
        for one, other in itertools.combinations(splitters, 2):
            assert options(one) != options(other)

    def test_functions_without_a_name(self) -> None:
        def times(n: int):
            return lambda text: n * len(text)

        same, other, third = times(2), times(3), lambda text: 4 * len(text)
        assert describe(same) == describe(times(2))
        assert describe(same) != describe(other)
        assert describe(lambda text: 5 * len(text)) != describe(third)

    def test_what_changes_no_chunk_does_not_count(self) -> None:
        assert options(SectionSplitter(show_progress=True)) == options(SectionSplitter())
        used = AutoSplitter()
        used.split_text("text")
        assert options(used) == options(AutoSplitter())

    def test_values(self) -> None:
        assert describe({"a": {3, 1, 2}, "b": (None, True, 1.5, "x")}) == {
            "a": [1, 2, 3],
            "b": [None, True, 1.5, "x"],
        }
        for compile_ in (re.compile, regex.compile):
            assert describe(compile_("a")) == describe(compile_("a"))
            assert describe(compile_("a")) != describe(compile_("b"))
        assert json.dumps(describe([len, Path("x"), b"bytes", SectionSplitter]))


def test_columns_of_lines(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "in.jsonl", [{"text": "a", "n": None, "t": "2020-01-01"}, {"text": 1}]
    )
    kind, fragments = find(path, tmp_path / "out")
    schema = schema_of(kind, fragments, "text", None)
    assert schema == pa.schema([("text", pa.string()), ("n", pa.string()), ("t", pa.string())])
    batch, unreadable = read(kind, fragments[0], schema, "text", 10)
    assert batch.to_pylist() == [{"text": "a", "n": None, "t": "2020-01-01"}]
    assert isinstance(unreadable, Unreadable)
