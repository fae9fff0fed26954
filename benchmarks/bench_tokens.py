"""Windows of tokens (512/50) and the token ruler against a bare encode_ordinary of the text."""

from __future__ import annotations

from collections.abc import Iterator

from harness import Row, growth, long_paragraphs, memory, ratio, repeated

from langchain_mchunk import TokenCounter, TokenSplitter


def rows() -> Iterator[Row]:
    text = repeated(long_paragraphs(), 1)
    for name in ("cl100k_base", "o200k_base"):
        count = TokenCounter(name)
        splitter = TokenSplitter(encoding_name=name, chunk_size=512, chunk_overlap=50)
        for what, work in (("token, split_text", splitter.split_text), ("ruler", count.ruler)):
            speed = ratio(
                lambda: count.encoding.encode_ordinary(text),  # noqa: B023 - called at once
                lambda: work(text),  # noqa: B023
            )
            yield Row(f"{what}, {name}", f"{speed:.2f} of the speed of encode_ordinary")
        yield growth(f"token, split_text, {name}", splitter.split_text, text, (1, 4, 16, 64))
        yield memory(f"token, split_text, {name}", splitter.split_text, repeated(text, 16))
