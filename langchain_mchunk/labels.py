"""What a chunk is called: a heading or a line, on one line and short; paths of headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LABEL_LENGTH: Final = 80  # characters
PATH_SEPARATOR: Final = " > "


def text_of(metadata: Mapping[str, Any], key: str) -> str:
    """Return what a parent's metadata say under a key, if that is a text."""
    value = metadata.get(key)
    return value if isinstance(value, str) else ""


def shorten(label: str) -> str:
    """Collapse white space and cut a label to 80 characters."""
    if not label.isprintable() or "  " in label:  # printable: no white space but the space itself
        label = " ".join(label[: 4 * LABEL_LENGTH].split())
    return label.strip()[:LABEL_LENGTH].rstrip()


def first_line(text: str) -> str:
    """Return the first non-blank line of a text as a label, or `""`."""
    head = text[:LABEL_LENGTH].lstrip() or text.lstrip()
    if len(head) < LABEL_LENGTH:
        head = text[: 8 * LABEL_LENGTH].lstrip()
    return shorten(head.partition("\n")[0].partition("\r")[0])
