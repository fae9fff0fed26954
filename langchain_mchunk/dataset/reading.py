"""The rows of a file by batches, and the columns that several files have together.

A row or a file that cannot be read is `Unreadable` in its place, so that the others are still done.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from langchain_mchunk.batches import plain
from langchain_mchunk.dataset.lines import FAILURES, Unreadable, lines_schema, read_lines
from langchain_mchunk.extras import missing

try:
    import pyarrow as pa
    import pyarrow.dataset as pads
    from pyarrow.fs import LocalFileSystem
except ImportError as error:
    raise missing("split_dataset", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from langchain_mchunk.dataset.fragments import Fragment, Kind

SOURCE: Final = "source"  # of a plain file: the column of its name, where AutoSplitter looks
_MOST: Final = 2**31 - 1  # rows of a batch that pyarrow takes

Parts: TypeAlias = "Iterator[pa.RecordBatch | Unreadable]"


def schema_of(
    kind: Kind, fragments: Iterable[Fragment], text: str, metadata: Sequence[str] | None
) -> pa.Schema:
    """Return the columns that the files have together: `text` and `metadata`, or all.

    Raises:
        ValueError: Two files disagree on the type of a column.
    """
    if kind == "plain":
        return pa.schema([(text, pa.string()), (SOURCE, pa.string())])
    if kind == "jsonl":
        return lines_schema([fragment.path for fragment in fragments], text, metadata)
    schema = pa.schema([])
    for fragment in fragments:
        try:
            own = _inspect_parquet(fragment.path)
        except FAILURES:
            continue  # reading the file will say so in its place
        try:
            schema = _together(schema, own, None if metadata is None else {text, *metadata})
        except FAILURES as error:
            raise ValueError(
                f"{fragment.path}: its columns do not fit together, or to those of the files "
                f"before it ({error}): name the columns that are needed with metadata="
            ) from error
    return schema if schema.names else pa.schema([(text, pa.string())])


def read(kind: Kind, fragment: Fragment, schema: pa.Schema, text: str, batch_size: int) -> Parts:
    """Read the documents of one file by batches of at most `batch_size` rows."""
    try:
        for part in _parts(kind, fragment, schema, text, batch_size):
            if isinstance(part, pa.Table):
                yield from part.to_batches(max_chunksize=batch_size)
            else:
                yield part
    except FAILURES as error:
        yield Unreadable(str(error))


def _parts(
    kind: Kind, fragment: Fragment, schema: pa.Schema, text: str, batch_size: int
) -> Iterator[pa.Table | pa.RecordBatch | Unreadable]:
    if kind == "jsonl":
        return read_lines(fragment.path, schema, text)
    if kind == "parquet":
        return _read_parquet(fragment, schema, batch_size)
    return _read_plain(fragment, schema)


def _together(schema: pa.Schema, own: pa.Schema, wanted: set[str] | None) -> pa.Schema:
    fields = [(f.name, plain(f.type)) for f in own if wanted is None or f.name in wanted]
    for name, count in Counter(name for name, _ in fields).most_common(1):
        if count > 1:
            raise pa.ArrowInvalid(f"{count} columns {name!r}")
    return pa.unify_schemas([schema, pa.schema(fields)], promote_options="permissive")


def _inspect_parquet(path: str) -> pa.Schema:
    return pads.ParquetFileFormat().inspect(path, filesystem=LocalFileSystem())


def _read_parquet(
    fragment: Fragment, schema: pa.Schema, batch_size: int
) -> Iterator[pa.RecordBatch | Unreadable]:
    files = pads.ParquetFileFormat()
    names = {*_inspect_parquet(fragment.path).names}
    batches = files.make_fragment(fragment.path, filesystem=LocalFileSystem()).to_batches(
        columns=[name for name in schema.names if name in names],
        batch_size=min(batch_size, _MOST),
        batch_readahead=1,
        use_threads=False,
        fragment_scan_options=pads.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        ),
    )
    for batch in batches:
        yield from _conformed(batch, schema)


def _conformed(batch: pa.RecordBatch, schema: pa.Schema) -> Iterator[pa.RecordBatch | Unreadable]:
    """Give the rows of one file the columns of all; one that does not fit costs no other."""
    columns = []
    for field in schema:
        try:
            columns.append(_column(batch, field))
        except FAILURES as error:
            if batch.num_rows == 1:
                yield Unreadable(f"column {field.name!r}: {error}: leave it out with metadata=")
                return
            half = batch.num_rows // 2
            yield from _conformed(batch[:half], schema)
            yield from _conformed(batch[half:], schema)
            return
    yield pa.record_batch(columns, schema=schema)


def _column(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    if field.name not in batch.schema.names:
        return pa.nulls(batch.num_rows, field.type)
    column = batch.column(field.name)
    return column if column.type == field.type else column.cast(field.type)


def _read_plain(fragment: Fragment, schema: pa.Schema) -> Iterator[pa.Table | Unreadable]:
    try:
        text = Path(fragment.path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield Unreadable(f"{error}: convert the file to UTF-8")
        return
    yield pa.table([[text], [fragment.name]], schema=schema)
