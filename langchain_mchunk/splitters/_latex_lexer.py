"""Reads LaTeX source and reports what gives it structure, by TeX's rules of lexing.

Comments, verbatim text, definitions and inline formulas are passed over, so nothing in them counts
(The TeXbook, chapters 7 and 20). Nothing is expanded, and whatever is not closed is no error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Protocol

from langchain_mchunk.splitters._latex_commands import (
    ADDRESS,
    COMMAND,
    COMMANDS,
    DEFINED,
    FALSE,
    HEADING,
    HEADING_SIGNS,
    INSIDE_FORMULAS,
    LANGUAGE,
    NEXT_GROUP,
    NOTHING_INSIDE,
    VERB,
    VERBATIM,
)
from langchain_mchunk.splitters._latex_formulas import Formulas
from langchain_mchunk.splitters._latex_source import COMMENT, ESCAPE, SOFT_EOL, Source

if TYPE_CHECKING:
    from collections.abc import Callable

_PERCENT = re.compile("%")
_DOLLARS = re.compile(r"\$\$")  # twice as fast as str.find among single ones
_LINE = re.compile(r"[^\r\n]*+")
_TITLE_PARAGRAPH = re.compile(rf"(?:[^\\%\r\n]++|(?!{HEADING}){ESCAPE}|{COMMENT}|{SOFT_EOL})*+")
_SHORT_END = re.compile(rf"([]{{])|{ESCAPE}|{COMMENT}")


class Reader(Protocol):
    """Is told what was read, in order; offsets are those of the source."""

    def comment(self, start: int, end: int) -> None:
        r"""Take a comment, up to the end of its line, or what `\iffalse` leaves out."""

    def block(self, start: int, end: int) -> None:
        """Take verbatim text, or a display between `$$`s before what is in it."""

    def begin(self, name: str, start: int, end: int) -> None:
        r"""Take a `\begin{name}`, or a `\[` with that name."""

    def end(self, name: str, start: int, end: int) -> None:
        r"""Take an `\end{name}`, or a `\]` with the name `\[`."""

    def item(self, start: int) -> None:
        r"""Take an `\item`."""

    def row(self, start: int, end: int) -> None:
        r"""Take a `\\`, inside a table or not."""

    def heading(self, command: str, title: str, start: int, end: int) -> None:
        """Take a heading with its title as in the source."""


def read(source: Source, reader: Reader, fits: Callable[[int, int], bool]) -> None:
    """Read `source` once, in linear time.

    A simple environment that `fits` is reported as a block: what is in it does not matter then.
    """
    _Lexer(source, reader, fits).run()


class _Lexer:
    """The state of one pass. A handler takes a command and returns where to read on."""

    def __init__(self, source: Source, reader: Reader, fits: Callable[[int, int], bool]) -> None:
        self._source = source
        self._text = source.text
        self._end_of = source.end_of
        self._formulas = Formulas(source.text)
        self._past = self._formulas.past
        self._reader = reader
        self._fits = fits
        self._display_end = -1  # the `$$` or `\]` that ends the open display
        self._endless: set[str] = set()  # ends of verbatim text that do not come any more

    def run(self) -> None:
        """Read from command to command, and the comments and `$$` between them."""
        text, find = self._text, self._find
        position, percent, dollars = 0, find(_PERCENT, 0), find(_DOLLARS, 0)
        while True:
            command = COMMAND.search(text, position)
            start = command.start() if command else len(text)
            while percent < start or dollars < start:
                if percent < position:
                    percent = find(_PERCENT, position)
                elif dollars < position:
                    dollars = find(_DOLLARS, position)
                elif percent < dollars:
                    position = self._comment(percent)
                else:
                    position = self._double(dollars)
                if position > start:
                    break
            else:
                if command is None:
                    return
                position = self._HANDLERS[command[1]](self, command)

    def _comment(self, start: int) -> int:
        end = self._end_of(_LINE, start)
        self._reader.comment(start, end)
        return end

    def _find(self, sign: re.Pattern[str], position: int) -> int:
        match = sign.search(self._text, position)
        return match.start() if match else len(self._text)

    def _double(self, start: int) -> int:
        """Read `$$`: it begins a display, ends one, or is two inline formulas that touch."""
        if start != self._display_end:
            if end := self._formulas.end_around(start):
                return end
            if end := self._formulas.display_end(start):
                self._display_end = end - 2
                self._reader.block(start, end)
        return self._past(start + 2)

    def _begin(self, command: re.Match[str]) -> int:
        name = command[2]
        if name is None:
            return command.end()
        if name.rstrip("*") in VERBATIM:
            return self._verbatim(command.start(), rf"\end{{{name}}}")
        if name == "document":
            self._reader.begin(name, *command.span())
            return self._past(command.end())
        if INSIDE_FORMULAS.search(name) and (end := self._formulas.end_around(command.start())):
            return end
        return self._open(name, rf"\end{{{name}}}", *command.span())

    def _open(self, name: str, closing: str, start: int, inside: int) -> int:
        """Report an environment as a block, if nothing in it matters, else that it begins."""
        stop = self._end_of(NOTHING_INSIDE, inside)
        end = stop + len(closing)
        if self._text.startswith(closing, stop) and self._fits(start, end):
            self._reader.block(start, end)
            return self._past(end)
        self._reader.begin(name, start, inside)
        return inside

    def _end(self, command: re.Match[str]) -> int:
        if command[2] is not None:
            self._reader.end(command[2], *command.span())
        return command.end()

    def _verbatim(self, start: int, closing: str) -> int:
        """Pass over verbatim text; without an end it goes on to the end of the text, as in TeX."""
        if closing not in self._endless:
            found = self._text.find(closing, start)
            if found >= 0:
                end = found + len(closing)
                self._reader.block(start, end)
                return self._past(end)
            self._endless.add(closing)
        return len(self._text)

    def _open_display(self, command: re.Match[str]) -> int:
        start, inside = command.span(1)
        end = self._open(r"\[", r"\]", start - 1, inside)
        if end == inside and start > self._display_end:
            self._display_end = self._formulas.display_end(start - 1) - 2
        return end

    def _close_display(self, command: re.Match[str]) -> int:
        self._reader.end(r"\[", command.start(), command.end(1))
        return command.end(1)

    def _item(self, command: re.Match[str]) -> int:
        self._reader.item(command.start())
        return command.end(1)

    def _row(self, command: re.Match[str]) -> int:
        self._reader.row(command.start(), command.end(1))
        return command.end(1)

    def _heading(self, command: re.Match[str]) -> int:
        """Read a heading up to the end of its title, of its line if the title is not closed."""
        if end := self._formula_end(command.start()):
            return end
        title, end = command[2], command.end()
        if title is None:
            title, end = self._title(command.end(1))
        if title is not None:
            self._reader.heading(command[1], title, command.start(), end)
        return self._past(end)

    def _formula_end(self, position: int) -> int:
        """Return the end of the display or inline formula around `position`, or 0."""
        if position < self._display_end:
            return self._display_end
        return self._formulas.end_around(position)

    def _title(self, position: int) -> tuple[str | None, int]:
        """Read a title with all it may have, such as a short form; `None` if there is none."""
        text = self._text
        at = self._end_of(HEADING_SIGNS, position)
        if not text.startswith(("[", "{"), at):
            return None, position
        stop = self._end_of(_TITLE_PARAGRAPH, at)  # a title holds no blank line and no heading
        if text[at] == "[":
            at = self._short_end(at, stop)
        if at >= stop or text[at] not in "[{":
            return None, position
        closing = self._source.group_end(at)
        if 0 <= closing < stop:
            return text[at + 1 : closing], closing + 1
        end = self._end_of(_LINE, at, stop)
        return text[at + 1 : end], end

    def _short_end(self, at: int, stop: int) -> int:
        """Return where the title begins behind a short one, or `at` if that is not closed."""
        position = at + 1
        while mark := _SHORT_END.search(self._text, position, stop):
            position = mark.end()
            if mark[1] == "{":
                position = max(position, self._source.group_end(mark.start()) + 1)
            elif mark[1]:
                return self._end_of(HEADING_SIGNS, position)
        return at

    def _definition(self, command: re.Match[str]) -> int:
        """Pass over the groups of a definition; one that is not closed ends at its line."""
        position = self._end_of(DEFINED, command.end(1))
        while group := NEXT_GROUP.match(self._text, position):
            closing = self._source.group_end(group.end() - 1)
            if closing < 0:
                return self._past(self._end_of(_LINE, group.end()))
            position = closing + 1
        return self._past(position)

    def _verb(self, command: re.Match[str]) -> int:
        return self._past(self._end_of(VERB, command.end(1)))

    def _mint(self, command: re.Match[str]) -> int:
        return self._past(self._end_of(VERB, self._end_of(LANGUAGE, command.end(1))))

    def _link(self, command: re.Match[str]) -> int:
        return self._past(self._end_of(ADDRESS, command.end(1)))

    def _false(self, command: re.Match[str]) -> int:
        r"""Pass over what `\iffalse` leaves out, up to its `\else` or `\fi`, if it has one."""
        end = self._end_of(FALSE, command.end(1))
        if end > command.end(1):
            self._reader.comment(command.start(), end)
        return self._past(end)

    def _character(self, command: re.Match[str]) -> int:
        return command.end(1)

    _HANDLERS: ClassVar[dict[str, Callable[[_Lexer, re.Match[str]], int]]] = {
        "[": _open_display,
        "]": _close_display,
        "\\": _row,
        "%": _character,
        "$": _character,
        "begin": _begin,
        "end": _end,
        "iffalse": _false,
        **dict.fromkeys(COMMANDS["heading"], _heading),
        **dict.fromkeys(COMMANDS["item"], _item),
        **dict.fromkeys(COMMANDS["row"], _row),
        **dict.fromkeys(COMMANDS["link"], _link),
        **dict.fromkeys(COMMANDS["verb"], _verb),
        **dict.fromkeys(COMMANDS["mint"], _mint),
        **dict.fromkeys(COMMANDS["definition"], _definition),
    }
