"""ray: files as tasks of Ray Data, on the cluster that is connected or one started here."""

from __future__ import annotations

import logging
import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from langchain_mchunk.dataset.engines import cores
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


def run(work: Work, fragments: Sequence[Fragment], workers: int | None) -> Results:
    """Yield each fragment with its result."""
    with _cluster(workers or cores()), _quiet():
        # Items are there from the start; a range would be made by tasks that take cores as well.
        numbers = [{"id": number} for number in range(len(fragments))]
        blocks = ray.data.from_items(numbers, override_num_blocks=len(numbers))
        # Tasks, not actors: actors keep their cores, so that on few of them nothing would be read.
        results = blocks.map_batches(
            _numbered(work, fragments),
            batch_size=1,
            batch_format="pyarrow",
            compute=TaskPoolStrategy(size=workers and min(workers, len(fragments))),
        )
        for row in results.iter_rows():
            result = pickle.loads(row["result"])  # noqa: S301 - it comes from our own workers
            if isinstance(result, Exception):
                raise result
            yield fragments[row["id"]], result


def _numbered(work: Work, fragments: Sequence[Fragment]) -> Callable[[pa.Table], pa.Table]:
    def call(batch: pa.Table) -> pa.Table:
        (number,) = batch["id"].to_pylist()
        try:
            result: Any = work(fragments[number])
        except Exception as error:  # noqa: BLE001 - raised, it would come wrapped into Ray's own
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
        logging_level=logging.ERROR,
    )
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave it to the progress bar of the dataset to say what is going on."""
    context, logger = DataContext.get_current(), logging.getLogger("ray.data")
    bars, level = context.enable_progress_bars, logger.level
    context.enable_progress_bars = False
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        context.enable_progress_bars = bars
        logger.setLevel(level)
