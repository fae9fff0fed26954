"""What is said when an optional dependency is not installed."""

from __future__ import annotations


def missing(what: str, package: str, extra: str) -> ImportError:
    """Return the error that names the package and the pip line."""
    return ImportError(f'{what} needs {package}: pip install "langchain-mchunk[{extra}]"')
