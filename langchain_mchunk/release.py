"""The version that is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

NAME = "langchain-mchunk"


def installed() -> str | None:
    """Return the version of the package; `None` in a source tree."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return None
