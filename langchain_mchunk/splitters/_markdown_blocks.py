"""The blocks of a Markdown text as pyromark reads them: CommonMark, tables and YAML front matter.

A text is read in segments, each up to a top-level block, so that the parser's tree stays small.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyromark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

SEGMENT: Final = 1 << 19  # characters

UNITS: Final = frozenset({"CodeBlock", "HtmlBlock", "Table", "TableHead", "TableRow", "Item"})
_CONTAINERS: Final = frozenset({"BlockQuote", "List", "Item", "Table"})
# Where these begin at the top level, reading may begin: neither indentation nor a list is open.
_FRESH: Final = frozenset({"Heading", "Paragraph"})

_TABLES: Final = pyromark.Options.ENABLE_TABLES
_FRONT_MATTER: Final = pyromark.Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
_BREAKS: Final = ("SoftBreak", "HardBreak")
_HTML_BREAK: Final = re.compile(r"<br[\s/>]", re.IGNORECASE)
_FRONT_MATTER_END: Final = re.compile(r"[\r\n](?:---|\.\.\.) *+(?=[\r\n]|\Z)")
_LINE_END: Final = re.compile(r"\r\n?|\n")
_LONE_CR: Final = re.compile(r"\r(?!\n)")  # a blank line of it does not end code, to the parser
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_CLOSED_BEHIND_TAB: Final = re.compile(r"\t#++[ \t\r\n]*+\Z")  # the parser looks for a space only
# To CommonMark these are no blanks; the parser takes them for such behind the # of a heading.
_NO_BLANKS: Final = {0x0B: 0x01, 0x0C: 0x01}


class Block(NamedTuple):
    """The block `text[start:end]`; `level` and `title` are those of a top-level heading."""

    kind: str
    start: int
    end: int
    top: bool = True
    level: int = 0
    title: str = ""


class Segment(NamedTuple):
    """The blocks that begin in `text[start:end]`, in order."""

    start: int
    end: int
    blocks: list[Block]


def front_matter(text: str, start: int) -> int:
    """Return where the YAML front matter that begins at `start` ends, or `start` if there is none.

    The parser is given no more than the lines up to the first that may end it, within a segment.
    """
    if text.startswith("---", start):
        match = _FRONT_MATTER_END.search(text, start + 3, start + SEGMENT)
        source = parsable(text[start : match.end() if match else start])
        for event, span in pyromark.events_with_range(source, options=_FRONT_MATTER):
            if _kind(event) == "MetadataBlock":
                return _characters(source, start)(span["end"])
            break
    return start


def segments(text: str, start: int, *, inner: bool) -> Iterator[Segment]:
    """Read `text[start:]`: the top-level headings and, with `inner`, the other blocks and units."""
    width = SEGMENT
    while start < len(text):
        line_end = _LINE_END.search(text, start + width)
        end = line_end.end() if line_end else len(text)
        blocks, fresh = _read(text[start:end], start, inner=inner)
        if end < len(text):
            if fresh == start:
                width *= 2
                continue
            end = fresh
            blocks = [block for block in blocks if block.start < end]
        yield Segment(start, end, blocks)
        start, width = end, SEGMENT


def labels(text: str) -> frozenset[str]:
    """Return the labels that `text` defines links for, as they are compared."""
    return frozenset(map(_folded, pyromark.reference_definitions(parsable(text))))


def title_of(source: str, known: AbstractSet[str]) -> str:
    """Return the title of the heading `source`, which may refer to the labels `known`."""
    events = pyromark.events_with_range(
        parsable(source),
        broken_link_callback=lambda link: ("", "") if _folded(link["reference"]) in known else None,
    )
    next(events, None)
    return _title(events, source)


def parsable(text: str) -> str:
    """Return `text`, as long as it is, without what the parser refuses or reads otherwise."""
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    if "\f" in text or "\v" in text:
        text = text.translate(_NO_BLANKS)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _SURROGATE.sub("\ufffd", text)
    return text


def _read(text: str, base: int, *, inner: bool) -> tuple[list[Block], int]:
    """Parse `text`, which stands at `base`; return its blocks and where reading may begin again."""
    text = parsable(text)
    at = _characters(text, base)
    blocks = []
    events = pyromark.events_with_range(text, options=_TABLES)
    fresh = top_end = done = 0  # bytes
    for event, span in events:
        start = span["start"]
        if start < done or not (kind := _kind(event)):
            continue
        end = span["end"]
        top = top_end <= start < end  # a table may end with an empty cell
        if top:
            top_end = end
            if kind in _FRESH:
                fresh = start
        if not (inner and kind in _CONTAINERS):  # the rest of a whole is passed over
            done = end
        if top and kind == "Heading":
            low, high = at(start), at(end)
            title = _title(events, text[low - base : high - base])
            blocks.append(Block(kind, low, high, top, _level(event), title))
        elif inner and (top or kind in UNITS):
            blocks.append(Block(kind, at(start), at(end), top))
    return blocks, at(fresh)


def _kind(event: Any) -> str:
    """Return what an event begins, or `""`."""
    if type(event) is str:
        return event if event == "Rule" else ""
    begun = event.get("Start", "")
    return begun if type(begun) is str else next(iter(begun))


def _level(event: Any) -> int:
    return int(event["Start"]["Heading"]["level"][1])


def _title(events: Iterable[tuple[Any, Any]], source: str) -> str:
    """Return the text that is seen of the heading `source`; its events are taken up to its end."""
    parts: list[str] = []
    for event, _ in events:
        if "Text" in event or "Code" in event:
            parts += event.values()
        elif event in _BREAKS or _HTML_BREAK.match(event.get("InlineHtml", "")):
            parts.append(" ")
        elif "Heading" in event.get("End", ""):
            break
    title = " ".join("".join(parts).replace("\x01", " ").split())
    if title.endswith("#") and _CLOSED_BEHIND_TAB.search(source):
        title = title.rstrip("#").rstrip()
    return title


def _folded(label: str) -> str:
    """Return a link label as it is compared: CommonMark 0.31, 6.3."""
    return " ".join(label.split()).casefold()


def _characters(text: str, base: int) -> Callable[[int], int]:
    """Return the function from offsets in bytes of `text` to offsets in characters, plus `base`."""
    if text.isascii():
        return base.__add__
    continuing = (np.frombuffer(text.encode(), np.uint8) & 0xC0) == 0x80  # noqa: PLR2004 - 10xxxxxx
    places = array("q", np.flatnonzero(continuing).astype(np.int64).tobytes())
    return lambda offset: base + offset - bisect_left(places, offset)
