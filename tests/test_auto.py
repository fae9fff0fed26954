"""One door: the type of a document decides, and errors list what there is."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from langchain_mchunk import STRATEGIES, AutoSplitter, chunk
from langchain_mchunk.auto import made
from langchain_mchunk.document_types import TYPES, Choice, choice
from langchain_mchunk.options import option_names

MARKDOWN = "# Guide\n\nIntro.\n\n## Part\n\nText."
SOURCE = "source must be a text, a pathlib.Path, a Document or an iterable of these"
HTML = "<h1>Guide</h1><p>Intro.</p><h2>Part</h2><p>Text.</p>"


def paths(chunks: list[Document]) -> list[str]:
    return [chunk.metadata["headers"] for chunk in chunks]


@pytest.mark.parametrize(
    ("metadata", "chosen"),
    [
        ({"source": "a/b.md"}, Choice("markdown")),
        ({"source": "README.MARKDOWN"}, Choice("markdown")),
        ({"source": "https://example.org/a.html?x=1#y"}, Choice("html")),
        ({"source": Path("data.json")}, Choice("json")),
        ({"source": "log.jsonl"}, Choice("json")),
        ({"file_path": "paper.tex"}, Choice("latex")),
        ({"source": "tool.py"}, Choice("recursive", "python")),
        ({"source": "a.tsx"}, Choice("recursive", "ts")),
        ({"content_type": "text/html; charset=utf-8", "source": "a.md"}, Choice("html")),
        ({"content_type": "application/octet-stream", "source": "a.md"}, Choice("markdown")),
        ({"source": "notes"}, Choice("recursive")),
        ({"source": None}, Choice("recursive")),
        ({}, Choice("recursive")),
    ],
)
def test_the_type_is_in_the_metadata(metadata: dict, chosen: Choice) -> None:
    assert choice(metadata) == chosen


@pytest.mark.parametrize("name", ["text/markdown", ".md", "md", "guide.md", "TEXT/MARKDOWN"])
def test_the_type_may_be_named(name: str) -> None:
    assert choice({"source": "a.html"}, name) == Choice("markdown")
    assert paths(chunk(MARKDOWN, content_type=name, chunk_size=20)) == ["Guide", "Guide > Part"]
    assert AutoSplitter(content_type=name, chunk_size=20).split_text(MARKDOWN) == [
        "# Guide\n\nIntro.",
        "## Part\n\nText.",
    ]


def test_every_type_has_a_strategy_and_a_language_that_exist() -> None:
    for chosen in set(TYPES.values()):
        assert chosen.strategy in STRATEGIES
        if chosen.language:
            RecursiveCharacterTextSplitter.get_separators_for_language(Language(chosen.language))


def test_mixed_documents() -> None:
    documents = [
        Document(MARKDOWN, metadata={"source": "a.md"}),
        Document(HTML, metadata={"source": "b.html"}),
        Document('{"a": 1}', metadata={"source": "c.json"}),
        Document("plain", metadata={"label": "mine"}),
    ]
    splitter = AutoSplitter()
    chunks = splitter.split_documents(documents)
    assert [c.metadata["label"] for c in chunks] == ["Guide", "Guide", "Part", "a", "mine"]
    assert pickle.loads(pickle.dumps(splitter)).split_documents(documents) == chunks
    assert chunk(documents) == chunks


def test_the_shared_options_reach_every_strategy() -> None:
    splitter = AutoSplitter(chunk_size=20, chunk_overlap=0, add_start_index=True)
    document = Document("word " * 20, metadata={"source": "a.md"})
    chunks = splitter.split_documents([document])
    assert max(len(c.page_content) for c in chunks) <= 20
    assert chunks[1].metadata["start_index"] == 20
    assert AutoSplitter.from_tiktoken_encoder(chunk_size=5).split_documents([document])


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "guide.md"
    file.write_bytes(b"\xef\xbb\xbf" + MARKDOWN.encode())
    (found,) = chunk(file)
    assert found.metadata == {"source": str(file), "label": "Guide", "index": 0, "headers": "Guide"}
    assert found.page_content == MARKDOWN
    assert len(chunk([file, Document("a"), "b"])) == 3
    file.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"guide.md: not valid utf-8 at byte 0 \(0xff\)"):
        chunk(file)
    with pytest.raises(FileNotFoundError):
        chunk(tmp_path / "missing.md")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("a", "sections"), {}, ValueError, "strategy must be one of section, "),
        (("a", ["recursive"]), {}, ValueError, "strategy must be one of section, "),
        (("a",), {"extract": ["title"]}, TypeError, "extract must be a mapping of names to True "),
        (("a",), {"content_type": "text/odd"}, ValueError, "content_type must be one of .bas, "),
        (
            ("a", "latex"),
            {"headers": []},
            TypeError,
            "latex has no option 'headers': it has add_start_index, ",
        ),
        (
            (7,),
            {},
            TypeError,
            f"{SOURCE}, got int: pass its text",
        ),
        (({"a": 1},), {}, TypeError, f"{SOURCE}, got dict: pass json.dumps(source)"),
        (([b"a"],), {}, TypeError, f"{SOURCE}, got bytes: decode it, as source.decode()"),
        (("a",), {"content_type": b"md"}, TypeError, "content_type must be a str such as"),
        (("a", "sentence"), {}, TypeError, "sentence needs chunk_size, which has no default"),
        (("a",), {"extract": {"title": True}}, ValueError, "extract={'title': …} needs a model"),
        (("a",), {"extract": {"tilte": True}}, ValueError, "extract must name some of title, "),
    ],
)
def test_messages(arguments: tuple, options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        chunk(*arguments, **options)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_options_are_those_that_the_class_takes(strategy: str) -> None:
    names = option_names(STRATEGIES[strategy])
    assert {"chunk_size", "chunk_overlap", "length_function", "add_start_index"} <= names
    assert made(Choice(strategy), {"chunk_size": 100})


@pytest.mark.parametrize(
    ("source", "strategy", "options", "texts"),
    [
        (
            "One. Two. Three.",
            "character",
            {"separator": ".", "chunk_size": 9},
            ["One. Two", "Three"],
        ),
        (
            "a | b | c",
            "recursive",
            {"separators": ["|", " "], "chunk_size": 4, "chunk_overlap": 0},
            ["a", "| b", "| c"],
        ),
        (
            "def a():\n    return 1\n\ndef b():\n    return 2\n",
            "recursive",
            {"language": "python", "chunk_size": 25, "chunk_overlap": 0},
            ["def a():\n    return 1", "def b():\n    return 2"],
        ),
        (
            "One two. Three four. Five.",
            "sentence",
            {"chunk_size": 20, "target_size": 8, "min_size": 1, "chunk_overlap": 0},
            ["One two.", "Three four.", "Five."],
        ),
        (HTML, "html", {"headers": [("h1", "title"), ("h2", "subtitle")]}, ["Intro.", "Text."]),
        (MARKDOWN, "semantic-markdown", {"join_threshold": 500}, [MARKDOWN]),
        (
            "one two three four five six",
            "token",
            {"encoding_name": "gpt2", "chunk_size": 3, "chunk_overlap": 0},
            ["one two three", "four five six"],
        ),
    ],
)
def test_each_strategy_by_name(source: str, strategy: str, options: dict, texts: list[str]) -> None:
    assert [found.page_content for found in chunk(source, strategy, **options)] == texts


def test_markdown_with_headers_and_extractors() -> None:
    model = FakeListChatModel(responses=["a summary"])
    found = chunk(
        MARKDOWN,
        "markdown",
        headers=[("#", "title"), ("##", "section")],
        extract={"summary": True, "keywords": True},
        llm=model,
    )
    assert [(c.page_content, c.metadata["title"], c.metadata.get("section")) for c in found] == [
        ("Intro.", "Guide", None),
        ("Text.", "Guide", "Part"),
    ]
    assert {c.metadata["section_summary"] for c in found} == {"a summary"}
    assert {c.metadata["excerpt_keywords"] for c in found} == {"a summary"}


@pytest.mark.parametrize(
    ("source", "text", "strategy"),
    [
        ("https://example.org/a.html", "If a <b then c\n\nlast", "recursive"),
        ("a.html", "<p>a", "html"),
        ("a.json", "Taken out of it.", "recursive"),
        ("a.json", '\ufeff {"a": 1}', "json"),
        ("a.json", "", "recursive"),
        ("a.md", "no sign", "markdown"),
    ],
)
def test_text_that_a_loader_took_out_is_plain(source: str, text: str, strategy: str) -> None:
    assert choice({"source": source}, text=text).strategy == strategy
    assert choice({"content_type": source}, text=text) == choice({"content_type": source})
    (found,) = AutoSplitter().split_documents([Document("a <b", metadata={"source": "a.html"})])
    assert found.page_content == "a <b"


def test_an_error_says_in_which_document_it_is() -> None:
    documents = [Document("a"), Document("{", metadata={"source": "bad.json"})]
    with pytest.raises(ValueError, match="^text must be JSON") as caught:
        AutoSplitter().split_documents(documents)
    assert caught.value.__notes__ == ["in bad.json"]
    with pytest.raises(ValueError, match="^text must be JSON") as caught:
        STRATEGIES["json"]().create_documents(["{}", "{"])
    assert caught.value.__notes__ == ["in document 1"]
    with pytest.raises(ValueError, match="^text must be JSON") as caught:
        chunk(["{}", "{"], "json")
    assert caught.value.__notes__ == ["in document 1"]


def test_a_folder_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder: pass its files"):
        chunk(tmp_path)
