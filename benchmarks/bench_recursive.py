"""recursive against LangChain's recursive splitter, chonkie's, and a bare encoding of the text."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from harness import Row, faster, growth, light_markup, long_paragraphs, memory, repeated
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_mchunk import RecursiveSplitter, TokenCounter

METADATA = [{"source": "topics.txt", "page": 1, "title": "Topics"}]


def rows() -> Iterator[Row]:
    yield from characters(long_paragraphs(), "long paragraphs")
    yield from characters(light_markup(), "light markup")
    yield from chonkie(long_paragraphs())
    yield from tokens(long_paragraphs())
    split = RecursiveSplitter(chunk_size=800, chunk_overlap=50).split_text
    yield growth("recursive, split_text", split, long_paragraphs(), (1, 4, 16, 64))
    yield memory("recursive, split_text", split, repeated(long_paragraphs(), 16))


def characters(text: str, what: str) -> Iterator[Row]:
    for size, overlap in ((800, 50), (4000, 200)):
        options = {"chunk_size": size, "chunk_overlap": overlap, "add_start_index": True}
        ours, peer = RecursiveSplitter(**options), RecursiveCharacterTextSplitter(**options)
        yield faster(
            f"recursive, split_text {size}/{overlap}, {what}, to LangChain's",
            lambda peer=peer: peer.split_text(text),
            lambda ours=ours: ours.split_text(text),
        )
        yield faster(
            f"recursive, create_documents {size}/{overlap}, {what}, to LangChain's",
            lambda peer=peer: peer.create_documents([text], METADATA),
            lambda ours=ours: ours.create_documents([text], METADATA),
        )


def chonkie(text: str) -> Iterator[Row]:
    what = "recursive, split_text 800/0, long paragraphs, to chonkie's"
    if find_spec("chonkie") is None:
        yield Row(what, "not measured: pip install 'langchain-mchunk[bench]'")
        return
    from chonkie import RecursiveChunker  # noqa: PLC0415 - not everybody has it

    peer = RecursiveChunker("character", chunk_size=800)
    ours = RecursiveSplitter(chunk_size=800, chunk_overlap=0)
    yield faster(what, lambda: peer(text), lambda: ours.split_text(text))


def tokens(text: str) -> Iterator[Row]:
    counter = TokenCounter("cl100k_base")
    options = {"chunk_size": 512, "chunk_overlap": 50, "length_function": counter}
    ours, peer = RecursiveSplitter(**options), RecursiveCharacterTextSplitter(**options)
    yield faster(
        "recursive, split_text 512/50 tokens, to LangChain's with the same counter",
        lambda: peer.split_text(text),
        lambda: ours.split_text(text),
    )
    yield faster(
        "recursive, split_text 512/50 tokens, to encode_ordinary of the text",
        lambda: counter.encoding.encode_ordinary(text),
        lambda: ours.split_text(text),
    )
    yield growth("recursive, 512/50 tokens", ours.split_text, text, (1, 4, 16))
    yield memory("recursive, 512/50 tokens", ours.split_text, repeated(text, 4))
