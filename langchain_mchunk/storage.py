"""A folder of files that are saved together: a crash leaves the ones saved before, whole.

Numbered files are written first; `retriever.json`, which names them with their sizes and checksums,
then takes the place of the old one in a single step. A file with such a name that it does not name
is a leftover; every other file in the folder is somebody else's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORMAT: Final = "langchain_mchunk.KeywordRetriever"
VERSION: Final = 1
MANIFEST: Final = "retriever.json"
PARTS: Final = ("documents.jsonl", "index.npz")

_PREFIX: Final = "mchunk-"  # of all other names, so that no file of a user has one of them
_DRAFT: Final = f"{_PREFIX}{MANIFEST}"
_OURS: Final = re.compile(rf"{_PREFIX}(documents-\d+\.jsonl|index-\d+\.npz|retriever\.json)")


def save(
    folder: str | Path,
    options: Mapping[str, Any],
    writers: Mapping[str, Callable[[BinaryIO], object]],
) -> None:
    """Save the parts and the options; one process at a time may save to a folder.

    Args:
        folder: Where to; it is made if it does not exist.
        options: Go into the manifest; anything that JSON can say.
        writers: For each of `PARTS`, what writes it to a file.

    Raises:
        ValueError: The folder has a manifest that is damaged or of another program, or has none
            and holds other files.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _check_ours(folder)
    _sweep(folder)
    number = _manifest(folder)["number"] + 1 if (folder / MANIFEST).exists() else 1
    try:
        written = {_name(part, number): writers[part] for part in PARTS}
        files = {name: _write(folder / name, writer) for name, writer in written.items()}
        manifest = {"format": FORMAT, "version": VERSION, "number": number, "files": files}
        text = json.dumps({**manifest, "options": options}, indent=1).encode()
        _write(folder / _DRAFT, lambda file: file.write(text))
        (folder / _DRAFT).replace(folder / MANIFEST)
        _sync(folder)
    finally:
        _sweep(folder)


def load(folder: str | Path) -> tuple[dict[str, Any], dict[str, Path]]:
    """Return the options, and where each part is, once it is checked.

    Raises:
        ValueError: The folder holds nothing saved, or something damaged.
    """
    folder = Path(folder)
    manifest = _manifest(folder)
    parts = {part: folder / _name(part, manifest["number"]) for part in PARTS}
    for path in parts.values():
        if not path.is_file():
            raise ValueError(f"{path} is missing: {MANIFEST} belongs to another index")
        if _described(path) != manifest["files"].get(path.name):
            raise ValueError(f"{path} is damaged: {MANIFEST} names another size or checksum")
    return manifest["options"], parts


def _manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest and check its shape."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read: {folder} must be written by save_local"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: it is not JSON ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError(f"{path} is of another program: its format must be {FORMAT!r}")
    if manifest.get("version") != VERSION:
        raise ValueError(
            f"{path} must have version {VERSION} of the format, got {manifest.get('version')!r}: "
            "save the index again with this release"
        )
    shape = {"number": int, "files": dict, "options": dict}
    for key, kind in shape.items():
        if not isinstance(manifest.get(key), kind):
            raise ValueError(  # noqa: TRY004 - of a file, not of an argument
                f"{path} is damaged: {key!r} must be of type {kind.__name__}"
            )
    return manifest


def _name(part: str, number: int) -> str:
    stem, suffix = part.split(".")
    return f"{_PREFIX}{stem}-{number}.{suffix}"


def _write(path: Path, writer: Callable[[BinaryIO], object]) -> dict[str, Any]:
    """Write a file through to the disk, and describe it."""
    with path.open("wb") as file:
        writer(file)
        file.flush()
        os.fsync(file.fileno())
    return _described(path)


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def _sync(folder: Path) -> None:
    """Write the names in a folder through to the disk, where a folder can be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _check_ours(folder: Path) -> None:
    """Refuse a folder that was never saved to and holds more than a killed first save leaves."""
    if (folder / MANIFEST).exists():
        return
    for path in folder.iterdir():
        if not _OURS.fullmatch(path.name):
            raise ValueError(
                f"{folder} must be empty or written by save_local, but it has no {MANIFEST} and "
                f"holds {path.name!r}: save to a folder of its own"
            )


def _sweep(folder: Path) -> None:
    """Remove what unfinished and earlier saves left."""
    current = _manifest(folder)["files"] if (folder / MANIFEST).exists() else ()
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in current:
            path.unlink()
