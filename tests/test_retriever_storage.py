"""A saved retriever is read back whole, or refused; a crash in a save loses nothing."""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_mchunk.index import Segment
from langchain_mchunk.retriever import KeywordRetriever

HERE = Path(__file__).parent
TEXTS = ["The cache is cold.", "A cache of caches.", "Nothing.", "Cold storage.", "cache"]


def contents(documents):
    return [document.page_content for document in documents]


def test_save_and_load(tmp_path):
    texts = [*TEXTS, "𠮷野家 é \ud83d\ude00 \u2028\r\n", ""]
    metadatas = [
        {"n": n, "headers": "Ü > b", "nested": {"a": [1, None]}} for n in range(len(texts))
    ]
    retriever = KeywordRetriever.from_texts(
        texts, metadatas, [*"abcdef", None], k=3, scoring="bm25", order="score", min_score=0.1
    )
    retriever.save_local(tmp_path / "deep" / "folder")
    loaded = KeywordRetriever.load_local(tmp_path / "deep" / "folder")
    assert loaded.documents == retriever.documents
    assert loaded.model_dump() == retriever.model_dump()
    assert loaded.search_with_score("cold cache") == retriever.search_with_score("cold cache")
    assert KeywordRetriever.load_local(tmp_path / "deep" / "folder", k=1).k == 1
    with pytest.raises(ValueError, match="include_headers must stay True"):
        KeywordRetriever.load_local(tmp_path / "deep" / "folder", include_headers=False)


def test_load_does_not_index_again(tmp_path, monkeypatch):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    monkeypatch.setattr(Segment, "of", None)
    assert contents(KeywordRetriever.load_local(tmp_path).invoke("storage")) == [TEXTS[3]]


def test_an_empty_retriever_is_saved_too(tmp_path):
    KeywordRetriever().save_local(tmp_path)
    loaded = KeywordRetriever.load_local(tmp_path)
    assert loaded.invoke("cache") == []
    loaded.add_documents([Document(page_content="cache")])
    loaded.save_local(str(tmp_path))
    assert contents(KeywordRetriever.load_local(str(tmp_path)).invoke("cache")) == ["cache"]


def test_a_failed_save_leaves_the_old_state_and_nothing_else(tmp_path):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    bad = KeywordRetriever.from_texts(["x"], [{"when": object()}])
    with pytest.raises(ValueError, match=r"metadata must be JSON to be saved, got {'when'"):
        bad.save_local(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert contents(KeywordRetriever.load_local(tmp_path).documents) == TEXTS


OTHERS = ("documents-1.jsonl", "documents-7.jsonl", "index-2024.npz", "retriever.json.new")


def test_other_files_in_the_folder_are_left_alone(tmp_path):
    retriever = KeywordRetriever.from_texts(TEXTS)
    retriever.save_local(tmp_path)
    for name in OTHERS:
        (tmp_path / name).write_text("mine")
    retriever.save_local(tmp_path)
    assert all((tmp_path / name).read_text() == "mine" for name in OTHERS)
    assert {path.name for path in tmp_path.iterdir()} == {
        *OTHERS,
        "mchunk-documents-2.jsonl",
        "mchunk-index-2.npz",
        "retriever.json",
    }


@pytest.mark.parametrize("name", OTHERS)
def test_a_folder_of_something_else_is_refused(tmp_path, name):
    (tmp_path / name).write_text("mine")
    message = (
        f"must be empty or written by save_local, but it has no retriever.json and holds '{name}'"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({1: "a", "1": "b"}, "keys must be str, not 1"),
        ({"a": [({"b": {None: 0}},)]}, "keys must be str, not None"),
        ({"a": {True: 0}}, "keys must be str, not True"),
        ({"a": {(1, 2): 0}}, "keys must be str"),
        ({"a": {1, 2}}, "set is not JSON serializable"),
        ({"a": functools.reduce(lambda inner, _: [inner], range(100_000), [])}, "recursion"),
    ],
)
def test_metadata_that_is_not_json_is_refused(tmp_path, metadata, reason):
    retriever = KeywordRetriever.from_texts(["a", "b"], [{"n": 1}, metadata])
    with pytest.raises(
        ValueError, match=rf"^documents\[1\]: metadata must be JSON to be saved, got .*: .*{reason}"
    ):
        retriever.save_local(tmp_path)


class Scored(Document):
    score: float = 0.5


class Open(Document, extra="allow"):
    pass


