"""JSON Lines as columns: a type that all values of a key have, else the text of their JSON.

Arrow reads lines by the thousand. Where it fails they are read one by one, and a line that cannot
be read is `Unreadable` in its place.
"""

from __future__ import annotations

import io
import json
import re
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_mchunk.dataset.fragments import compression
from langchain_mchunk.extras import missing

try:
    import pyarrow as pa
    import pyarrow.json as paj
    import pyarrow.types as pat
except ImportError as error:
    raise missing("split_dataset", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

BLOCK: Final = 1 << 22  # bytes that are parsed at once
SAMPLE: Final = 1 << 20  # bytes of a file whose keys count as its columns
DEEPEST: Final = 40  # levels of a line: Parquet has 100 for columns, a list takes two

FAILURES: Final = (
    *(pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError),
    *(OSError, UnicodeError),
)
_BOM: Final = b"\xef\xbb\xbf"
_INTEGER, _FLOAT = 63, 1023  # bits of a whole number that Arrow's types hold
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?')
_LARGE_NUMBER: Final = re.compile(rb"[:\[,]\s*-?\d{19}")  # Arrow would round it


class Unreadable(NamedTuple):
    """Why there is no document at a place."""

    reason: str


def lines_schema(paths: Iterable[str], text: str, metadata: Sequence[str] | None) -> pa.Schema:
    """Return the columns that files have together: `text` and `metadata`, or all.

    They are all where one of those is not among them, for the error that this is.
    """
    kinds: dict[str, pa.DataType] = {}
    for path in paths:
        try:
            for name, kind in _sample(path):
                kinds[name] = _common(kinds.get(name, kind), kind)
        except FAILURES:
            continue  # reading the file will say so in its place
    kinds = kinds or {text: pa.null()}
    wanted = {text, *(kinds if metadata is None else metadata)}
    names = [name for name in kinds if name in wanted or not wanted <= kinds.keys()]
    return pa.schema([(name, _held(kinds[name])) for name in names])


def read_lines(path: str, schema: pa.Schema, text: str) -> Iterator[pa.Table | Unreadable]:
    """Read the documents of a file."""
    with _opened(path) as file:
        while lines := file.readlines(BLOCK):
            try:
                yield _table(lines, schema)
            except FAILURES:
                yield from _one_by_one(lines, schema, text)


def _sample(path: str) -> Iterator[tuple[str, pa.DataType]]:
    """Yield the keys of a file's first lines and their types, some more than once."""
    with _opened(path) as file:
        lines = file.readlines(SAMPLE)
    try:
        if _LARGE_NUMBER.search(b"".join(lines)):
            raise pa.ArrowInvalid
        table = _table(lines, None)
    except FAILURES:
        for row in map(_row, lines):
            if isinstance(row, dict):
                yield from ((name, _inferred(value)) for name, value in row.items())
    else:
        yield from zip(table.schema.names, table.schema.types, strict=True)


def _inferred(value: Any) -> pa.DataType:
    try:
        return pa.array([value]).type
    except (*FAILURES, OverflowError):
        return pa.string()


def _common(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Return the type of which all values of two types are, text if there is none."""
    schemas = [pa.schema([("", kind)]) for kind in (one, other)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except FAILURES:
        return pa.string()


def _held(kind: pa.DataType) -> pa.DataType:
    """Return a type that can be written: no times, as nothing says that all are, and no nothing."""
    if pat.is_timestamp(kind) or pat.is_null(kind) or _is_empty(kind):
        return pa.string()
    if pat.is_list(kind):
        return pa.list_(_held(kind.value_type))
    if pat.is_struct(kind):
        return pa.struct([(field.name, _held(field.type)) for field in kind])
    return kind


def _is_empty(kind: pa.DataType) -> bool:
    """Tell whether an object without keys is in a type, which no Parquet file can hold."""
    if pat.is_list(kind):
        return _is_empty(kind.value_type)
    return pat.is_struct(kind) and (
        kind.num_fields == 0 or any(_is_empty(field.type) for field in kind)
    )


def _opened(path: str) -> io.BufferedReader:
    # Arrow itself takes no name that is not UTF-8.
    file = Path(path).open("rb")  # noqa: SIM115 - the caller closes it
    codec = compression(path)
    return io.BufferedReader(pa.input_stream(file, compression=codec)) if codec else file


def _table(lines: list[bytes], schema: pa.Schema | None) -> pa.Table:
    """Parse lines at once; what Arrow would crash at is refused before it sees it."""
    if not all(map(_is_object, lines)) or any(map(_is_deep, lines)):
        raise pa.ArrowInvalid
    raw = b"".join(lines)
    unexpected = "ignore" if schema else "infer"
    return paj.read_json(
        io.BytesIO(raw),
        read_options=paj.ReadOptions(use_threads=False, block_size=max(len(raw), 1)),
        parse_options=paj.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior=unexpected
        ),
    )


def _is_object(line: bytes) -> bool:
    return line.removeprefix(_BOM).lstrip()[:1] in (b"{", b"")


def _is_deep(line: bytes) -> bool:
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return False
    brackets = re.findall(rb"[\[\]{}]", _STRING.sub(b"", line))
    return max(accumulate(1 if bracket in b"[{" else -1 for bracket in brackets)) > DEEPEST


def _one_by_one(
    lines: Iterable[bytes], schema: pa.Schema, text: str
) -> Iterator[pa.Table | Unreadable]:
    """Read lines so that one costs no other."""
    rows: list[dict[str, Any]] = []
    for line in filter(bytes.strip, lines):
        row = _row(line)
        fitted = row if isinstance(row, str) else _fitted(row, schema, text)
        if isinstance(fitted, dict):
            rows.append(fitted)
            continue
        yield from _table_of(rows, schema)
        rows = []
        yield Unreadable(fitted)
    yield from _table_of(rows, schema)


def _row(line: bytes) -> dict[str, Any] | str:
    """Parse one line, or say what is wrong with it; of a blank one there is nothing."""
    if not line.strip():
        return {}
    try:
        row = json.loads(line)
        if isinstance(row, dict) and _is_deep(line):
            row = {name: _leaf(value) for name, value in row.items()}
        _dumped(row).encode()
    except UnicodeEncodeError as error:
        return f"the line holds half a character: {error}"
    except (ValueError, RecursionError) as error:
        return f"the line is no JSON: {type(error).__name__}: {error}"
    return row if isinstance(row, dict) else f"the line must hold an object, got {row!r:.40}"


def _leaf(value: Any) -> Any:
    return _dumped(value) if isinstance(value, list | dict) else value


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _table_of(rows: list[dict[str, Any]], schema: pa.Schema) -> Iterator[pa.Table]:
    if rows:
        yield pa.Table.from_pylist(rows, schema)


def _fitted(row: Mapping[str, Any], schema: pa.Schema, text: str) -> dict[str, Any] | str:
    """Return the values of the columns, or say which does not fit: Arrow would change some.

    In a column of text what is no string is written as JSON.
    """
    fitted = {}
    for name, kind in zip(schema.names, schema.types, strict=True):
        value = row.get(name)
        if pat.is_string(kind) and name != text and not isinstance(value, str | None):
            value = _dumped(value)
        if not _fits(value, kind):
            if name == text:
                return f"the text must be a string, got {value!r:.40}"
            return f"{name!r} must be {kind}, got {value!r:.40}: leave it out with metadata="
        fitted[name] = value
    return fitted


def _fits(value: Any, kind: pa.DataType) -> bool:
    if value is None:
        return True
    if pat.is_struct(kind):
        return isinstance(value, dict) and all(
            _fits(value.get(field.name), field.type) for field in kind
        )
    if pat.is_list(kind):
        return isinstance(value, list) and all(_fits(item, kind.value_type) for item in value)
    if isinstance(value, bool):
        return bool(pat.is_boolean(kind))
    if isinstance(value, int):
        bits = _INTEGER if pat.is_integer(kind) else _FLOAT if pat.is_floating(kind) else -1
        return value.bit_length() <= bits
    return bool(pat.is_floating(kind) if isinstance(value, float) else pat.is_string(kind))
