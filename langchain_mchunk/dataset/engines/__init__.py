"""The engines, one module each: how a function is mapped over the files of a dataset.

An engine is `run(work, fragments, workers)`: it yields each fragment, in any order, with what
`work` made of it. An error that `work` raises is raised there; if a worker dies, its fragment is
tried again. `workers` is how many fragments are worked on at a time, or `None` for one a core.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from langchain_mchunk.dataset.fragments import Fragment
    from langchain_mchunk.dataset.manifest import Done

    Work: TypeAlias = Callable[[Fragment], Done]
    Results: TypeAlias = Iterator[tuple[Fragment, Done]]
    Engine: TypeAlias = Callable[[Work, Sequence[Fragment], int | None], Results]

NO_START: Final = (
    "worker processes die before they begin: call split_dataset in a file that Python can import, "
    'under if __name__ == "__main__":'
)
ENGINES: Final = ("process", "ray", "dask")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load(name: str) -> Engine:
    """Load an engine.

    Raises:
        ImportError: It is not installed; the message is the pip line.
    """
    return cast("Engine", import_module(f"{__name__}.{name}").run)
