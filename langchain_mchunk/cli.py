"""The command `mchunk`: files in, labelled chunks out. The only module that prints."""

from __future__ import annotations

import argparse
import codecs
import json
import os
import sys
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from langchain_core.documents import Document

from langchain_mchunk.files import STANDARD_INPUT, Problem, named, read
from langchain_mchunk.splitters import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from langchain_mchunk.splitters.base import BaseSplitter

FAILED: Final = 1
INTERRUPTED: Final = 130
MARGIN: Final = 4  # columns between a label and its size

DESCRIPTION = "Split text files into labelled chunks and show them."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The command line without the program's name; not given: `sys.argv`.

    Returns:
        0, or 1 if a file failed, or 130 if interrupted; wrong usage exits with 2.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.files and sys.stdin.isatty():
        parser.error("name a file or a folder, or - for standard input")
    try:
        splitter = _splitter(options)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        failed = _run(options, splitter)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; what is still buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILED if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mchunk", description=DESCRIPTION)
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="a file, a folder, a pattern; - is standard input")
    add("--strategy", choices=list(STRATEGIES), default="section", help="default: %(default)s")
    add(
        "--chunk-size", type=int, metavar="N", help="hard limit of a chunk; default: the strategy's"
    )
    add("--chunk-overlap", type=int, metavar="N", help="most that neighbours share; default: 50")
    add("--encoding", type=_encoding, default="utf-8", metavar="NAME", help="default: %(default)s")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON array of all chunks")
    form.add_argument("--text", action="store_true", help="print the text of the chunks")
    return parser


def _encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise argparse.ArgumentTypeError(
            f"unknown encoding {name!r}: try utf-8 or cp1252"
        ) from None


def _splitter(options: argparse.Namespace) -> BaseSplitter:
    given = {name: getattr(options, name) for name in ("chunk_size", "chunk_overlap")}
    given = {name: value for name, value in given.items() if value is not None}
    return STRATEGIES[options.strategy](add_start_index=True, **given)


def _run(options: argparse.Namespace, splitter: BaseSplitter) -> bool:
    """Print the chunks of all files; tell whether one failed."""
    failed = False
    show = _shown_as_json() if options.json else _show_text if options.text else _show_list
    if options.json:
        print("[", end="")
    for source in _watched(list(named(options.files or [STANDARD_INPUT]))):
        chunks = _chunks(source, options.encoding, splitter)
        if isinstance(chunks, Problem):
            print(f"mchunk: {chunks}", file=sys.stderr)
            failed = True
        else:
            show(str(source), chunks)
    if options.json:
        print("\n]")
    return failed


def _watched(sources: list[str | Problem]) -> Iterable[str | Problem]:
    """Show a progress bar where somebody sees it and the list itself does not show progress."""
    if len(sources) == 1 or not sys.stderr.isatty() or sys.stdout.isatty():
        return sources
    from tqdm import tqdm  # noqa: PLC0415 - seldom needed

    return tqdm(sources, unit="file", leave=False)


def _chunks(
    source: str | Problem, encoding: str, splitter: BaseSplitter
) -> list[Document] | Problem:
    text = source if isinstance(source, Problem) else read(source, encoding)
    if isinstance(text, Problem):
        return text
    try:
        document = Document(page_content=text.text, metadata={"source": text.source})
        return splitter.split_documents([document])
    except ValueError as error:
        return Problem(text.source, str(error))


def _show_list(source: str, chunks: list[Document]) -> None:
    print(f"{printable(source)}: {counted(len(chunks), 'chunk')}\n")
    labels = [printable(chunk.metadata["label"]) for chunk in chunks]
    sizes = [counted(len(chunk.page_content), "character") for chunk in chunks]
    numbers = [f"#{chunk.metadata['index']}" for chunk in chunks]
    for number, label, size in zip(
        _aligned(numbers), _aligned(labels), _aligned(sizes, right=True), strict=True
    ):
        print(f"  {number}  {label}{' ' * MARGIN}{size}")
    if chunks:
        print()


def _show_text(source: str, chunks: list[Document]) -> None:
    for chunk in chunks:
        label = printable(chunk.metadata["label"])
        print(f"--- {printable(source)} #{chunk.metadata['index']} {label}")
        print(f"{chunk.page_content}\n")


def _shown_as_json() -> Callable[[str, list[Document]], None]:
    shown = 0

    def show(source: str, chunks: list[Document]) -> None:
        nonlocal shown
        for chunk in chunks:
            print("," if shown else "")
            shown += 1
            print(json.dumps(_entry(shown, source, chunk), ensure_ascii=False), end="")

    return show


def _entry(number: int, source: str, chunk: Document) -> dict[str, Any]:
    metadata = chunk.metadata
    return {
        "id": f"chunk-{number}",
        "index": metadata["index"],
        "label": metadata["label"],
        "headers": metadata["headers"],
        "start_index": metadata.get("start_index"),
        "text": chunk.page_content,
        "source": source,
    }


def counted(number: int, thing: str) -> str:
    """Return a number with its thing, `1 chunk` or `2 chunks`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def printable(text: str) -> str:
    """Replace what would steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def columns(text: str) -> int:
    """Count the columns of a text in a terminal: wide characters take two, marks none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _aligned(cells: list[str], *, right: bool = False) -> Iterator[str]:
    width = max(map(columns, cells), default=0)
    for cell in cells:
        padding = " " * (width - columns(cell))
        yield padding + cell if right else cell + padding
