"""section and the bare core against LangChain's recursive splitter."""

from __future__ import annotations

from collections.abc import Iterator

from harness import Row, faster, growth, long_paragraphs, memory, repeated
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_mchunk import SectionSplitter
from langchain_mchunk.boundaries import prose
from langchain_mchunk.packing import Packer
from langchain_mchunk.sizes import CharacterRuler


def pack(text: str) -> None:
    packer = Packer(text, CharacterRuler(text), prose(text), size=800, overlap=50)
    for _ in packer.pack(0, len(text)):
        pass


def rows() -> Iterator[Row]:
    text = long_paragraphs()
    ours = SectionSplitter(add_start_index=True)
    peer = RecursiveCharacterTextSplitter(chunk_size=800, chunk_overlap=50, add_start_index=True)
    yield faster(
        "section, create_documents 800/50, long paragraphs, to LangChain's recursive",
        lambda: peer.create_documents([text]),
        lambda: ours.create_documents([text]),
    )
    yield faster(
        "packing alone, 800/50, to LangChain's recursive split_text",
        lambda: peer.split_text(text),
        lambda: pack(text),
    )
    yield growth("section, split_text", ours.split_text, text, (1, 4, 16, 64))
    yield memory("section, split_text", ours.split_text, repeated(text, 16))
