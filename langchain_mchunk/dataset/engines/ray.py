"""ray: fragments as tasks of Ray Data, on the cluster that is there or one started here."""

from __future__ import annotations

import copy
import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from langchain_mchunk.dataset.engines import Lost
from langchain_mchunk.extras import missing

try:
    import pyarrow as pa
    import ray
    from ray.data import DataContext, TaskPoolStrategy
except ImportError as error:
    raise missing('engine="ray"', "Ray Data", "ray") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from langchain_mchunk.dataset.engines import Results, Work
    from langchain_mchunk.dataset.fragments import Fragment

STORE: Final = 100_000_000  # bytes of shared memory of a cluster started here: only counts pass it


def run(work: Work, fragments: Sequence[Fragment], workers: int) -> Results:
    """Yield each fragment with its result; one whose worker dies is tried once more."""
    with _cluster(workers), _quiet():
        numbers = ray.data.range(len(fragments), override_num_blocks=len(fragments))
        # Tasks, not actors: actors hold their cores, so that on few of them nothing could be read.
        results = numbers.map_batches(
            _numbered(work, fragments),
            batch_size=1,
            batch_format="pyarrow",
            compute=TaskPoolStrategy(size=workers),
            max_retries=1,
        )
        left = dict(enumerate(fragments))
        for row in results.iter_rows():
            result = pickle.loads(row["result"])  # noqa: S301 - it comes from our own workers
            if isinstance(result, BaseException):
                raise result
            yield left.pop(row["id"]), result
        for fragment in left.values():
            yield fragment, Lost()


def _numbered(work: Work, fragments: Sequence[Fragment]) -> Callable[[pa.Table], pa.Table]:
    def call(batch: pa.Table) -> pa.Table:
        (number,) = batch["id"].to_pylist()
        try:
            result: Any = work(fragments[number])
        except Exception as error:  # as a value: raised, it would count as the death of a worker
            result = error
        return pa.table({"id": [number], "result": [pickle.dumps(result)]})

    return call


@contextmanager
def _cluster(workers: int) -> Iterator[None]:
    if ray.is_initialized():
        yield
        return
    ray.init(
        num_cpus=workers,
        object_store_memory=STORE,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Ray Data go on when a task is lost, and show no bars of its own."""
    before = DataContext.get_current()
    context = copy.deepcopy(before)
    context.enable_progress_bars = False
    context.max_errored_blocks = -1  # no limit
    DataContext._set_current(context)  # noqa: SLF001 - there is no public way back
    try:
        yield
    finally:
        DataContext._set_current(before)  # noqa: SLF001
