"""Datasets of any size: each file is split on its own, by processes or an engine that is there."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from langchain_mchunk.checks import check_choice, check_flag, check_integer
from langchain_mchunk.dataset.engines import ENGINES, load
from langchain_mchunk.extras import missing

try:
    from langchain_mchunk.batches import ERROR, ArrowChunker, made_columns
    from langchain_mchunk.dataset.fingerprint import options
    from langchain_mchunk.dataset.fragments import find
    from langchain_mchunk.dataset.manifest import Done, Manifest, alone, tidy
    from langchain_mchunk.dataset.reading import schema_of
    from langchain_mchunk.dataset.writing import SplitFile
except ImportError as error:
    raise missing("split_dataset", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_text_splitters import TextSplitter


class Report(NamedTuple):
    """What is in the target, whenever it was made, and how long this run took."""

    documents: int
    chunks: int
    characters: int  # of the documents
    errors: int
    seconds: float
    files: int

    def __str__(self) -> str:
        names = ("files", "documents", "chunks", "characters", "errors")
        counts = [(getattr(self, name), name) for name in names]
        shown = [f"{count:,} {name[:-1] if count == 1 else name}" for count, name in counts]
        return f"{', '.join(shown)} in {self.seconds:.1f} s"


def split_dataset(
    source: str | Path,
    target: str | Path,
    splitter: TextSplitter,
    *,
    engine: str = "process",
    text: str = "text",
    metadata: Sequence[str] | None = None,
    workers: int | None = None,
    batch_size: int = 256,
    on_error: str = "record",
    resume: bool = True,
    show_progress: bool = True,
) -> Report:
    """Split the documents of many files into Parquet files of chunks, one for each.

    A run that was stopped, at any moment, is finished by the same call. A file whose input has
    changed, by its size or time, is made again, one whose input is gone is removed: the target is
    what a first run would make of the source as it is now. It belongs to `split_dataset`; other
    files there are an error.
    Options of the splitter that have changed are an error too, but not the code of its class: after
    a change of your own class make all again with `resume=False`.

    With `engine="process"` or `"dask"` a script calls this under `if __name__ == "__main__":`, as
    Python's processes want it.

    Args:
        source: A file, a folder with all below it, or a pattern, such as `"in/**/*.parquet"`:
            Parquet, JSON Lines (`.jsonl`, `.ndjson`, also behind `.gz`, `.bz2`, `.zst`, `.lz4` or
            `.br`), or else plain UTF-8 files, each a document, with its name as the column
            `source`. Hidden files and what is behind links to folders are left out of a folder.
        target: The folder for the chunks, with the columns that `ArrowChunker` makes. It may lie in
            the source, where the targets of all runs are left out, but not be the source.
        splitter: Any splitter; it has to pickle.
        engine: `"process"`; `"ray"`, which uses the cluster that `ray.init` has connected to, or
            starts one; `"dask"`, which uses the `distributed.Client` there is, or starts a cluster.
        text: The column of the texts.
        metadata: The columns that go along with each chunk; `None`: all others but those named as
            a column of the chunks. Of JSON Lines these are the keys in the first megabyte of each
            file, at every depth. A key whose values there are not of one type is a column of text:
            strings as they are, other values as their JSON; one that holds fractions is a column of
            doubles. A value further on that does not fit its column is an error.
        workers: Files at a time; `None`: as many as there are cores, on this machine or in the
            cluster. A Dask cluster that is there decides by itself.
        batch_size: Documents that are read and split at a time: what a worker holds in memory.
        on_error: `"record"`: a document that fails is a row with its `error`; so are a line or a
            file that cannot be read and a file whose worker died twice, without metadata.
            `"raise"`: the first of them stops the run; what is finished is kept.
        resume: `False`: all is made again, chunks that were made with other options too.
        show_progress: A progress bar over files, on stderr.

    Returns:
        The counts of all that is in the target, and the seconds that this call took.

    Raises:
        DocumentError: A document fails and `on_error` is `"raise"`; it names the file and the row,
            from 0.
        ImportError: The engine is not installed; the message is the pip line.
        TypeError: An argument or the text column is of the wrong type.
        ValueError: There are no files, their columns do not fit, or the target holds other things,
            chunks of another source, is the source, or another run is writing to it.
    """
    began = time.perf_counter()
    check_choice("engine", engine, ENGINES)
    check_integer("workers", 1 if workers is None else workers, least=1)
    check_integer("batch_size", batch_size, least=1)
    check_flag("resume", resume)
    check_flag("show_progress", show_progress)
    made = {*made_columns(splitter), ERROR}
    run, folder = load(engine), _path("target", target)
    kind, fragments = find(_path("source", source), folder)
    schema = schema_of(kind, fragments, text, metadata)
    others = [name for name in schema.names if name not in {text, *made}]
    kept = others if metadata is None else metadata
    chunker = ArrowChunker(splitter, text=text, metadata=kept, on_error=on_error)
    columns = [f"{field.name}: {field.type}" for field in chunker.schema(schema)]
    split = SplitFile(
        kind, str(folder.absolute()), secrets.token_hex(4), chunker, schema, batch_size
    )
    settings = {**options(splitter), "text": text, "metadata": metadata and list(metadata)}
    with alone(folder):
        manifest = Manifest(folder, settings, columns, resume=resume)
        left = manifest.begin(fragments, errors=on_error == "record")
        try:
            with _bar(len(fragments), len(manifest.done), show=show_progress) as bar:
                for fragment, done in run(split, left, workers) if left else ():
                    manifest.finish(fragment, done)
                    bar.update()
        finally:
            tidy(folder)
    return _report(manifest.done.values(), time.perf_counter() - began)


def _path(argument: str, value: Any) -> Path:
    if not isinstance(value, str | Path) or not value:
        raise TypeError(f"{argument} must be a path, as a str or a Path, got {value!r}")
    return Path(value)


def _report(done: Iterable[Done], seconds: float) -> Report:
    files = list(done)
    documents, chunks, characters, errors = (
        sum(counts) for counts in zip(*(counts for _, *counts in files), strict=True)
    )
    return Report(documents, chunks, characters, errors, seconds, len(files))


def _bar(total: int, done: int, *, show: bool) -> Any:
    from tqdm import tqdm  # noqa: PLC0415 - the engine's processes need none

    return tqdm(total=total, initial=done, unit="file", disable=not show)
