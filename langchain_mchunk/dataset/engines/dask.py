"""dask: files as tasks of the distributed client that is there, or of a cluster started here."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from langchain_mchunk.dataset.engines import NO_START, cores
from langchain_mchunk.extras import missing

try:
    from distributed import Client, LocalCluster, as_completed, default_client
except ImportError as error:
    raise missing('engine="dask"', "distributed", "dask") from error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.dataset.engines import Results, Work
    from langchain_mchunk.dataset.fragments import Fragment


def run(work: Work, fragments: Sequence[Fragment], workers: int | None) -> Results:
    """Yield each fragment with its result."""
    with _client(min(workers or cores(), len(fragments))) as client:
        waiting = iter(fragments)
        # One fragment a thread: a worker that dies takes no others with it.
        first = islice(waiting, max(1, sum(client.nthreads().values())))
        running = {client.submit(work, fragment, pure=False): fragment for fragment in first}
        completed = as_completed(running)
        for future in completed:
            yield running.pop(future), future.result()
            for fragment in islice(waiting, 1):
                submitted = client.submit(work, fragment, pure=False)
                running[submitted] = fragment
                completed.add(submitted)


@contextmanager
def _client(workers: int) -> Iterator[Client]:
    if client := _connected():
        yield client
        return
    with _cluster(workers) as cluster, Client(cluster) as client:
        yield client


def _cluster(workers: int) -> LocalCluster:
    try:
        return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    except RuntimeError as error:
        raise RuntimeError(NO_START) from error


def _connected() -> Client | None:
    try:
        return default_client()
    except ValueError:
        return None
