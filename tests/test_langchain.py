"""The splitters where people put them: loaders, LCEL, the indexing API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.indexing.in_memory import InMemoryDocumentIndex
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import TextSplitter

from langchain_mchunk import AutoSplitter, SectionSplitter, chunk_key

TEXT = "# A\n\nOne.\n\n# B\n\nTwo.\n\n# C\n\nThree."


class Loader(BaseLoader):
    def lazy_load(self) -> Iterator[Document]:
        yield Document(TEXT, metadata={"source": "abc.md"})


def test_is_a_text_splitter() -> None:
    assert isinstance(SectionSplitter(), TextSplitter)


def test_load_and_split() -> None:
    chunks = Loader().load_and_split(SectionSplitter())
    assert [chunk.metadata["label"] for chunk in chunks] == ["A", "B", "C"]
    assert {chunk.metadata["source"] for chunk in chunks} == {"abc.md"}


def test_in_a_chain() -> None:
    chain = RunnableLambda(lambda _: Loader().load()) | SectionSplitter().split_documents | len
    assert chain.invoke(None) == 3


@pytest.mark.filterwarnings("ignore:Introduced in version")  # the record manager in memory is beta
def test_indexing_twice_adds_nothing() -> None:
    manager, store = InMemoryRecordManager("test"), InMemoryDocumentIndex()
    chunks = Loader().load_and_split(SectionSplitter(add_start_index=True))
    options = {"cleanup": "full", "source_id_key": "source", "key_encoder": "blake2b"}
    assert index(chunks, manager, store, **options)["num_added"] == 3
    again = Loader().load_and_split(SectionSplitter(add_start_index=True))
    assert index(again, manager, store, **options)["num_skipped"] == 3


MIXED = [
    Document(TEXT, metadata={"source": "abc.md"}),
    Document("<h1>D</h1><p>Four.</p><h1>E</h1><p>Five.</p>", metadata={"source": "de.html"}),
    Document('{"f": "Six."}', metadata={"source": "f.json"}),
]


def test_parent_document_retriever() -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    storage = pytest.importorskip("langchain_classic.storage")
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(DeterministicFakeEmbedding(size=16)),
        docstore=storage.InMemoryStore(),
        child_splitter=AutoSplitter(chunk_size=20),
        parent_splitter=AutoSplitter(),
    )
    retriever.add_documents(MIXED)
    found = retriever.invoke("Five.")
    assert {document.metadata["source"] for document in found} <= {"abc.md", "de.html", "f.json"}
    assert found


def test_document_compressor_pipeline() -> None:
    compressors = pytest.importorskip("langchain_classic.retrievers.document_compressors")
    pipeline = compressors.DocumentCompressorPipeline(transformers=[AutoSplitter(chunk_size=12)])
    chunks = pipeline.compress_documents(MIXED, "anything")
    assert [chunk.metadata["label"] for chunk in chunks] == ["A", "B", "C", "D", "E", "f", "f"]


@pytest.mark.filterwarnings("ignore:Introduced in version")
def test_a_paragraph_at_the_top_does_not_index_all_that_follows() -> None:
    manager, store = InMemoryRecordManager("test"), InMemoryDocumentIndex()
    options = {"cleanup": "full", "source_id_key": "source", "key_encoder": chunk_key}
    splitter = SectionSplitter(add_start_index=True)
    assert index(Loader().load_and_split(splitter), manager, store, **options)["num_added"] == 3
    longer = Document(f"# New\n\nZero.\n\n{TEXT}", metadata={"source": "abc.md"})
    again = index(splitter.split_documents([longer]), manager, store, **options)
    assert (again["num_added"], again["num_skipped"], again["num_deleted"]) == (1, 3, 0)
