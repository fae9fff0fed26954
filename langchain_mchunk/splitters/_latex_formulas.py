"""Formulas of LaTeX source: a display is structure, an inline formula hides what is in it.

What opens a formula and is not closed in its paragraph, or before a line that begins with a
heading or the document, is text: one sign too many hides no heading.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_mchunk.splitters._latex_commands import HEADING
from langchain_mchunk.splitters._latex_source import COMMENT, ESCAPE, SOFT_EOL

_EOL: Final = rf"{SOFT_EOL}(?![ \t]*+(?:{HEADING}|\\begin\{{document\}}))"
_FORMULA = re.compile(
    rf"""{COMMENT}
    | (?P<formula> \$ (?: [^$\\%\r\n]++ | {ESCAPE} | {COMMENT} | {_EOL} )*+ \$
        | \\\( (?: [^\\%\r\n]++ | \\[^()] | {COMMENT} | {_EOL} )*+ \\\) )
    | {ESCAPE}""",
    re.VERBOSE,
)
_DISPLAY = re.compile(
    rf"""\$\$ (?: [^$\\%\r\n]++ | {ESCAPE} | {COMMENT} | {_EOL} | \$(?!\$) )*+ \$\$
    | \\\[ (?: [^\\%\r\n]++ | \\[^][] | {COMMENT} | {_EOL} )*+ \\\]""",
    re.VERBOSE,
)


class Formulas:
    """The formulas of one text that is read from its start to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._clear = 0  # no formula is open here

    def past(self, position: int) -> int:
        """Read on at `position`: a `$` before it opens no formula."""
        self._clear = position
        return position

    def end_around(self, position: int) -> int:
        """Return the end of the inline formula around `position`, or 0.

        Formulas are many and this is asked seldom: they are read only if the signs in the paragraph
        before `position` leave one open.
        """
        start = max(self._clear, self._text.rfind("\n\n", self._clear, position))
        self._clear = position
        if not _may_be_open(self._text[start:position]):
            return 0
        for formula in _FORMULA.finditer(self._text, start):
            if formula.start() >= position:
                break
            if formula["formula"] and formula.end() > position:
                return self.past(formula.end())
        return 0

    def display_end(self, position: int) -> int:
        r"""Return the end of the display that the `$$` or `\[` at `position` begins, or 0."""
        display = _DISPLAY.match(self._text, position)
        return display.end() if display else 0


def _may_be_open(text: str) -> bool:
    """Tell, by counting signs, those in comments too, whether an inline formula may be open."""
    if "$" not in text and r"\(" not in text:
        return False
    odd = (text.count("$") - text.count(r"\$")) % 2
    return bool(odd) or text.count(r"\(") != text.count(r"\)") or "%" in text
