"""The texts that a command line names: files, folders, patterns and standard input.

What cannot be read is a `Problem` in its place, so that the others are still done.
"""

from __future__ import annotations

import glob
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STANDARD_INPUT: Final = "-"


class Text(NamedTuple):
    """A text and where it came from."""

    source: str
    text: str


class Problem(NamedTuple):
    """Why there is no text at a source, and what to do."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"


def named(arguments: Iterable[str]) -> Iterator[str | Problem]:
    """Yield the file names that the arguments stand for: folders are walked, patterns filled in."""
    for argument in arguments:
        path = Path(argument)
        if argument == STANDARD_INPUT or path.is_file():
            yield argument
        elif path.is_dir():
            yield from walked(path) or _without_text(argument)
        elif matches := sorted(glob.glob(argument, recursive=True)):  # noqa: PTH207 - as a shell does
            yield from named(matches)
        else:
            yield Problem(argument, "no such file or folder: check the name")


def walked(folder: Path) -> list[str]:
    """List the text files below a folder, hidden ones and binary ones left out."""
    return [
        str(path)
        for path in sorted(folder.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
        and not _is_binary(path)
    ]


def read(source: str, encoding: str) -> Text | Problem:
    """Read one text; a byte order mark is no part of it."""
    try:
        raw = sys.stdin.buffer.read() if source == STANDARD_INPUT else Path(source).read_bytes()
        return Text(source, raw.decode("utf-8-sig" if encoding == "utf-8" else encoding))
    except UnicodeDecodeError as error:
        return Problem(
            source,
            f"not valid {encoding} at byte {error.start} (0x{raw[error.start]:02x}): "
            "name its encoding with --encoding",
        )
    except OSError as error:
        return Problem(source, f"{(error.strerror or str(error)).lower()}: check the file")


def _without_text(folder: str) -> list[Problem]:
    return [Problem(folder, "no text file in this folder: name a file")]


def _is_binary(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b"\0" in file.read(65536)
    except OSError:
        return False  # reading it will say why
