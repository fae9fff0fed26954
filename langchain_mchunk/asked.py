"""The splitter that a command line asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_mchunk.arguments import AUTO, flag
from langchain_mchunk.options import option_names
from langchain_mchunk.splitters import STRATEGIES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from langchain_mchunk.splitters.base import BaseSplitter

_OPTIONS: Final = (
    *("chunk_size", "chunk_overlap", "min_size", "target_size", "join_threshold", "language"),
    *("encoding_name", "model_name", "is_separator_regex", "keep_separator", "sentence_enders"),
    *("headers", "return_each_line"),
)
_SEPARATORS: Final = ("separator", "separators")  # the option of character and that of recursive


def splitter(options: argparse.Namespace, sources: Iterable[str]) -> BaseSplitter:
    """Make the splitter that a command line asks for, and those that the sources will need.

    Raises:
        TypeError: The strategy has no such option, or lacks one that it needs.
        ValueError: An option's value breaks its rule.
    """
    from langchain_mchunk.auto import AutoSplitter  # noqa: PLC0415 - after --help

    given = {name: getattr(options, name) for name in _OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    if options.separator:
        given["separator" if options.strategy == "character" else "separators"] = options.separator
    cls = AutoSplitter if options.strategy == AUTO else STRATEGIES[options.strategy]
    _check_flags(options.strategy, cls, given)
    if options.tokens:
        given["length_function"] = options.tokens
    made = cls(add_start_index=True, **given)
    if isinstance(made, AutoSplitter):
        for source in sources:
            made.splitter_for({"source": source})
    return made


def _check_flags(strategy: str, cls: type[BaseSplitter], given: Iterable[str]) -> None:
    """Refuse what a strategy does not have, in the words of the command line."""
    known = _flags(cls)
    for name in map(flag, given):
        if name not in known and strategy == AUTO:
            having = [other for other in STRATEGIES if name in _flags(STRATEGIES[other])]
            raise TypeError(f"{name} needs a strategy: add --strategy {' or '.join(having)}")
        if name not in known:
            raise TypeError(f"--strategy {strategy} has no {name}: it has {', '.join(known)}")
    if strategy == "sentence" and "chunk_size" not in given:
        raise TypeError("--strategy sentence needs --chunk-size, as --chunk-size 500")


def _flags(cls: type[BaseSplitter]) -> list[str]:
    names = option_names(cls)
    return [flag(name) for name in (*_OPTIONS, *_SEPARATORS) if name in names]
