"""The engines that a dataset is split by, one module each: how a function is mapped over fragments.

An engine is `run(work, fragments, workers)`: it yields, in any order, each fragment with what `work`
made of it, or with `Lost` if its worker died twice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from langchain_mchunk.dataset.fragments import Fragment
    from langchain_mchunk.dataset.manifest import Done

ENGINES: Final = ("process", "ray", "dask")


class Lost(NamedTuple):
    """Why nothing came back."""

    reason: str = "the worker died twice: it may have run out of memory"


Work: TypeAlias = "Callable[[Fragment], Done]"
Results: TypeAlias = "Iterator[tuple[Fragment, Done | Lost]]"


class Engine(Protocol):
    """Maps `work` over fragments; an error that `work` raises is raised here."""

    def __call__(self, work: Work, fragments: Sequence[Fragment], workers: int) -> Results:
        """Yield each fragment with its result as it is finished."""


def load(name: str) -> Engine:
    """Load an engine.

    Raises:
        ImportError: It is not installed; the message is the pip line.
    """
    return cast("Engine", import_module(f"{__name__}.{name}").run)
