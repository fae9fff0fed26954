"""Lines of visible text: white space collapses, breaks merge, blank ends of lines fall away."""

from __future__ import annotations


def collapse(text: str) -> str:
    """Make runs of HTML's white space (not the no-break space) one space each."""
    text = text.replace("\n", " ").replace("\t", " ").replace("\r", " ").replace("\f", " ")
    while "  " in text:  # several times faster than a pattern
        text = text.replace("  ", " ")
    return text


class Lines:
    """A text under construction.

    Text waits until something other than text comes: a break, a cell, or a place to remember.
    Breaks and the space between two words are due only once more text follows.
    """

    def __init__(self) -> None:
        self._length = 0  # characters written, without what waits and what is due
        self._verbatim = 0  # open elements that keep their white space
        self._written: list[str] = []
        self._waiting: list[str] = []
        self._breaks = 0  # line breaks due
        self._space = False  # whether a space is due
        self._cell_start = False  # nothing in this table cell yet: breaks have no effect
        self._row_start = True

    def text(self) -> str:
        """Return the text written so far."""
        self.flush()
        return "".join(self._written)

    def add(self, text: str) -> None:
        """Add inline text."""
        self._waiting.append(text)

    def flush(self) -> int:
        """Write the text that waits; return the offset where it ends."""
        if self._waiting:
            text = "".join(self._waiting)
            self._waiting.clear()
            if self._verbatim:
                self._write_verbatim(text)
            else:
                self._write_collapsed(collapse(text))
        return self._length

    def block(self, breaks: int = 1) -> None:
        """Begin or end a block: at least `breaks` line breaks part it from what is around."""
        self.flush()
        self._space = False
        if not self._cell_start and self._breaks < breaks:
            self._breaks = breaks

    def paragraph(self) -> None:
        """Begin or end a block that blank lines part from others."""
        self.block(2)

    def line_break(self) -> None:
        """End the line; one that is empty counts too."""
        self.flush()
        self._space = False
        if not self._cell_start:
            self._breaks += 1

    def verbatim(self) -> None:
        """Begin a block that keeps its white space."""
        self.block()
        self._verbatim += 1

    def end_verbatim(self) -> None:
        """End a block that keeps its white space."""
        self.flush()
        self._verbatim -= 1
        self.block()

    def row(self) -> None:
        """Begin a table row."""
        self.block()
        self._row_start = True

    def cell(self) -> None:
        """Begin a table cell: a tab parts it from the one before."""
        self.flush()
        self._space = False
        if not self._row_start:
            self._write("\t")
        self._row_start = False
        self._cell_start = True

    def end_cell(self) -> None:
        """End a table cell: breaks due from inside it are dropped."""
        self.flush()
        self._space = False
        if not self._cell_start:
            self._breaks = 0
        self._cell_start = self._row_start = False

    def _write_collapsed(self, text: str) -> None:
        words = text.strip(" ")
        self._space = self._space or text[0] == " "
        if words:
            self._write(words)
            self._space = text[-1] == " "

    def _write_verbatim(self, text: str) -> None:
        lines = text.rstrip("\n")
        if lines:
            self._write(lines)
        self._breaks += len(text) - len(lines)

    def _write(self, text: str) -> None:
        if self._breaks and self._length:
            text = "\n" * self._breaks + text
        elif self._space and self._length and not self._cell_start:
            text = " " + text
        self._breaks = 0
        self._space = self._cell_start = False
        self._written.append(text)
        self._length += len(text)
