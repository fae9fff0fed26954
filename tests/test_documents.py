"""The header path in the text, and keys that outlive their neighbours."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_mchunk import MarkdownSplitter, chunk_key, with_headers

HEADERS = [("#", "title"), ("##", "section")]


def split(text: str) -> list[Document]:
    source = Document(page_content=text, metadata={"source": "a.md"})
    return MarkdownSplitter(headers=HEADERS).split_documents([source])


def test_the_path_comes_first_once() -> None:
    chunks = split("before\n\n# A\n\n## B\n\nb")
    headed = with_headers(chunks)
    assert [chunk.page_content for chunk in headed] == ["before", "A > B\n\nb"]
    assert [chunk.metadata for chunk in headed] == [chunk.metadata for chunk in chunks]
    assert with_headers(headed) == headed


def test_a_text_that_is_the_path_stays() -> None:
    chunk = Document(page_content="A", metadata={"headers": "A"})
    assert with_headers([chunk]) == [chunk]
    longer = Document(page_content="Also", metadata={"headers": "A"})
    assert with_headers([longer])[0].page_content == "A\n\nAlso"


def test_copies_share_nothing() -> None:
    chunk = Document(page_content="a", metadata={"headers": "A", "tags": ["t"]}, id="1")
    (headed,) = with_headers([chunk])
    headed.metadata["tags"].append("u")
    assert chunk.metadata["tags"] == ["t"]
    assert headed.id == "1"


def test_templates() -> None:
    chunks = split("# A\n\n{braces}")
    (headed,) = with_headers(chunks, "In {headers}: {text}")
    assert headed.page_content == "In A: {braces}"
    assert with_headers([headed], "In {headers}: {text}") == [headed]
    with pytest.raises(ValueError, match="must end with {text}"):
        with_headers([], "{headers}")
    with pytest.raises(ValueError, match="no field but"):
        with_headers([], "{title} {text}")


@pytest.mark.parametrize(
    ("documents", "got"),
    [
        (None, "None: give the chunks of a splitter"),
        (3, "int: give the chunks of a splitter"),
        ("a", "str: give the chunks of a splitter"),
        (Document("a"), "one Document: put it into a list"),
        ([Document("a"), "b"], "str at position 1: split texts first"),
    ],
)
def test_what_is_no_list_of_documents(documents: Any, got: str) -> None:
    with pytest.raises(TypeError, match=f"^documents must be a list of Documents, got {got}$"):
        with_headers(documents)


def test_what_else_is_refused() -> None:
    with pytest.raises(TypeError, match="^template must be a str, got None$"):
        with_headers([], None)
    with pytest.raises(ValueError, match="no field but"):
        with_headers([], "{headers.x} {text}")
    for document in ("a", None, [Document("a")]):
        with pytest.raises(TypeError, match="^document must be a Document, got "):
            chunk_key(document)


def test_documents_may_come_from_an_iterator() -> None:
    chunks = split("# A\n\na")
    assert with_headers(iter(chunks)) == with_headers(chunks)


def test_key_is_of_source_and_text() -> None:
    one = Document(page_content="text", metadata={"source": "a", "index": 1})
    assert chunk_key(one) == chunk_key(one.model_copy(update={"metadata": {"source": "a"}}))
    others = [
        Document(page_content="text"),
        Document(page_content="text", metadata={"source": "b"}),
        Document(page_content="atext", metadata={"source": ""}),
        Document(page_content="text\ud800", metadata={"source": "a"}),
    ]
    assert len({chunk_key(document) for document in [one, *others]}) == 5


def test_a_paragraph_at_the_top_does_not_index_the_rest_again() -> None:
    text = "# A\n\na\n\n# B\n\nb"
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
    records = InMemoryRecordManager("test")
    records.create_schema()
    options = {"cleanup": "incremental", "source_id_key": "source", "key_encoder": chunk_key}
    assert index(split(text), records, store, **options)["num_added"] == 2
    result = index(split("new\n\n" + text), records, store, **options)
    assert (result["num_added"], result["num_skipped"], result["num_deleted"]) == (1, 2, 0)
