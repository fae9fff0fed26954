"""Arrow in, Arrow out: a splitter as a function that data engines map over batches of documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_core.documents import Document

from langchain_mchunk.checks import check_choice
from langchain_mchunk.extras import missing

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as pat
except ImportError as error:
    raise missing("ArrowChunker", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from langchain_text_splitters import TextSplitter

TEXT: Final = "page_content"
ERROR: Final = "error"
_MADE: Final = {
    TEXT: pa.string(),
    "label": pa.string(),
    "index": pa.int64(),
    "headers": pa.string(),
    "start_index": pa.int64(),
}
_VIEWED: Final = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_TYPES: Final = {str: pa.string(), int: pa.int64()}


class DocumentError(ValueError):
    """A document could not be split.

    Attributes:
        row: The document's row, from 0, in its batch or file.
        reason: The error of its strategy.
        file: The file, where there is one.
    """

    def __init__(self, row: int | None, reason: str, file: str | None = None) -> None:
        super().__init__(row, reason, file)
        self.row, self.reason, self.file = row, reason, file

    def __str__(self) -> str:
        row = None if self.row is None else f"row {self.row}"
        place = ", ".join(filter(None, (self.file, row)))
        return f"{place}: {self.reason}"


class ArrowChunker:
    r"""A splitter as a function from a table of documents to a table of their chunks; it pickles.

    A row of the result is a chunk: the metadata columns of its document, `page_content`, `label`,
    `index`, `headers`, `start_index` (null without `add_start_index`), the keys that the splitter
    adds, such as those of its `headers=`, and `error`, which is null. The schema follows from the
    columns and the splitter alone, so that an empty batch has it too. A blank text has no chunks.

    Args:
        splitter: Any splitter; it sees the metadata columns as the document's metadata, without
            those that are null or times that Python cannot hold, so that `AutoSplitter` finds
            `content_type` or `source`.
        text: The column of the texts: strings, large strings, string views, or a dictionary of
            them.
        metadata: The columns that go along with each chunk. They keep their types, but dictionaries
            and views become the plain type.
        on_error: `"raise"`: a document that fails, or whose text is null, is a `DocumentError` with
            its row; `"record"`: it is one row with its `error` and neither text nor label.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: A metadata column is named twice, or as a column that is made.

    Example:
        >>> import pyarrow as pa
        >>> from langchain_mchunk import SectionSplitter
        >>> chunker = ArrowChunker(SectionSplitter(), metadata=["id"])
        >>> chunks = chunker(pa.table({"id": [7], "text": ["# A\n\nOne.\n\n# B\n\nTwo."]}))
        >>> chunks.select(["id", "index", "label"]).to_pylist()
        [{'id': 7, 'index': 0, 'label': 'A'}, {'id': 7, 'index': 1, 'label': 'B'}]
    """

    def __init__(
        self,
        splitter: TextSplitter,
        *,
        text: str = "text",
        metadata: Sequence[str] = (),
        on_error: str = "raise",
    ) -> None:
        if not isinstance(text, str):
            raise TypeError(f"text must be the name of a column, got {text!r}")
        check_choice("on_error", on_error, ("raise", "record"))
        made = made_columns(splitter)
        self.splitter: Final = splitter
        self.text: Final = text
        self.metadata: Final = _names(metadata, {*made, ERROR})
        self.on_error: Final = on_error
        self._made: Final = made

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the chunks of documents that have the schema `given`.

        Raises:
            TypeError: The text column holds no text.
            ValueError: A column is missing, or there are two of its name.
        """
        if not isinstance(given, pa.Schema):
            raise TypeError(f"schema takes a pyarrow.Schema, got {type(given).__name__}")
        _check_text(self.text, _type(given, self.text, "text"))
        kept = [(name, plain(_type(given, name, "metadata"))) for name in self.metadata]
        return pa.schema([*kept, *self._made.items(), (ERROR, pa.string())])

    def __call__(self, batch: pa.Table | pa.RecordBatch) -> pa.Table:
        """Split the documents of a batch.

        Raises:
            DocumentError: A document fails and `on_error` is `"raise"`.
            TypeError: `batch` is not Arrow's, or the text column holds no text.
            ValueError: A column is missing, or there are two of its name.
        """
        if not isinstance(batch, (pa.Table, pa.RecordBatch)):
            raise TypeError(
                f"batch must be a pyarrow.Table or RecordBatch, got {type(batch).__name__}: "
                'in Ray set batch_format="pyarrow", else use pyarrow.Table.from_pandas'
            )
        schema = self.schema(batch.schema)
        rows = list(self._rows(batch))
        parents = pa.array([row.parent for row in rows], pa.int64())
        kept = [_taken(batch.column(name), parents, schema.field(name)) for name in self.metadata]
        made = zip(*(row.values for row in rows), strict=True) if rows else repeat(())
        types = schema.types[len(kept) :]
        columns = [pa.array(values, kind) for values, kind in zip(made, types, strict=False)]
        return pa.table([*kept, *columns], schema=schema)

    def stream(self, batches: Iterable[pa.Table | pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Split batches one by one, as Spark's `mapInArrow` wants it."""
        if isinstance(batches, (pa.Table, pa.RecordBatch)):
            raise TypeError(
                "batches must be an iterable of batches, got one: call the chunker with it"
            )
        for batch in batches:
            yield from self(batch).to_batches()

    def _rows(self, batch: pa.Table | pa.RecordBatch) -> Iterator[_Row]:
        columns = [batch.column(name) for name in (self.text, *self.metadata)]
        for row, (text, *values) in enumerate(zip(*columns, strict=True)):
            parent = None
            try:
                metadata = self._read(values)
                parent = row
                split = self._split(text, metadata)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # what Rust panics with is no Exception
                reason = _told(error)
                if self.on_error == "raise":
                    raise DocumentError(row, reason) from error
                split = [(*(None,) * len(self._made), reason)]
            for chunk in split:
                yield _Row(parent, chunk)

    def _read(self, values: Sequence[pa.Scalar]) -> dict[str, Any]:
        """Read the metadata of one document, but for times that Python cannot hold.

        Raises:
            ValueError: Text is no UTF-8, so that the row could be written but not read.
        """
        read = {}
        for name, value in zip(self.metadata, values, strict=True):
            try:
                read[name] = value.as_py()
            except UnicodeDecodeError as error:
                raise ValueError(f"metadata column {name!r}: {error}") from error
            except (ValueError, OverflowError):
                continue
        return {name: value for name, value in read.items() if value is not None}

    def _split(self, text: pa.Scalar, metadata: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Split one document into the values of its chunks."""
        content = text.as_py()
        if content is None:
            raise ValueError("the text is null: fill it or leave the row out")
        document = Document(page_content=content, metadata=metadata)
        return [self._values(chunk) for chunk in self.splitter.split_documents([document])]

    def _values(self, chunk: Document) -> tuple[Any, ...]:
        """Return a row; what its columns cannot hold would fail the whole batch later."""
        found = {**chunk.metadata, TEXT: chunk.page_content}
        values = [found.get(name) for name in self._made]
        for value, (name, kind) in zip(values, self._made.items(), strict=True):
            if isinstance(value, str) and pat.is_string(kind):
                value.encode()  # lone surrogates
            elif value is not None and not (type(value) is int and pat.is_integer(kind)):
                raise TypeError(f"{name} of a chunk must be of type {kind}, got {value!r:.40}")
        return *values, None


class _Row(NamedTuple):
    """One row of the result but for the metadata columns, which are those of row `parent`."""

    parent: int | None  # none where they cannot be read
    values: tuple[Any, ...]


def plain(kind: pa.DataType) -> pa.DataType:
    """Return a type without dictionaries, run-length encodings and views: what they stand for."""
    if pat.is_dictionary(kind) or pat.is_run_end_encoded(kind):
        return plain(kind.value_type)
    if pat.is_list(kind):
        return pa.list_(kind.value_field.with_type(plain(kind.value_type)))
    if pat.is_map(kind):
        return pa.map_(plain(kind.key_type), plain(kind.item_type))
    if pat.is_struct(kind):
        return pa.struct([field.with_type(plain(field.type)) for field in kind])
    return _VIEWED.get(kind, kind)


def _taken(column: pa.ChunkedArray, rows: pa.Array, field: pa.Field) -> pa.ChunkedArray:
    """Return rows of a metadata column in its plain type."""
    try:
        if pat.is_run_end_encoded(column.type):
            column = pc.run_end_decode(column)
        if column.type != field.type:  # to its own type pyarrow casts slices of nulls badly
            column = column.cast(field.type)
        return column.take(rows)
    except pa.ArrowNotImplementedError as error:
        raise TypeError(
            f"metadata column {field.name!r} has a type that cannot be copied, {column.type}: "
            "cast it or leave it out"
        ) from error


def made_columns(splitter: TextSplitter) -> dict[str, pa.DataType]:
    """Return the columns of the chunks that a splitter makes: those of all, and its own.

    Raises:
        TypeError: It is no splitter.
        ValueError: It adds metadata under the name of another column.
    """
    if isinstance(splitter, type) or not callable(getattr(splitter, "split_documents", None)):
        raise TypeError(f"splitter must be a TextSplitter, got {splitter!r}")
    added = getattr(splitter, "added_metadata", {})
    for key in added:
        if key in (*_MADE, ERROR):
            raise ValueError(
                f"the splitter must not add the metadata key {key!r}, a column of the chunks: "
                "give its headers another key"
            )
    return {**_MADE, **{key: _TYPES[kind] for key, kind in added.items()}}


def _told(error: BaseException) -> str:
    """Say what an error is, whatever is in its message."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - of somebody else's error
        message = "its message cannot be shown"
    told = ": ".join(filter(None, (type(error).__name__, message)))
    return told.encode("utf-8", "replace").decode()


def _names(metadata: Any, made: Collection[str]) -> tuple[str, ...]:
    """Check the names of the metadata columns against each other and those that are made."""
    if isinstance(metadata, str) or not isinstance(metadata, Sequence):
        raise TypeError(f"metadata must be a list of column names, got {metadata!r}")
    for i, name in enumerate(metadata):
        if not isinstance(name, str):
            raise TypeError(f"metadata must be a list of column names, got {name!r} in it")
        if name in made:
            raise ValueError(
                f"metadata must not name {name!r}, a column of the chunks: rename it first"
            )
        if name in metadata[:i]:
            raise ValueError(f"metadata must name each column once, got {name!r} twice")
    return tuple(metadata)


def _type(given: pa.Schema, name: str, option: str) -> pa.DataType:
    """Return the type of the one column of a name."""
    places = given.get_all_field_indices(name)
    if len(places) > 1:
        raise ValueError(f"there are {len(places)} columns {name!r}: rename all but one")
    if not places:
        others = ", ".join(map(repr, given.names))
        cure = f"name one of {others} with {option}=" if others else "the table has no columns"
        raise ValueError(f"there is no column {name!r}: {cure}")
    return given.field(name).type


def _check_text(name: str, kind: pa.DataType) -> None:
    text = plain(kind)
    if not (pat.is_string(text) or pat.is_large_string(text) or pat.is_null(text)):
        raise TypeError(f"column {name!r} must hold text, got {kind}: cast it to string")
