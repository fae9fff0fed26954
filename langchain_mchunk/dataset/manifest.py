"""What is finished in a target, of which input and with which options: one line of JSON a file.

A file is named before it is begun and again, with its counts, when it is finished: so a run that is
killed leaves nothing behind that the next run does not know to be its own.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from langchain_mchunk.dataset.fragments import MANIFEST
from langchain_mchunk.release import installed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from langchain_mchunk.dataset.fragments import Fragment

UNFINISHED: Final = ".tmp"
LOCK: Final = ".mchunk.lock"
SHOWN: Final = 80  # characters of an option in an error


class Done(NamedTuple):
    """The counts of a finished file."""

    output: str
    documents: int = 0
    chunks: int = 0
    characters: int = 0
    errors: int = 0


class Manifest:
    """The record of a target.

    Args:
        target: The folder.
        options: What decides, besides the input, what the chunks are.
        columns: The columns of the chunks.
        resume: What is finished is kept.

    Attributes:
        done: The files that are finished, by their names.

    Raises:
        ValueError: The target holds chunks made with other options.
    """

    def __init__(
        self, target: Path, options: Mapping[str, Any], columns: Sequence[str], *, resume: bool
    ) -> None:
        self.done: dict[str, Done] = {}
        self._target = target
        options = {"version": installed(), **options}
        self._header = {"options": options, "columns": list(columns)}
        header, *lines = _read(target / MANIFEST) or [{"options": options}]
        self._is_new = "columns" not in header
        self._old = {line["output"]: line for line in lines}
        changed = _changed(header["options"], options)
        if changed and resume:
            raise ValueError(
                f"target {target} holds chunks made with other options ({changed}): "
                "name another target, or use resume=False to make all of them again"
            )
        self._kept = resume and header == self._header  # other columns: all is made again

    def begin(self, fragments: Sequence[Fragment], *, errors: bool) -> list[Fragment]:
        """Name the files to be made and remove those that are out of date.

        Args:
            fragments: All of the source.
            errors: Files with errors in them count as finished.

        Returns:
            The fragments that are not finished.

        Raises:
            ValueError: The target holds files of others, or chunks of another source.
        """
        self._refuse_others(fragments)
        found = (self._finished(fragment, errors=errors) for fragment in fragments)
        self.done = {done.output: done for done in found if done}
        for output in self._old.keys() - self.done.keys():
            path = self._target / output
            if path.resolve().is_relative_to(self._target.resolve()):  # whatever the manifest says
                path.unlink(missing_ok=True)
        tidy(self._target)
        lines = [_line(fragment, self.done.get(fragment.output)) for fragment in fragments]
        unfinished = self._target / f".{MANIFEST}{UNFINISHED}"
        unfinished.write_text("".join(map(_dumped, [self._header, *lines])), "utf-8")
        unfinished.replace(self._target / MANIFEST)
        return [fragment for fragment in fragments if fragment.output not in self.done]

    def _refuse_others(self, fragments: Sequence[Fragment]) -> None:
        """Refuse a target with files of others, or with the chunks of another source."""
        outputs = set() if self._is_new else {fragment.output for fragment in fragments}
        if others := _names(self._target) - self._old.keys() - outputs:
            raise ValueError(
                "target must be an empty folder or one that split_dataset wrote, "
                f"got {self._target}, which holds {min(others)}"
            )
        names = {line["input"][0] for line in self._old.values()}
        others = names - {fragment.name for fragment in fragments}
        if self._kept and others and (others == names or any(map(os.path.exists, others))):
            raise ValueError(
                f"target {self._target} holds chunks of another source, such as {min(others)}: "
                "name another target, or use resume=False to make these chunks instead"
            )

    def finish(self, fragment: Fragment, done: Done) -> None:
        """Note that the file of a fragment is finished."""
        self.done[fragment.output] = done
        with (self._target / MANIFEST).open("a", encoding="utf-8") as file:
            file.write(_dumped(_line(fragment, done)))

    def _finished(self, fragment: Fragment, *, errors: bool) -> Done | None:
        """Return the counts of a file that is there, made of the same input in the same way."""
        old = self._old.get(fragment.output)
        if not (self._kept and old and old["done"] and old["input"] == _input(fragment)):
            return None
        done = Done(fragment.output, *old["done"])
        if done.errors and not errors:
            return None
        return done if _rows(self._target / done.output) == done.chunks + done.errors else None


def _rows(output: Path) -> int | None:
    """Count the rows of a finished file, if it is there and whole."""
    try:
        return int(pq.read_metadata(output).num_rows)
    except (OSError, pa.ArrowInvalid):
        return None


def tidy(target: Path) -> None:
    """Remove what killed workers left unfinished."""
    for path in _files(target):
        if path.name.startswith(".") and path.name.endswith(UNFINISHED):
            path.unlink(missing_ok=True)


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """Make the folder if need be and keep other runs out of it; the system ends a dead run's lock.

    Raises:
        ValueError: It is no folder, or another run is writing to it.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"target must be a folder, got {target}") from None
    try:
        with FileLock(target / LOCK, timeout=0):
            try:
                yield
            finally:
                with suppress(OSError):  # Windows keeps the file while it is open
                    (target / LOCK).unlink()
    except Timeout:
        raise ValueError(
            f"another run is writing to {target}: wait for it, or name another target"
        ) from None


def _read(path: Path) -> list[dict[str, Any]]:
    """Read what a run has written, its header first."""
    try:
        text = path.read_text("utf-8")
        complete = text[: text.rfind("\n") + 1]  # a run may have been killed within a line
        header, *lines = map(json.loads, complete.splitlines() or [""])
        return [{key: header[key] for key in ("options", "columns")}, *map(_checked, lines)]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is damaged ({error}): name another target") from error


def _checked(line: dict[str, Any]) -> dict[str, Any]:
    (name, _, _), done = line["input"], line["done"]
    Done(line["output"], *(done or ()))
    if not isinstance(name, str) or not isinstance(line["output"], str):
        raise TypeError(f"got {line!r:.80}")
    return line


def _line(fragment: Fragment, done: Done | None) -> dict[str, Any]:
    return {"output": fragment.output, "input": _input(fragment), "done": done and done[1:]}


def _input(fragment: Fragment) -> list[str | int]:
    return [fragment.name, fragment.size, fragment.modified]


def _dumped(line: Mapping[str, Any]) -> str:
    return json.dumps(line) + "\n"


def _names(target: Path) -> set[str]:
    """Return the names of the files in a target that readers of a folder see."""
    found = (path for path in _files(target) if not path.name.startswith((".", "_")))
    return {path.relative_to(target).as_posix() for path in found}


def _files(target: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(target):
        yield from (Path(folder, name) for name in names)


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Name the options that differ, with their values."""
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return "; ".join(f"{key} {_shown(old.get(key))}, now {_shown(new.get(key))}" for key in keys)


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
