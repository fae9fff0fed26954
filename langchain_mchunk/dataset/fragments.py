"""The files that a dataset consists of: Parquet, JSON Lines, or any others, a document each."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Kind = Literal["parquet", "jsonl", "plain"]

# What a target is known by; as it begins with _, readers of a folder of Parquet files skip it.
MANIFEST: Final = "_mchunk.jsonl"

_TABLES: Final[dict[str, Kind]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_COMPRESSED: Final = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".zst": "zstd",
    ".lz4": "lz4",
    ".br": "brotli",
}
_LONGEST: Final = 230  # bytes of a name: systems take 255, its endings need the rest


class Fragment(NamedTuple):
    """One file of a dataset."""

    name: str  # as the source names it, bytes that are no UTF-8 as \xff
    path: str  # absolute
    output: str  # the file of its chunks, relative to the target
    size: int  # bytes
    modified: int  # nanoseconds


def compression(path: str) -> str | None:
    """Return Arrow's name for what a file is compressed with, going by its own name."""
    return _COMPRESSED.get(Path(path).suffix.lower())


def find(source: Path, target: Path) -> tuple[Kind, list[Fragment]]:
    """List the files that `source` stands for; hidden ones and targets below it are left out.

    Raises:
        ValueError: There are none, or tables next to files of another kind, or `target` is the
            folder of the source.
    """
    root, paths = _paths(source)
    if paths and root.resolve().is_relative_to(target.resolve()):
        raise ValueError(
            f"target must not be the folder of the source ({root}), got {str(target)!r}: "
            "name another folder"
        )
    targets = _targets(root, paths)
    shown = [path for path in paths if targets.isdisjoint(path.parents)]
    if paths != [source]:  # a file that is named is taken, whatever its name
        shown = [path for path in shown if not _begins(".", path, root)]
    if paths != [source] and any(_kind(path) != "plain" for path in shown):
        # As in pyarrow.dataset, what begins with _ is somebody's book-keeping.
        shown = [path for path in shown if not _begins("_", path, root)]
    kinds = {_kind(path): path for path in shown}
    if not kinds:
        literal = " ([ in a name is written [[])" if "[" in str(source) else ""
        raise ValueError(
            f"source must be a file, a folder or a pattern with files, got {str(source)!r}{literal}"
        )
    if len(kinds) > 1:
        names = " and ".join(sorted(path.name for path in kinds.values()))
        raise ValueError(
            f"source must hold files of one kind, got {names}: "
            f"name those of one kind, such as {str(root / '**' / '*.parquet')!r}"
        )
    fragments = [_fragment(path, root) for path in shown]
    for one, other in _clashes(fragments):
        raise ValueError(
            f"source must not hold both {one} and {other}: their chunks would have one name, "
            "rename one of them"
        )
    return next(iter(kinds)), fragments


def _clashes(fragments: Sequence[Fragment]) -> Iterator[tuple[str, str]]:
    """Yield files with one output, or where that of one is the folder of the other's."""
    names: dict[str, str] = {}
    for name, _, output, *_ in fragments:
        if name != names.setdefault(output, name):
            yield names[output], name
    for name, _, output, *_ in fragments:
        for folder in map(str, PurePosixPath(output).parents):
            if folder in names:
                yield names[folder], name


def _begins(mark: str, path: Path, root: Path) -> bool:
    """Tell whether a name on the way from `root` to a file begins with a character."""
    return any(part.startswith(mark) for part in path.relative_to(root).parts)


def _paths(source: Path) -> tuple[Path, list[Path]]:
    """Return the files of a source and the folder that output names are relative to."""
    if source.is_file():
        return source.parent, [source]
    if source.is_dir():
        return source, sorted(path for path in source.rglob("*") if path.is_file())
    fixed = takewhile(lambda part: not glob.has_magic(part), source.parts)
    matches = map(Path, glob.glob(str(source), recursive=True))  # noqa: PTH207 - takes ** and absolute paths
    return Path(*fixed), sorted(path for path in matches if path.is_file())


def _targets(root: Path, paths: Iterable[Path]) -> set[Path]:
    """Return the folders below `root` that a run has written, whichever it was."""
    folders = {folder for path in paths for folder in path.relative_to(root).parents}
    return {root / folder for folder in folders if (root / folder / MANIFEST).is_file()} - {root}


def _kind(path: Path) -> Kind:
    suffixes = [suffix for suffix in path.suffixes if suffix.lower() not in _COMPRESSED]
    return _TABLES.get(suffixes[-1].lower(), "plain") if suffixes else "plain"


def _fragment(path: Path, root: Path) -> Fragment:
    output = path.relative_to(root).as_posix().replace("%", "%25")
    output = re.sub("(^|/)_", r"\1%5F", output)  # readers of a folder skip what begins with _
    output = re.sub("[\udc80-\udcff]", lambda byte: f"%{ord(byte[0]) - 0xDC00:X}", output)
    *folders, name = output.removesuffix(".parquet").split("/")
    status = path.stat()
    return Fragment(
        os.fsencode(path).decode("utf-8", "backslashreplace"),
        str(path.absolute()),
        "/".join([*folders, f"{_shortened(name)}.parquet"]),
        status.st_size,
        status.st_mtime_ns,
    )


def _shortened(name: str) -> str:
    """Keep a name that has room for its endings, else most of it and a checksum."""
    encoded = name.encode()
    if len(encoded) <= _LONGEST:
        return name
    return f"{encoded[:200].decode(errors='ignore')}-{hashlib.sha256(encoded).hexdigest()[:16]}"
