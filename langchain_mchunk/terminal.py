"""Text as a terminal shows it: harmless, and measured in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from unicodedata import category, east_asian_width

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

STEERING: Final = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # bidirectional


def counted(number: int, thing: str) -> str:
    """Return a number with its thing, `1 chunk` or `2 chunks`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def printable(text: str, kept: str = "") -> str:
    """Replace what would steer a terminal: control characters, line ends, changes of direction.

    Args:
        text: Any text.
        kept: Such characters that stay.
    """
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(c) and c not in kept else c for c in text)


def columns(text: str) -> int:
    """Count the columns of a text in a terminal: wide characters take two, what joins none."""
    return sum(max(map(_width, cluster)) for cluster in regex.findall(r"\X", text))


def aligned(cells: list[str], *, right: bool = False) -> Iterator[str]:
    """Fill cells up to the width of the widest."""
    width = max(map(columns, cells), default=0)
    for cell in cells:
        padding = " " * (width - columns(cell))
        yield padding + cell if right else cell + padding


def _steers(character: str) -> bool:
    return character in STEERING or category(character) in ("Cc", "Zl", "Zp")


def _width(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
