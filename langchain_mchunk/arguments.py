"""The command line of `mchunk`: its options, what each may be and which go together."""

from __future__ import annotations

import argparse
import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from typing_extensions import override

from langchain_mchunk.release import installed
from langchain_mchunk.splitters import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_mchunk.tokens import TokenCounter

DESCRIPTION: Final = "Split files into labelled chunks, show them, and find them again."
AUTO: Final = "auto"
TRUE: Final[dict[str, Any]] = {"action": "store_const", "const": True}  # not given: None
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


# an option -> the one that it is nothing without, and the one that it has no place beside
_NEEDS: Final = {
    **dict.fromkeys(("again", "engine", "text_column", "workers"), "to"),
    **dict.fromkeys(("k", "scoring"), "query"),
    "html": "files",  # a page is not written over for want of an input
}
_APART: Final = dict.fromkeys(("json", "text", "view", "html", "query", "encoding"), "to")


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line each."""

    @override
    def parse_args(  # type: ignore[override] # of its forms, the one that is called
        self, args: Sequence[str] | None = None
    ) -> argparse.Namespace:
        options = super().parse_args(args)
        given = {name for name, value in vars(options).items() if value not in (None, False, [])}
        for name, other in _NEEDS.items():
            if name in given and other not in given:
                self.error(f"{flag(name)} needs {flag(other)}: add that or leave {flag(name)} out")
        for name, other in _APART.items():
            if {name, other} <= given:
                self.error(f"{flag(name)} has no effect with {flag(other)}: leave one of them out")
        return options

    @override
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> Parser:
    """Make the parser; an option that is not given is None, and the class's own default holds."""
    made = Parser(prog="mchunk", description=DESCRIPTION)
    add = made.add_argument
    add("files", nargs="*", metavar="FILE", help="a file, a folder, a pattern; - is standard input")
    add("--encoding", type=_encoding, metavar="NAME", help="of the files; default: utf-8")
    add("--version", action="version", version=f"%(prog)s {installed() or 'from a source tree'}")
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
        type=_tokens,
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
    form.add_argument(
        "--html", type=_page, metavar="PAGE", help="write a page that shows the chunks"
    )
    group.add_argument("--query", metavar="WORDS", help="only the chunks that hold most of these")
    group.add_argument("-k", type=_count, metavar="N", help="with --query: how many; 4")
    group.add_argument("--scoring", choices=["overlap", "bm25"], help="default: overlap")


def _add_dataset(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--to", metavar="TARGET", help="split into this folder; a killed run resumes"
    )
    group.add_argument("--again", action="store_true", help="make all again: resume nothing")
    group.add_argument("--engine", choices=["process", "ray", "dask"], help="default: process")
    group.add_argument("--text-column", metavar="NAME", help="of the texts; default: text")
    group.add_argument(
        "--workers", type=_count, metavar="N", help="files at a time; default: cores"
    )


def flag(name: str) -> str:
    """Return an option as one writes it, by its name in the parser or in a class."""
    written = {"files": "FILE", "k": "-k", "headers": "--header", "separators": "--separator"}
    return written.get(name, f"--{name.replace('_', '-')}")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text!r}")
    return int(text)


def _page(name: str) -> Path:
    if not name.lower().endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError(
            f"PAGE must end in .html or .htm, got {name!r}: name it first, as --html chunks.html"
        )
    return Path(name)


def _tokens(name: str) -> TokenCounter:
    from langchain_mchunk.tokens import TokenCounter  # noqa: PLC0415 - loads numpy

    try:
        return TokenCounter(name)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"no encoding is named {name!r}: put --tokens behind the files, "
            "or name one, as --tokens cl100k_base FILE"
        ) from None


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
