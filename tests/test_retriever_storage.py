"""A saved retriever is read back whole, or refused; a crash in a save loses nothing."""

import json
import os
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
    with pytest.raises(ValueError, match=r"metadata must be JSON to be saved, got .'when'"):
        bad.save_local(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert contents(KeywordRetriever.load_local(tmp_path).documents) == TEXTS


def test_other_files_in_the_folder_are_left_alone(tmp_path):
    for name in ("notes.txt", "documents-x.jsonl", "index.npz"):
        (tmp_path / name).write_text("mine")
    retriever = KeywordRetriever.from_texts(TEXTS)
    retriever.save_local(tmp_path)
    retriever.save_local(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "documents-2.jsonl",
        "documents-x.jsonl",
        "index-2.npz",
        "index.npz",
        "notes.txt",
        "retriever.json",
    ]


def manifest(path, **changes):
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **changes}))


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
        (lambda f: (f / "index-1.npz").unlink(), "index-1.npz is missing"),
        (lambda f: (f / "documents-1.jsonl").write_text("{}"), "documents-1.jsonl is damaged"),
        (
            lambda f: (f / "index-1.npz").write_bytes((f / "index-1.npz").read_bytes()[:-1]),
            "index-1.npz is damaged",
        ),
    ],
)
def test_a_damaged_or_foreign_folder(tmp_path, damage, message):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    damage(tmp_path)
    with pytest.raises(ValueError, match=message):
        KeywordRetriever.load_local(tmp_path)


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