@pytest.mark.parametrize("document", [Scored(page_content="b"), Open(page_content="b", score=1)])
def test_fields_that_would_be_lost_are_refused(tmp_path, document):
    retriever = KeywordRetriever(documents=[Document(page_content="a"), document])
    with pytest.raises(ValueError, match=r"^documents\[1\] must have no fields .* got 'score'"):
        retriever.save_local(tmp_path)


def manifest(path, **changes):
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **changes}))


def options(folder, **changes):
    path = folder / "retriever.json"
    manifest(path, options={**json.loads(path.read_text())["options"], **changes})


def rewrite(folder, name, change):
    """Change a file, and the manifest with it."""
    data = change((folder / name).read_bytes())
    (folder / name).write_bytes(data)
    path = folder / "retriever.json"
    described = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    manifest(path, files={**json.loads(path.read_text())["files"], name: described})


def fewer(rows):
    return b"".join(rows.splitlines(keepends=True)[1:])


def more(rows):
    return rows + b'{"page_content": "one more"}\n'


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "retriever.json").unlink(), "retriever.json cannot be read"),
        (lambda f: (f / "retriever.json").write_text('{"for'), "is damaged: it is not JSON"),
        (lambda f: (f / "retriever.json").write_bytes(b"\xff\xfe\0"), "is damaged: it is not JSON"),
        (lambda f: (f / "retriever.json").write_text("[1]"), "is of another program"),
        (lambda f: manifest(f / "retriever.json", format="x"), "is of another program"),
        (
            lambda f: manifest(f / "retriever.json", version=99),
            "must have version 1 of the format, got 99",
        ),
        (lambda f: manifest(f / "retriever.json", number="1/../x"), "'number' must be of type int"),
        (lambda f: manifest(f / "retriever.json", files=[]), "'files' must be of type dict"),
        (lambda f: manifest(f / "retriever.json", options={}), "its options must be k, scoring"),
        (
            lambda f: (f / "retriever.json").write_text("[" * 100_000),
            "is damaged: it is not JSON",
        ),
        *(
            (lambda f, changes=changes: options(f, **changes), message)
            for changes, message in [
                ({"include_headers": "yes"}, "is damaged: include_headers must be True or False"),
                ({"k": []}, "(?s)is damaged: .*k"),
                ({"k": -1}, "(?s)is damaged: .*k must be at least 0, got -1"),
                ({"scoring": 7}, "(?s)is damaged: .*scoring"),
            ]
        ),
        (lambda f: rewrite(f, "mchunk-documents-1.jsonl", fewer), "4 documents and the index of 5"),
        (lambda f: rewrite(f, "mchunk-documents-1.jsonl", more), "6 documents and the index of 5"),
        (lambda f: rewrite(f, "mchunk-documents-1.jsonl", lambda _: b"[]\n"), "is damaged"),
        (lambda f: rewrite(f, "mchunk-documents-1.jsonl", lambda _: b"[" * 10**5), "is damaged"),
        *(
            (lambda f, data=data: rewrite(f, "mchunk-index-1.npz", lambda _: data), "is damaged")
            for data in (b"", b"PK\3\4", b"x", b"PK\5\6" + bytes(18))
        ),
        (lambda f: (f / "mchunk-index-1.npz").unlink(), "mchunk-index-1.npz is missing"),
        (
            lambda f: (f / "mchunk-documents-1.jsonl").write_text("{}"),
            "mchunk-documents-1.jsonl is damaged",
        ),
        (
            lambda f: (f / "mchunk-index-1.npz").write_bytes(
                (f / "mchunk-index-1.npz").read_bytes()[:-1]
            ),
            "mchunk-index-1.npz is damaged",
        ),
    ],
)
def test_a_damaged_or_foreign_folder(tmp_path, damage, message):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    damage(tmp_path)
    with pytest.raises(ValueError, match=message) as error:
        KeywordRetriever.load_local(tmp_path)
    assert str(tmp_path) in str(error.value)


def test_no_folder(tmp_path):
    with pytest.raises(ValueError, match="must be written by save_local"):
        KeywordRetriever.load_local(tmp_path / "nowhere")


def test_a_foreign_manifest_is_not_replaced(tmp_path):
    (tmp_path / "retriever.json").write_text('{"mine": 1}')
    with pytest.raises(ValueError, match="is of another program"):
        KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    assert (tmp_path / "retriever.json").read_text() == '{"mine": 1}'


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_a_killed_save_leaves_the_old_or_the_new_state(tmp_path):
    run = subprocess.run(
        [sys.executable, HERE / "retriever_saves.py", tmp_path, "40"],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parent,
        env={"PYTHONPATH": str(HERE.parent), "PATH": ""},
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 3, "the kills must meet different states"
