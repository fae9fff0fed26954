"""LaTeX source by its characters: escapes, comments, gaps, and which brace closes which."""

from __future__ import annotations

import re
import sys
from typing import Final

EOL: Final = r"(?:\r\n?+|\n)"
SOFT_EOL: Final = rf"{EOL}(?![ \t]*+[\r\n])"  # no blank line follows
COMMENT: Final = r"%[^\r\n]*+"
ESCAPE: Final = r"\\[\s\S]"
GAP: Final = rf"[ \t]*+(?:(?:{COMMENT})?+{EOL}[ \t]*+)?+"  # TeX passes over one line break

_BRACE = re.compile(rf"([{{}}])|{ESCAPE}|{COMMENT}")


class Source:
    """A text and, as far as they were asked for, its groups."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._groups: dict[int, int] = {}  # `{` -> its `}`
        self._paired = 0  # up to here braces are paired

    def end_of(self, pattern: re.Pattern[str], position: int, stop: int = sys.maxsize) -> int:
        """Return where a match of `pattern` at `position` ends; `position` if there is none."""
        match = pattern.match(self.text, position, stop)
        return match.end() if match else position

    def group_end(self, opening: int) -> int:
        """Return the offset of the `}` that closes the `{` at `opening`, or -1.

        Openings must be asked for in ascending order, or inside a group asked for before.
        """
        if opening >= self._paired:
            self._pair(opening)
        return self._groups.get(opening, -1)

    def _pair(self, opening: int) -> None:
        """Pair braces to the end of the group, else of the text: so none is read twice."""
        unpaired: list[int] = []
        for brace in _BRACE.finditer(self.text, opening):
            if brace[1] == "{":
                unpaired.append(brace.start())
            elif brace[1] and unpaired:
                self._groups[unpaired.pop()] = brace.start()
                if not unpaired:
                    self._paired = brace.end()
                    return
        self._paired = len(self.text)
