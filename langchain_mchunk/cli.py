"""The command `mchunk`: files in, labelled chunks out. The only module that prints."""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from langchain_core.documents import Document

from langchain_mchunk.arguments import parser
from langchain_mchunk.asked import splitter
from langchain_mchunk.files import STANDARD_INPUT, NoText, Problem, named, read, same
from langchain_mchunk.terminal import aligned, counted, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from langchain_mchunk.splitters.base import BaseSplitter

FAILED: Final = 1
INTERRUPTED: Final = 130
MARGIN: Final = 4  # columns between a label and its size
CURES: Final = {errno.ENOENT: "make its folder first", errno.ENOSPC: "make room"}
FLAGS: Final = {
    "resume=False": "--again",
    "with text=": "with --text-column",
    "with metadata=": "with metadata= of split_dataset",
}  # what the message of a dataset says, and how the command says it

Source: TypeAlias = str | Problem | NoText


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
    if hasattr(sys.stdout, "reconfigure"):
        # What has no UTF-8, a lone surrogate, is written as its JSON escape.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        failed = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough; what is still buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"mchunk: {_unwritten(error)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILED if failed else 0


def _unwritten(error: OSError) -> str:
    """Say what cannot be written, why, and what to do."""
    reason = error.strerror or str(error)
    if not error.filename:
        return f"cannot write: {reason}"
    cure = CURES.get(error.errno or 0, "name another file")
    return f"cannot write {error.filename}: {reason.lower()}: {cure}"


def _run(arguments: Sequence[str] | None) -> bool:
    """Show the chunks of all files; tell whether a file failed."""
    usage = parser()
    options = usage.parse_args(arguments)
    try:
        sources = _sources(options)
        splitting = splitter(options, [source for source in sources if isinstance(source, str)])
    except (TypeError, ValueError, ImportError) as error:
        usage.error(str(error))
    if options.to is not None:
        return _split_dataset(options, splitting)
    failures: list[Problem] = []
    results = _results(sources, options.encoding or "utf-8", splitting, failures)
    if options.query is not None:
        results = _found(results, options)
    _shower(options)(results)
    if passed := sum(isinstance(source, NoText) for source in sources):
        print(f"mchunk: passed over {counted(passed, 'file')} without text", file=sys.stderr)
    return bool(failures)


def _sources(options: argparse.Namespace) -> list[Source]:
    """List what is to be split; of a dataset, that is not known here."""
    if not options.files and (sys.stdin is None or sys.stdin.isatty()):
        raise ValueError("name a file or a folder, or - for standard input")
    if options.to is not None:
        if len(options.files) != 1:
            raise ValueError("--to takes one file, folder or pattern to split")
        return []
    sources = list(named(options.files or [STANDARD_INPUT], options.encoding or "utf-8"))
    return _without_page(sources, options) if options.html else sources


def _without_page(sources: list[Source], options: argparse.Namespace) -> list[Source]:
    """Leave out the page that an earlier run wrote into the folder; refuse any other input."""
    page = options.html
    inputs = {source for source in sources if isinstance(source, str) and same(page, source)}
    if inputs:
        from langchain_mchunk.views import is_page  # noqa: PLC0415 - after --help

        if not inputs.isdisjoint([*options.files, STANDARD_INPUT]) or not is_page(page):
            raise ValueError(f"{page} is one of the files to split: name another page")
    return [source for source in sources if source not in inputs]


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
            resume=not options.again,
            show_progress=sys.stderr.isatty(),
        )
    except (ImportError, TypeError, ValueError) as error:
        message = str(error)
        for argument, flag in FLAGS.items():
            message = message.replace(argument, flag)
        print(f"mchunk: {message}", file=sys.stderr)
        return True
    print(report)
    return report.errors > 0


def _results(
    sources: list[Source], encoding: str, splitting: BaseSplitter, failures: list[Problem]
) -> Iterator[Result]:
    """Split the files one by one; what fails is a line on standard error."""
    for source in _watched([source for source in sources if not isinstance(source, NoText)]):
        result = _split(source, encoding, splitting)
        if isinstance(result, Problem):
            print(f"mchunk: {result}", file=sys.stderr)
            failures.append(result)
        else:
            yield result


def _watched(sources: list[str | Problem]) -> Iterable[str | Problem]:
    """Show a progress bar where somebody sees it and the list itself does not show progress."""
    if len(sources) == 1 or not sys.stderr.isatty() or (sys.stdout and sys.stdout.isatty()):
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
    if not split:
        return  # nothing could be read: a page that is there may be of better days
    chunks = [chunk for result in split for chunk in result.chunks]
    retriever = KeywordRetriever.from_documents(
        chunks, k=options.k or 4, scoring=options.scoring or "overlap"
    )
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
        cells = zip(aligned(numbers), aligned(labels), aligned(sizes, right=True), strict=True)
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

    colour = (
        sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    )  # https://no-color.org
    for source, text, chunks in results:
        print(f"{printable(source)}: {counted(len(chunks), 'chunk')}")
        for part in painted(chunks, text, colour=colour):
            print(part, end="")


def _write_page(results: Iterable[Result], options: argparse.Namespace) -> None:
    from langchain_mchunk.views import view  # noqa: PLC0415 - only for this form

    split = list(results)
    chunks = [chunk for result in split for chunk in result.chunks]
    source = split[0].text if len(split) == 1 else None
    page = view(chunks, source, limit=options.chunk_size)
    try:
        page.save(options.html)
    except OSError as error:  # which names no file where a disk is full
        raise OSError(error.errno, error.strerror, options.html) from error


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
