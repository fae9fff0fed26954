"""A span is a half-open range of one text and the headings above it."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BOM: Final = "\ufeff"
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

_BLANK = re.compile(r"\s*")  # \s of the standard library is exactly str.isspace()


class Span(NamedTuple):
    """`text[start:end]`, the titles above it (outermost first), and metadata of its own."""

    start: int
    end: int
    headings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = NOTHING


def skip_blank(text: str, start: int, end: int) -> int:
    """Return the first non-blank offset in `start:end`, or `end`; a BOM at 0 is blank."""
    if start == 0 and text.startswith(BOM):
        start = 1
    if start >= end:
        return end
    if not text[start].isspace():
        return start
    match = _BLANK.match(text, start, end)
    return match.end() if match else start


def rstrip_blank(text: str, start: int, end: int) -> int:
    """Return the offset behind the last non-blank character of `start:end`, or `start`."""
    if end <= start or not text[end - 1].isspace():
        return max(start, end)
    width = 8
    while width < end - start:  # look at the tail first: most blank ends are short
        kept = len(text[end - width : end].rstrip())
        if kept:
            return end - width + kept
        width *= 8
    return start + len(text[start:end].rstrip())


def trim(text: str, span: Span) -> Span:
    """Leave the blank ends of a span out."""
    start = skip_blank(text, span.start, span.end)
    return Span(start, rstrip_blank(text, start, span.end), span.headings, span.extra)


def outermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Drop each empty span and each that lies inside its neighbour; starts must not decrease."""
    last: Span | None = None
    for span in spans:
        if span.start >= span.end:
            continue
        if last is not None and span.start > last.start and span.end > last.end:
            yield last
            last = span
        elif last is None or span.end > last.end:
            last = span
    if last is not None:
        yield last
