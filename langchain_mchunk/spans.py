"""A span is a half-open range of one text and the headings above it."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    # What a Span holds; millions of plain tuples are made three times as fast.
    SpanFields: TypeAlias = tuple[int, int, tuple[str, ...], Mapping[str, Any]]

Range: TypeAlias = tuple[int, int]
"""A half-open range of a text: offsets of its start and its end."""

BOM: Final = "\ufeff"
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

_FEW_BLANKS: Final = 16  # most chunks begin with fewer
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
    if start + 1 == end or not text[start + 1].isspace():
        return start + 1  # one blank: the common case
    head = text[start : start + _FEW_BLANKS]
    kept = head.lstrip()
    if not kept:
        match = _BLANK.match(text, start, end)
        return match.end() if match else start
    return min(start + len(head) - len(kept), end)


def rstrip_blank(text: str, start: int, end: int) -> int:
    """Return the offset behind the last non-blank character of `start:end`, or `start`."""
    if end <= start or not text[end - 1].isspace():
        return max(start, end)
    if end - 1 > start and not text[end - 2].isspace():
        return end - 1  # one blank: the common case
    width = 8
    while width < end - start:  # look at the tail first: most blank ends are short
        kept = len(text[end - width : end].rstrip())
        if kept:
            return end - width + kept
        width *= 8
    return start + len(text[start:end].rstrip())


def in_order(spans: Iterable[SpanFields], end: int) -> Iterator[SpanFields]:
    """Pass on the spans of a text of length `end`; one outside it or out of order is an error."""
    last = 0
    for span in spans:
        if not last <= span[0] <= span[1] <= end:
            raise ValueError(
                "spans must lie in the text and start in order: "
                f"got {span[0]}:{span[1]} behind a start at {last} in a text of length {end}"
            )
        last = span[0]
        yield span


def trimmed(text: str, spans: Iterable[SpanFields]) -> Iterator[SpanFields]:
    """Leave the blank ends of spans out."""
    for start, end, headings, extra in spans:
        first = skip_blank(text, start, end)
        yield first, rstrip_blank(text, first, end), headings, extra


def outermost(spans: Iterable[SpanFields]) -> Iterator[SpanFields]:
    """Drop each empty span and each that lies inside its neighbour; starts must not decrease."""
    last: SpanFields | None = None
    last_start = last_end = -1
    for span in spans:
        start, end, _, _ = span
        if start >= end or end <= last_end:
            continue
        if last is not None and start > last_start:
            yield last
        last, last_start, last_end = span, start, end
    if last is not None:
        yield last
