"""markdown and semantic-markdown, on the Markdown files of the installed packages."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness import Row, faster, growth, memory, repeated, seconds
from langchain_text_splitters import MarkdownHeaderTextSplitter

from langchain_mchunk import MarkdownSplitter, SemanticMarkdownSplitter, TokenCounter

HEADERS = [("#", "title"), ("##", "section"), ("###", "part")]
ODD = {
    "'# a' lines": "# a\n",
    "'##' lines": "##\n",
    "`": "`",
    "'` ' lines": "` \n",
    "[": "[",
    "'# [a]' lines": "# [a]\n",
    ">": ">",
    "'> - '": "> - ",
    "lists nested 300 deep": "".join(f"{'  ' * depth}- a\n" for depth in range(300)),
}


def real() -> list[str]:
    files = sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.md"))
    return [file.read_text("utf-8", errors="replace") for file in files]


def rows() -> Iterator[Row]:
    texts = real()
    text = "\n\n".join(texts)
    encoding = TokenCounter().encoding
    peer = MarkdownHeaderTextSplitter(HEADERS)
    sections = MarkdownSplitter(headers=HEADERS)
    sized = MarkdownSplitter(chunk_size=4000)
    semantic = SemanticMarkdownSplitter()
    for what, ours in (("by headers", sections), ("by size", sized)):
        yield faster(
            f"markdown {what}, create_documents, to LangChain's MarkdownHeaderTextSplitter",
            lambda: [peer.split_text(each) for each in texts],
            lambda ours=ours: ours.create_documents(texts),
        )
    yield faster(
        "semantic-markdown, create_documents, to encode_ordinary alone",
        lambda: [encoding.encode_ordinary(each) for each in texts],
        lambda: semantic.create_documents(texts),
    )
    for what, ours in (("by headers", sections), ("by size", sized), ("semantic", semantic)):
        yield growth(f"markdown, {what}", ours.split_text, text, (1, 4, 16, 64))
        yield memory(f"markdown, {what}", ours.split_text, repeated(text, 16))
    for what, part in ODD.items():
        odd = repeated(part, 1)
        spent = [seconds(partial(ours.split_text, odd)) for ours in (sized, semantic)]
        yield Row(
            f"1 MB of {what}: by size, semantic", ", ".join(f"{each:.1f} s" for each in spent)
        )
