"""dask: fragments as tasks of the distributed client that is there, or of a cluster started here."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from langchain_mchunk.dataset.engines import Lost
from langchain_mchunk.extras import missing

try:
    import dask
    from distributed import Client, LocalCluster, as_completed, default_client
    from distributed.scheduler import KilledWorker
except ImportError as error:
    raise missing('engine="dask"', "dask.distributed", "dask") from error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.dataset.engines import Results, Work
    from langchain_mchunk.dataset.fragments import Fragment


def run(work: Work, fragments: Sequence[Fragment], workers: int) -> Results:
    """Yield each fragment with its result; how often one is tried again is the cluster's rule."""
    with _client(min(workers, len(fragments))) as client:
        waiting = iter(fragments)
        # One fragment a thread: a worker that dies takes no others with it.
        first = islice(waiting, max(1, sum(client.nthreads().values())))
        running = {client.submit(work, fragment, pure=False): fragment for fragment in first}
        completed = as_completed(running)
        for future in completed:
            fragment = running.pop(future)
            for following in islice(waiting, 1):
                submitted = client.submit(work, following, pure=False)
                running[submitted] = following
                completed.add(submitted)
            lost = isinstance(future.exception(), KilledWorker)
            yield fragment, Lost() if lost else future.result()


@contextmanager
def _client(workers: int) -> Iterator[Client]:
    try:
        client = default_client()
    except ValueError:
        client = None
    if client is not None:
        yield client
        return
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client
