"""The rows of a file by batches, and the columns that several files have together.

A row or a file that cannot be read is `Unreadable` in its place, so that the others are still done.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from langchain_mchunk.batches import plain
from langchain_mchunk.extras import missing

try:
    import pyarrow as pa
    import pyarrow.dataset as pads
    import pyarrow.json as paj
    import pyarrow.types as pat
    from pyarrow.fs import LocalFileSystem
except ImportError as error:
    raise missing("split_dataset", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from langchain_mchunk.dataset.fragments import Fragment, Kind

SOURCE: Final = "source"  # of a plain file: the column of its name, where AutoSplitter looks
BLOCK: Final = 1 << 22  # bytes of JSON Lines that are parsed at once
SAMPLE: Final = 1 << 20  # bytes of JSON Lines whose columns count as those of the file

_FAILURES: Final = (pa.ArrowInvalid, pa.ArrowTypeError, OSError, UnicodeDecodeError)


class Unreadable(NamedTuple):
    """Why there is no document at a place."""

    reason: str


Parts: TypeAlias = "Iterator[pa.RecordBatch | Unreadable]"


def schema_of(
    kind: Kind, fragments: Iterable[Fragment], text: str, metadata: Sequence[str] | None
) -> pa.Schema:
    """Return the columns that the files have together: `text` and `metadata`, or all.

    Raises:
        ValueError: Two files disagree on the type of a column, or none can be read.
    """
    if kind == "plain":
        return pa.schema([(text, pa.string()), (SOURCE, pa.string())])
    inspect = _inspect_parquet if kind == "parquet" else _inspect_lines
    schema, failure = pa.schema([]), None
    for fragment in fragments:
        try:
            own = inspect(fragment.path)
        except _FAILURES as error:  # reading the file will say so in its place
            failure = f"{fragment.path}: {error}"
            continue
        try:
            schema = _together(schema, own, None if metadata is None else {text, *metadata})
        except _FAILURES as error:
            raise ValueError(
                f"{fragment.path}: {error} in the files before it: "
                "name the columns that are needed with metadata="
            ) from error
    if failure and not schema.names:
        raise ValueError(failure)
    return schema


def read(kind: Kind, fragment: Fragment, schema: pa.Schema, batch_size: int) -> Parts:
    """Read the documents of one file by batches of at most `batch_size` rows."""
    try:
        for part in _READERS[kind](fragment, schema, batch_size):
            if isinstance(part, pa.Table):
                yield from part.to_batches(max_chunksize=batch_size)
            else:
                yield part
    except _FAILURES as error:
        yield Unreadable(str(error))


def _together(schema: pa.Schema, own: pa.Schema, wanted: set[str] | None) -> pa.Schema:
    fields = [(f.name, plain(f.type)) for f in own if wanted is None or f.name in wanted]
    return pa.unify_schemas([schema, pa.schema(fields)], promote_options="permissive")


def _inspect_parquet(path: str) -> pa.Schema:
    return pads.ParquetFileFormat().inspect(path, filesystem=LocalFileSystem())


def _inspect_lines(path: str) -> pa.Schema:
    """Infer the columns from the first lines; times stay text, as nothing says that all are."""
    with _lines(path) as file:
        lines = file.readlines(SAMPLE)
    schema = pa.schema([])
    for part in _parsed(lines, None):
        if isinstance(part, pa.Table):
            own = pa.schema([(field.name, _as_text(field.type)) for field in part.schema])
            with contextlib.suppress(pa.ArrowTypeError):  # such a line is an error when it is read
                schema = _together(schema, own, None)
    return schema


def _as_text(kind: pa.DataType) -> pa.DataType:
    """Return a type inferred from JSON without times and without types that hold nothing."""
    if pat.is_timestamp(kind) or pat.is_null(kind):
        return pa.string()
    if pat.is_list(kind):
        return pa.list_(_as_text(kind.value_type))
    if pat.is_struct(kind):
        return pa.struct([(field.name, _as_text(field.type)) for field in kind])
    return kind


def _read_parquet(fragment: Fragment, schema: pa.Schema, batch_size: int) -> Parts:
    files = pads.ParquetFileFormat()
    yield from files.make_fragment(fragment.path, filesystem=LocalFileSystem()).to_batches(
        schema=schema,
        columns=schema.names,
        batch_size=batch_size,
        batch_readahead=1,
        use_threads=False,
        fragment_scan_options=pads.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        ),
    )


def _read_lines(fragment: Fragment, schema: pa.Schema, _: int) -> Iterator[pa.Table | Unreadable]:
    with _lines(fragment.path) as file:
        while lines := file.readlines(BLOCK):
            yield from _parsed(lines, schema)


def _read_plain(fragment: Fragment, schema: pa.Schema, _: int) -> Iterator[pa.Table]:
    text = Path(fragment.path).read_bytes().decode("utf-8-sig")
    yield pa.table([[text], [fragment.name]], schema=schema)


_READERS: Final[dict[Kind, Callable[..., Iterator[pa.Table | pa.RecordBatch | Unreadable]]]] = {
    "parquet": _read_parquet,
    "jsonl": _read_lines,
    "plain": _read_plain,
}


def _lines(path: str) -> io.BufferedReader:
    return io.BufferedReader(pa.input_stream(path, compression="detect"))


def _parsed(lines: list[bytes], schema: pa.Schema | None) -> Iterator[pa.Table | Unreadable]:
    """Parse lines at once, and if that fails one by one: one bad line costs no other."""
    try:
        yield _table(b"".join(lines), schema)
    except _FAILURES:
        for line in filter(bytes.strip, lines):
            try:
                yield _table(line, schema)
            except _FAILURES as error:
                yield Unreadable(re.sub(r" in row \d+$", "", str(error)))


def _table(raw: bytes, schema: pa.Schema | None) -> pa.Table:
    unexpected = "ignore" if schema else "infer"
    return paj.read_json(
        io.BytesIO(raw),
        read_options=paj.ReadOptions(use_threads=False, block_size=max(len(raw), 1)),
        parse_options=paj.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior=unexpected
        ),
    )
