"""The splitters where people put them: loaders, LCEL, the indexing API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.indexing.in_memory import InMemoryDocumentIndex
from langchain_core.runnables import RunnableLambda
from langchain_text_splitters import TextSplitter

from langchain_mchunk import SectionSplitter

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
