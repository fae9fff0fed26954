"""One file of documents becomes one file of chunks, whole or not at all."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from langchain_mchunk.batches import ERROR, ArrowChunker, DocumentError
from langchain_mchunk.dataset.lines import Unreadable
from langchain_mchunk.dataset.manifest import UNFINISHED, Done
from langchain_mchunk.dataset.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from langchain_mchunk.dataset.fragments import Fragment, Kind
    from langchain_mchunk.dataset.reading import Parts

GROUP: Final = 1 << 25  # bytes of chunks that are held until they are written as one row group
LEAST: Final = 1 << 14  # bytes that a table counts as at least, however small
DIED: Final = Unreadable("two workers died over this file: they may have run out of memory")


@dataclass(frozen=True)
class SplitFile:
    """The function that is called with each fragment, in whichever process; it pickles.

    Attributes:
        kind: What the files are.
        target: The folder of the chunks, absolute.
        run: Tells the unfinished files of this run from those of others.
        chunker: Makes the chunks of a batch.
        schema: The columns that are read.
        batch_size: Documents that are read at a time.
    """

    kind: Kind
    target: str
    run: str
    chunker: ArrowChunker
    schema: pa.Schema
    batch_size: int

    def __call__(self, fragment: Fragment) -> Done:
        """Split the documents of a fragment, unless two workers have died over it.

        Raises:
            DocumentError: One fails, and `on_error` of the chunker is `"raise"`.
        """
        path = Path(self.target, fragment.output)
        path.parent.mkdir(parents=True, exist_ok=True)
        attempts = [path.with_name(f".{path.name}.{self.run}.{n}{UNFINISHED}") for n in range(3)]
        *_, last = attempts
        unfinished = next(filter(_is_new, attempts), last)
        parts = iter([DIED]) if unfinished == last else self._read(fragment)
        counts: Counter[str] = Counter()
        with _finished(unfinished, path), self._writer(unfinished) as writer:
            for group in _groups(self._tables(fragment, parts, counts)):
                writer.write_table(group)
        return Done(fragment.output, **counts)

    def _read(self, fragment: Fragment) -> Parts:
        return read(self.kind, fragment, self.schema, self.chunker.text, self.batch_size)

    def _writer(self, path: Path) -> pq.ParquetWriter:
        return pq.ParquetWriter(path, self.chunker.schema(self.schema), compression="zstd")

    def _tables(self, fragment: Fragment, parts: Parts, counts: Counter[str]) -> Iterator[pa.Table]:
        """Split batch by batch and count."""
        for part in parts:
            row = counts["documents"]
            if isinstance(part, Unreadable):
                table = self._error(fragment, row, part.reason)
                counts["documents"] += 1
            else:
                table = self._split(fragment, row, part)
                counts["documents"] += part.num_rows
                counts["characters"] += _characters(part.column(self.chunker.text))
            errors = table.num_rows - table.column(ERROR).null_count
            counts["errors"] += errors
            counts["chunks"] += table.num_rows - errors
            yield table

    def _split(self, fragment: Fragment, row: int, batch: pa.RecordBatch) -> pa.Table:
        try:
            return self.chunker(batch)
        except DocumentError as error:
            raise DocumentError(row + (error.row or 0), error.reason, fragment.name) from error

    def _error(self, fragment: Fragment, row: int, reason: str) -> pa.Table:
        failed = DocumentError(row, reason, fragment.name)
        if self.chunker.on_error == "raise":
            raise failed
        return pa.Table.from_pylist([{ERROR: str(failed)}], self.chunker.schema(self.schema))


def _characters(texts: pa.Array) -> int:
    return pc.sum(pc.utf8_length(texts.cast(pa.large_string()))).as_py() or 0


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Join small tables, as many small row groups are slow to read."""
    held: list[pa.Table] = []
    size = 0
    for table in tables:
        held.append(table)
        size += max(table.nbytes, LEAST)
        if size >= GROUP:
            yield pa.concat_tables(held)
            held, size = [], 0
    if held:
        yield pa.concat_tables(held)


def _is_new(path: Path) -> bool:
    """Make a file if it is not there: if it is, a worker has died over it."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@contextmanager
def _finished(unfinished: Path, path: Path) -> Iterator[None]:
    """Give a file its name when it is complete and on the disk."""
    try:
        yield
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
