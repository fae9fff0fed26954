"""html against LangChain's HTMLHeaderTextSplitter, on real pages (it needs beautifulsoup4)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from harness import Row, faster, growth, memory, repeated
from langchain_text_splitters import HTMLHeaderTextSplitter
from selectolax.lexbor import LexborHTMLParser

from langchain_mchunk import HTMLSplitter

SIZES = range(20_000, 2_000_000)  # bytes
ROOTS = (Path("/usr/share/doc"), Path(sys.prefix), Path(sys.base_prefix))
LEVELS = [(f"h{level}", f"h{level}") for level in range(1, 7)]


def real_pages(count: int) -> list[str]:
    """Read the HTML that installed packages bring along, spread over them."""
    found = sorted(
        path
        for root in ROOTS
        for path in root.rglob("*.html")
        if path.is_file() and path.stat().st_size in SIZES
    )
    chosen = found[:: max(1, len(found) // count)]
    return [path.read_text("utf-8", errors="replace") for path in chosen]


def rows() -> Iterator[Row]:
    pages = real_pages(40)
    ours, peer = HTMLSplitter(), HTMLHeaderTextSplitter(LEVELS)
    packed = HTMLSplitter(chunk_size=1000)
    size = sum(map(len, pages)) / 1e6
    what = f"html on {len(pages)} real pages, {size:.1f} MB"
    yield faster(
        f"{what}, to LangChain's HTMLHeaderTextSplitter",
        lambda: [peer.split_text(page) for page in pages],
        lambda: [ours.create_documents([page]) for page in pages],
        rounds=3,
    )
    yield faster(
        "the same with chunk_size=1000",
        lambda: [peer.split_text(page) for page in pages],
        lambda: [packed.create_documents([page]) for page in pages],
        rounds=3,
    )
    yield faster(
        "parsing alone, to html",
        lambda: [ours.create_documents([page]) for page in pages],
        lambda: [LexborHTMLParser(page, scripting=True) for page in pages],
    )
    page = max(pages, key=len)
    yield growth("html, split_text", ours.split_text, page, (3, 12, 48))
    yield memory("html, split_text", ours.split_text, repeated(page, 12))
