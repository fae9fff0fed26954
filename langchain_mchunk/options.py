"""The options that strategies share, typed once, and the names of those that each has."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Literal, TypedDict

from langchain_mchunk.checks import check_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_mchunk.sizes import LengthFunction

KeepSeparator = bool | Literal["start", "end"]


class CommonOptions(TypedDict, total=False):
    """The options that mean the same and default to the same in every strategy."""

    chunk_overlap: int
    length_function: LengthFunction
    add_start_index: bool
    strip_whitespace: bool
    show_progress: bool


class SharedOptions(CommonOptions, total=False):
    """The common options and `keep_separator`, whose default one strategy changes."""

    keep_separator: KeepSeparator


def checked_sizes(
    chunk_size: int | None, chunk_overlap: int | None, *, unlimited: bool
) -> tuple[int, int]:
    """Check `chunk_size` and `chunk_overlap`, and choose what is not given.

    Args:
        chunk_size: In units of the length function; `None` is no limit.
        chunk_overlap: In the same units; `None` is not given.
        unlimited: Whether `chunk_size` may be `None`.
    """
    if chunk_size is not None or not unlimited:
        check_integer("chunk_size", chunk_size, least=1)
    size = 4000 if chunk_size is None else chunk_size
    overlap = min(50, size // 5) if chunk_overlap is None else chunk_overlap
    check_integer("chunk_overlap", overlap, least=0)
    if chunk_size is not None and overlap >= size:
        raise ValueError(f"chunk_overlap must be smaller than chunk_size ({size}), got {overlap}")
    return size, overlap


def check_names(name: str, cls: type, options: Iterable[str]) -> None:
    """Refuse an option that the strategy `cls`, called `name`, lacks, and list those it has."""
    known = option_names(cls)
    for option in options:
        if option not in known:
            raise TypeError(f"{name} has no option {option!r}: it has {', '.join(sorted(known))}")


def option_names(cls: type) -> set[str]:
    """Return the names of a strategy's options, the shared ones included."""
    return _options(cls).keys() | SharedOptions.__annotations__.keys()


def required_names(cls: type) -> list[str]:
    """Return the names of a strategy's options that have no default."""
    return [name for name, option in _options(cls).items() if option.default is option.empty]


def _options(cls: type) -> dict[str, inspect.Parameter]:
    """Return the options of a class and of its bases, each as it is written last."""
    written = [vars(base)["__init__"] for base in cls.__mro__[::-1] if "__init__" in vars(base)]
    named = [p for init in written for p in inspect.signature(init).parameters.values()]
    return {p.name: p for p in named if p.kind is p.KEYWORD_ONLY}
