"""The command `mchunk`: files in, labelled chunks out. The only module that prints."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unicodedata import category, east_asian_width

import regex
from langchain_core.documents import Document

from langchain_mchunk.arguments import parser, splitter
from langchain_mchunk.files import STANDARD_INPUT, Problem, named, read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from langchain_mchunk.splitters.base import BaseSplitter

FAILED: Final = 1
INTERRUPTED: Final = 130
MARGIN: Final = 4  # columns between a label and its size
STEERING: Final = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # bidirectional


class Result(NamedTuple):
    """One text and its chunks."""

    source: str
    text: str
    chunks: list[Document]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The command line without the program's name; not given: `sys.argv`.

    Returns:
        0, or 1 if a file failed, or 130 if interrupted; wrong usage exits with 2.
    """
    usage = parser()
    options = usage.parse_args(arguments)
    if not options.files and (sys.stdin is None or sys.stdin.isatty()):
        usage.error("name a file or a folder, or - for standard input")
    if options.to is not None and len(options.files) != 1:
        usage.error("--to takes one file, folder or pattern to split")
    try:
        splitting = splitter(options)
    except (TypeError, ValueError, ImportError) as error:
        usage.error(str(error))
    if hasattr(sys.stdout, "reconfigure"):
        # What has no UTF-8, a lone surrogate, is written as its JSON escape.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        failed = _run(options, splitting)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; what is still buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"mchunk: cannot write: {error.strerror or error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILED if failed else 0


def _run(options: argparse.Namespace, splitting: BaseSplitter) -> bool:
    """Show the chunks of all files; tell whether a file failed."""
    if options.to is not None:
        return _split_dataset(options, splitting)
    failures: list[Problem] = []
    results = _results(options, splitting, failures)
    if options.query is not None:
        results = _found(results, options)
    _shower(options)(results)
    return bool(failures)


def _split_dataset(options: argparse.Namespace, splitting: BaseSplitter) -> bool:
    """Split a dataset and print one line; tell whether a document of it failed."""
    try:
        from langchain_mchunk.dataset import split_dataset  # noqa: PLC0415 - loads pyarrow

        report = split_dataset(
            options.files[0],
            options.to,
            splitting,
            engine=options.engine or "process",
            text=options.text_column or "text",
            workers=options.workers,
            show_progress=sys.stderr.isatty(),
        )
    except (ImportError, TypeError, ValueError) as error:
        print(f"mchunk: {error}", file=sys.stderr)
        return True
    print(report)
    return report.errors > 0


def _results(
    options: argparse.Namespace, splitting: BaseSplitter, failures: list[Problem]
) -> Iterator[Result]:
    """Split the files one by one; what fails is a line on standard error."""
    for source in _watched(list(named(options.files or [STANDARD_INPUT], options.encoding))):
        result = _split(source, options.encoding, splitting)
        if isinstance(result, Problem):
            print(f"mchunk: {result}", file=sys.stderr)
            failures.append(result)
        else:
            yield result


def _watched(sources: list[str | Problem]) -> Iterable[str | Problem]:
    """Show a progress bar where somebody sees it and the list itself does not show progress."""
    if len(sources) == 1 or not sys.stderr.isatty() or sys.stdout.isatty():
        return sources
    from tqdm import tqdm  # noqa: PLC0415 - seldom needed

    return tqdm(sources, unit="file", leave=False)


def _split(source: str | Problem, encoding: str, splitting: BaseSplitter) -> Result | Problem:
    text = source if isinstance(source, Problem) else read(source, encoding)
    if isinstance(text, Problem):
        return text
    try:
        document = Document(page_content=text.text, metadata={"source": text.source})
        return Result(*text, splitting.split_documents([document]))
    except ValueError as error:
        return Problem(text.source, str(error))


def _found(results: Iterable[Result], options: argparse.Namespace) -> Iterator[Result]:
    """Keep the chunks that hold most of the query's words, each with its file."""
    from langchain_mchunk.retriever import KeywordRetriever  # noqa: PLC0415 - loads numpy

    split = list(results)
    chunks = [chunk for result in split for chunk in result.chunks]
    retriever = KeywordRetriever.from_documents(chunks, k=options.k, scoring=options.scoring)
    best = retriever.invoke(options.query)
    for result in split:
        found = [chunk for chunk in best if chunk.metadata["source"] == result.source]
        if found:
            yield Result(result.source, result.text, found)


def _shower(options: argparse.Namespace) -> Callable[[Iterable[Result]], None]:
    if options.html:
        return lambda results: _write_page(results, options)
    if options.json:
        return _show_json
    if options.text:
        return _show_text
    return _show_view if options.view else _show_list


def _show_list(results: Iterable[Result]) -> None:
    for source, _, chunks in results:
        print(f"{printable(source)}: {counted(len(chunks), 'chunk')}\n")
        labels = [printable(chunk.metadata["label"]) for chunk in chunks]
        sizes = [counted(len(chunk.page_content), "character") for chunk in chunks]
        numbers = [f"#{chunk.metadata['index']}" for chunk in chunks]
        cells = zip(_aligned(numbers), _aligned(labels), _aligned(sizes, right=True), strict=True)
        for number, label, size in cells:
            print(f"  {number}  {label}{' ' * MARGIN}{size}")
        if chunks:
            print()


def _show_text(results: Iterable[Result]) -> None:
    for source, _, chunks in results:
        for chunk in chunks:
            label = printable(chunk.metadata["label"])
            print(f"--- {printable(source)} #{chunk.metadata['index']} {label}")
            print(f"{chunk.page_content}\n")


def _show_view(results: Iterable[Result]) -> None:
    from langchain_mchunk.views import painted  # noqa: PLC0415 - only for this form

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")  # https://no-color.org
    for source, text, chunks in results:
        print(f"{printable(source)}: {counted(len(chunks), 'chunk')}")
        for part in painted(chunks, text, colour=colour):
            print(part, end="")


def _write_page(results: Iterable[Result], options: argparse.Namespace) -> None:
    from langchain_mchunk.views import view  # noqa: PLC0415 - only for this form

    split = list(results)
    chunks = [chunk for result in split for chunk in result.chunks]
    source = split[0].text if len(split) == 1 else None
    view(chunks, source, limit=options.chunk_size).save(options.html)


def _show_json(results: Iterable[Result]) -> None:
    shown = 0
    print("[", end="")
    for source, _, chunks in results:
        for chunk in chunks:
            print("," if shown else "")
            shown += 1
            print(json.dumps(_entry(shown, source, chunk), ensure_ascii=False), end="")
    print("\n]")


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
    """Replace what would steer a terminal: control characters, line ends, changes of direction."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if c in STEERING or category(c) in ("Cc", "Zl", "Zp") else c
        for c in text
    )


def columns(text: str) -> int:
    """Count the columns of a text in a terminal: wide characters take two, what joins none."""
    return sum(max(map(_width, cluster)) for cluster in regex.findall(r"\X", text))


def _width(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _aligned(cells: list[str], *, right: bool = False) -> Iterator[str]:
    width = max(map(columns, cells), default=0)
    for cell in cells:
        padding = " " * (width - columns(cell))
        yield padding + cell if right else cell + padding
