"""The texts that a command line names: files, folders, patterns and standard input.

What cannot be read is a `Problem` in its place, so that the others are still done.
"""

from __future__ import annotations

import codecs
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STANDARD_INPUT: Final = "-"

_BOM: Final = "\ufeff"
_PATTERN: Final = frozenset("*?[")
_HEAD: Final = 65536  # bytes in which a binary file shows a NUL
_WIDE_BOMS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


class Text(NamedTuple):
    """A text and where it came from."""

    source: str
    text: str


class NoText(NamedTuple):
    """A file in a folder that is passed over, as it is no text."""

    source: str


class Problem(NamedTuple):
    """Why there is no text at a source, and what to do."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source or repr('')}: {self.reason}"


def named(arguments: Iterable[str], encoding: str) -> Iterator[str | Problem | NoText]:
    """Yield the file names that the arguments stand for: folders are walked, patterns filled in."""
    for argument in arguments:
        if argument == STANDARD_INPUT:
            yield argument
            continue
        try:
            is_folder = stat.S_ISDIR(os.stat(argument).st_mode)  # noqa: PTH116 - "" is no path
        except OSError as error:
            yield from matching(argument) or [_problem(argument, error)]
            continue
        if is_folder:
            yield from walked(argument, encoding)
        else:
            yield argument


def matching(pattern: str) -> list[str | Problem]:
    """List the files that a shell pattern names; hidden ones and linked folders are left out."""
    if not _PATTERN & set(pattern):
        return []
    path = Path(pattern)
    root = Path(path.anchor)
    found = root.glob(str(path.relative_to(root)))
    return sorted(str(file) for file in found if file.is_file() and not _is_hidden(file))


def walked(folder: str, encoding: str) -> list[str | Problem | NoText]:
    """List the files below a folder, hidden ones and linked folders left out."""
    problems: list[Problem] = []
    found = []
    for place, folders, files in os.walk(
        folder, onerror=lambda error: problems.append(_problem(str(error.filename), error))
    ):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [os.path.join(place, name) for name in files if not name.startswith(".")]  # noqa: PTH118
    listed = [NoText(path) if _is_binary(path, encoding) else path for path in sorted(found)]
    if not problems and all(isinstance(path, NoText) for path in listed):
        problems = [Problem(folder, "no text file in this folder: name a file")]
    return [*problems, *listed]


def load(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file; a byte order mark is no part of it, in whatever encoding.

    Raises:
        ValueError: The file is not in that encoding; the message names the byte.
        OSError: The file cannot be read.
    """
    try:
        return _decoded(path.read_bytes(), encoding)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read(source: str, encoding: str) -> Text | Problem:
    """Read one text that a command line names."""
    if source == STANDARD_INPUT and sys.stdin is None:
        return Problem(source, "there is no standard input: name a file")
    try:
        raw = sys.stdin.buffer.read() if source == STANDARD_INPUT else Path(source).read_bytes()
        return Text(source, _decoded(raw, encoding))
    except ValueError as error:
        return Problem(source, f"{error}: name its encoding with --encoding")
    except OSError as error:
        return _problem(source, error)


def same(path: Path, source: str) -> bool:
    """Tell whether a path and a source that a command line names are one file."""
    try:
        read = os.fstat(sys.stdin.fileno()) if source == STANDARD_INPUT else Path(source).stat()
        return os.path.samestat(path.stat(), read)
    except (OSError, ValueError, AttributeError):  # one of them is no file
        return False


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding).removeprefix(_BOM)
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} (0x{raw[error.start]:02x})"
        raise ValueError(f"not valid {encoding} at {byte}") from None
    except UnicodeError as error:
        raise ValueError(f"not valid {encoding}: {error}") from None


def _problem(source: str, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        return Problem(source, "no such file or folder: check the name")
    return Problem(source, f"{(error.strerror or str(error)).lower()}: check the file")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") and part not in (".", "..") for part in path.parts)


def _is_binary(path: str, encoding: str) -> bool:
    """Tell whether a file in a folder is no text; reading it tells why it cannot be opened."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - as above
            return True
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            head = file.read(_HEAD)
    except OSError:
        return False
    wide = encoding.startswith(("utf-16", "utf-32")) or head.startswith(_WIDE_BOMS)
    return b"\0" in head and not wide
