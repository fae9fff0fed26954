"""HTML pages on this machine: the project's own, and those that installed packages bring along."""

from __future__ import annotations

import sys
from pathlib import Path

OWN = sorted((Path(__file__).parent / "pages").glob("*.html"))
ROOTS = (
    Path("/usr/share/doc"),
    Path("/usr/share/gtk-doc"),
    Path(sys.prefix),
    Path(sys.base_prefix),
)
SIZES = range(2_000, 400_000)  # bytes


def pages(count: int) -> list[Path]:
    """Return the project's own pages and, spread over what is installed, others up to `count`."""
    found = sorted(
        {
            path
            for root in ROOTS
            for path in root.rglob("*.html")
            if path.is_file() and path.stat().st_size in SIZES
        }
    )
    step = max(1, len(found) // max(1, count - len(OWN)))
    return [*OWN, *found[::step]][:count]


def source(path: Path) -> str:
    return path.read_text("utf-8", errors="replace")
