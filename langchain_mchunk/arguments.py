"""The command line of `mchunk`: its options and the splitter that they ask for."""

from __future__ import annotations

import argparse
import codecs
import re
from typing import TYPE_CHECKING, Any, Final

from langchain_mchunk.splitters import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Collection

    from langchain_mchunk.splitters.base import BaseSplitter

DESCRIPTION: Final = "Split files into labelled chunks, show them, and find them again."
AUTO: Final = "auto"
TRUE: Final[dict[str, Any]] = {"action": "store_const", "const": True}  # not given: None
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def parser() -> argparse.ArgumentParser:
    """Make the parser; an option that is not given is None, and the class's own default holds."""
    made = argparse.ArgumentParser(prog="mchunk", description=DESCRIPTION)
    add = made.add_argument
    add("files", nargs="*", metavar="FILE", help="a file, a folder, a pattern; - is standard input")
    add("--encoding", type=_encoding, default="utf-8", metavar="NAME", help="of the files; utf-8")
    _add_splitting(made.add_argument_group("how to split"))
    _add_showing(made.add_argument_group("what to show"))
    _add_dataset(made.add_argument_group("a dataset: one file, folder or pattern to Parquet"))
    return made


def _add_splitting(group: argparse._ArgumentGroup) -> None:
    strategies = [AUTO, *STRATEGIES]
    group.add_argument("--strategy", choices=strategies, default=AUTO, help="default: by file type")
    for flag, kind, metavar, text in [
        ("--chunk-size", int, "N", "hard limit of a chunk; default: the strategy's"),
        ("--chunk-overlap", int, "N", "most that neighbours share; default: 50, less if small"),
        ("--min-size", int, "N", "sentence, json: smaller chunks are joined or filled"),
        ("--target-size", int, "N", "sentence: a chunk is closed when it reaches this"),
        ("--join-threshold", int, "N", "semantic-markdown: sections are joined below this"),
        ("--language", str, "NAME", "recursive: of code, as python; sentence: of text, as de"),
        ("--encoding-name", str, "NAME", "token, semantic-markdown: a tiktoken encoding"),
        ("--model-name", str, "NAME", "token, semantic-markdown: the encoding of a model"),
    ]:
        group.add_argument(flag, type=kind, metavar=metavar, help=text)
    _add_separators(group)
    group.add_argument(
        "--header",
        action="append",
        dest="headers",
        type=_header,
        metavar="LEVEL=KEY",
        help="markdown, html: cut at these, as '##=section' or h2=section",
    )
    group.add_argument("--return-each-line", **TRUE, help="markdown, html: a chunk a line")
    group.add_argument(
        "--tokens",
        nargs="?",
        const="cl100k_base",
        metavar="ENCODING",
        help="sizes are tokens; default: of cl100k_base",
    )


def _add_separators(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--separator",
        action="append",
        type=_separator,
        metavar="TEXT",
        help=r"recursive, character: may be given several times; \n, \r, \t and \\ are understood",
    )
    group.add_argument(
        "--is-separator-regex", **TRUE, help="recursive, character: separators are patterns"
    )
    group.add_argument(
        "--keep-separator",
        choices=["start", "end"],
        help="recursive, character: a separator begins or ends a chunk",
    )
    group.add_argument(
        "--sentence-enders", type=tuple, metavar="CHARS", help="sentence: what may end one"
    )


def _add_showing(group: argparse._ArgumentGroup) -> None:
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON array of all chunks")
    form.add_argument("--text", action="store_true", help="print the text of the chunks")
    form.add_argument("--view", action="store_true", help="print the text, its chunks coloured")
    form.add_argument("--html", metavar="PAGE", help="write a page that shows the chunks")
    group.add_argument("--query", metavar="WORDS", help="only the chunks that hold most of these")
    group.add_argument("-k", type=int, default=4, metavar="N", help="with --query: how many; 4")
    group.add_argument("--scoring", choices=["overlap", "bm25"], default="overlap")


def _add_dataset(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--to", metavar="TARGET", help="split into this folder; a killed run resumes"
    )
    group.add_argument("--engine", choices=["process", "ray", "dask"], help="default: process")
    group.add_argument("--text-column", metavar="NAME", help="of the texts; default: text")
    group.add_argument("--workers", type=int, metavar="N", help="files at a time; default: cores")


_OPTIONS: Final = (
    *("chunk_size", "chunk_overlap", "min_size", "target_size", "join_threshold", "language"),
    *("encoding_name", "model_name", "is_separator_regex", "keep_separator", "sentence_enders"),
    *("headers", "return_each_line"),
)


def splitter(options: argparse.Namespace) -> BaseSplitter:
    """Make the splitter that a command line asks for.

    Raises:
        TypeError: The strategy has no such option, or lacks one that it needs.
        ValueError: An option's value breaks its rule.
    """
    from langchain_mchunk.auto import AutoSplitter  # noqa: PLC0415 - after --help
    from langchain_mchunk.options import option_names  # noqa: PLC0415

    given = {name: getattr(options, name) for name in _OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    if options.separator:
        given["separator" if options.strategy == "character" else "separators"] = options.separator
    cls = AutoSplitter if options.strategy == AUTO else STRATEGIES[options.strategy]
    _check_flags(options.strategy, given, option_names(cls))
    if options.tokens:
        from langchain_mchunk.tokens import TokenCounter  # noqa: PLC0415 - loads numpy

        given["length_function"] = TokenCounter(options.tokens)
    return cls(add_start_index=True, **given)


def _check_flags(strategy: str, given: Collection[str], known: Collection[str]) -> None:
    """Refuse what a strategy does not have, in the words of the command line."""
    for name in given:
        if name not in known:
            flags = ", ".join(_flag(option) for option in _OPTIONS if option in known)
            raise TypeError(f"--strategy {strategy} has no {_flag(name)}: it has {flags}")
    if strategy == "sentence" and "chunk_size" not in given:
        raise TypeError("--strategy sentence needs --chunk-size, as --chunk-size 500")


def _flag(name: str) -> str:
    one = {"headers": "header", "separators": "separator"}.get(name, name)
    return f"--{one.replace('_', '-')}"


def _encoding(name: str) -> str:
    try:
        b" ".decode(name)  # refuses, as a look-up does not, what is no encoding of text
    except UnicodeDecodeError:
        pass  # one that takes more than a byte a character
    except (LookupError, UnicodeError):
        raise argparse.ArgumentTypeError(
            f"unknown encoding {name!r}: try utf-8 or cp1252"
        ) from None
    return codecs.lookup(name).name


def _separator(text: str) -> str:
    return re.sub(r"\\([nrt\\])", lambda match: _ESCAPES[match[1]], text)


def _header(text: str) -> tuple[str, str]:
    level, equals, key = text.partition("=")
    if not (level and equals and key):
        raise argparse.ArgumentTypeError(f"LEVEL=KEY wanted, as '##=section', got {text!r}")
    return level, key
