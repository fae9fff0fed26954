"""The structure of LaTeX source: its headings, where it may be cut, and what should stay whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from langchain_mchunk.headings import Heading
from langchain_mchunk.splitters._latex_commands import LEVELS
from langchain_mchunk.splitters._latex_lexer import read
from langchain_mchunk.splitters._latex_source import Source
from langchain_mchunk.splitters._latex_title import readable

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_mchunk.spans import Range

LONGEST_TITLE: Final = 2000  # characters of source: a title goes into every chunk below it

_HAS_ROWS = re.compile(r"(?i)tab(?!le\*?$)|tblr|array|align|matrix|cases|gather|split|multline")
_COLUMNS = re.compile(r"(?:\[[^][\r\n]*+\]|\{(?:[^{}\r\n]|\{[^{}\r\n]*+\})*+\})*+")
_TAIL = re.compile(r"(?:\s++|%[^\r\n]*+|\\(?:label|index)[ \t]*+\{[^{}]*+\})*+")
_RULE: Final = r"hline|(?:top|mid|bottom)rule|c(?:line|midrule)(?:\([a-z]++\))?+\{[^{}\r\n]*+\}"
_ROW_END = re.compile(rf"\*?+(?:\[[^][\r\n]*+\])?+(?:\s*+\\(?:{_RULE})(?![A-Za-z@]))*+")
_PUNCTUATION = re.compile(r"[]).,;:!?}]*+")


@dataclass(slots=True)
class Structure:
    """What `scan` has found. Boundaries are offsets in ascending order, ranges are in any order."""

    headings: list[Heading] = field(default_factory=list)
    body: int = 0  # behind \begin{document}; 0 without one
    ends: list[int] = field(default_factory=list)  # behind environments and displays
    items: list[int] = field(default_factory=list)  # before \item
    rows: list[int] = field(default_factory=list)  # behind rows of tables and formulas
    unbroken: list[Range] = field(default_factory=list)


@dataclass(slots=True)
class _Frame:
    """An open environment and, in it, the row or list item that is open."""

    name: str
    start: int
    has_rows: bool = False
    unit: int = -1  # start of the open row or item
    last: int = -1  # start of the one before
    units: int = 0  # how many were closed
    counted: int = 0  # braces are counted up to here
    depth: int = 0  # groups that are open in the row


def scan(text: str, fits: Callable[[int, int], bool]) -> Structure:
    """Find the structure of `text`. It never fails: an environment that is not closed is no block.

    The inner structure of an environment that `fits` may be left out, as it is not going to be cut.
    """
    source = Source(text)
    scanner = _Scanner(source)
    read(source, scanner, fits)
    scanner.found.ends.sort()
    return scanner.found


class _Scanner:
    """What is known so far, and the environments that are open."""

    def __init__(self, source: Source) -> None:
        self.found = Structure()
        self._text = source.text
        self._end_of = source.end_of
        self._close_all()

    def _close_all(self) -> None:
        self._stack = [_Frame("", -1)]
        self._open: dict[str, int] = {}  # how many environments of a name are open

    def comment(self, start: int, end: int) -> None:
        """Keep a comment whole: the second half of one would be read as text."""
        self.found.unbroken.append((start, end))

    def block(self, start: int, end: int) -> None:
        """Add verbatim text or a display."""
        self._add(start, end)

    def _add(self, start: int, end: int) -> None:
        self.found.unbroken.append((start, end))
        self.found.ends.append(self._end_of(_PUNCTUATION, end))

    def begin(self, name: str, start: int, end: int) -> None:
        """Open an environment."""
        if name == "document":
            self._document(end)
            return
        frame = _Frame(name, start)
        if _HAS_ROWS.search(name):
            frame.has_rows = True
            frame.unit = frame.counted = self._end_of(_COLUMNS, end)
        self._stack.append(frame)
        self._open[name] = self._open.get(name, 0) + 1

    def _document(self, body: int) -> None:
        """Begin the document: what came before was its preamble, which has no headings."""
        if not self.found.body:
            self.found.body = body
            self.found.headings.clear()
        self._close_all()

    def end(self, name: str, start: int, end: int) -> None:
        """Close the innermost environment of that name; those inside it were never closed."""
        if name == "document":
            self._close_all()
        if not self._open.get(name):
            return
        frame = self._stack.pop()
        while frame.name != name:
            self._open[frame.name] -= 1
            frame = self._stack.pop()
        self._open[name] -= 1
        self._close_last_unit(frame, start, end)
        self._add(frame.start, end)

    def _close_unit(self, frame: _Frame, end: int) -> None:
        r"""Close the row or item that is open; the first one holds on to the `\begin`."""
        if frame.unit < 0:
            return
        if frame.units == 0 and frame.name:
            self.found.unbroken.append((frame.start, end))
        self.found.unbroken.append((frame.unit, end))
        frame.last = frame.unit
        frame.units += 1

    def _close_last_unit(self, frame: _Frame, stop: int, end: int) -> None:
        r"""Close the last row or item, which holds on to the `\end`."""
        if frame.unit < 0:
            return
        if self._text[frame.unit : stop].strip():
            self._close_unit(frame, stop)
        if frame.units > 1:  # a single one has the `\begin`
            self.found.unbroken.append((frame.last, end))

    def item(self, start: int) -> None:
        r"""Begin a list item; `\item` belongs to the innermost environment."""
        frame = self._stack[-1]
        self._close_unit(frame, start)
        frame.unit = start
        self.found.items.append(start)

    def row(self, start: int, end: int) -> None:
        r"""End a row, unless the `\\` stands in a group, that is, inside a cell."""
        frame = self._stack[-1]
        if not frame.has_rows:
            return
        frame.depth += self._groups(frame.counted, start)
        frame.counted = end
        if frame.depth <= 0:
            end = self._end_of(_ROW_END, end)  # a row takes the rules below it along
            self._close_unit(frame, end)
            frame.unit, frame.depth = end, 0
            self.found.rows.append(end)

    def _groups(self, start: int, end: int) -> int:
        """Return how many more groups open in `start:end` than close."""
        count = self._text.count
        opened = count("{", start, end) - count(r"\{", start, end)
        return opened - count("}", start, end) + count(r"\}", start, end)

    def heading(self, command: str, title: str, start: int, end: int) -> None:
        """Add a heading; its label, and comments, still belong to it."""
        behind = self._end_of(_TAIL, end)
        title = readable(title[:LONGEST_TITLE])
        self.found.headings.append(Heading(start, behind, LEVELS[command], title))
        self._stack[-1].unit = -1  # no item reaches over a heading
