"""The version that is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed() -> str | None:
    """Return the version of the package; `None` in a source tree."""
    try:
        return version("langchain-mchunk")
    except PackageNotFoundError:
        return None
