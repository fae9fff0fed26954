"""process: a fragment at a time in each of several processes, by the standard library alone."""

from __future__ import annotations

import pickle
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, cast

from langchain_mchunk.dataset.engines import Lost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_mchunk.dataset.engines import Results, Work
    from langchain_mchunk.dataset.fragments import Fragment


class _Worker:
    """A pool of one process: when the process dies, it is known over which fragment."""

    def __init__(self) -> None:
        self._start()

    def submit(self, pickled: bytes, fragment: Fragment) -> Future[Any]:
        try:
            return self._pool.submit(_call, pickled, fragment)
        except BrokenProcessPool:  # it died idle
            self.restart()
            return self._pool.submit(_call, pickled, fragment)

    def restart(self) -> None:
        self.stop()
        self._start()

    def stop(self) -> None:
        self._pool.shutdown()

    def _start(self) -> None:
        # A process that is forked from one with threads, as Arrow has them, can hang.
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def run(work: Work, fragments: Sequence[Fragment], workers: int) -> Results:
    """Yield each fragment with its result; one whose worker dies is tried once more."""
    pickled = pickle.dumps(work)
    todo = deque(fragments)
    idle = [_Worker() for _ in range(min(workers, len(fragments)))]
    started = list(idle)
    running: dict[Future[Any], tuple[_Worker, Fragment]] = {}
    died: set[Fragment] = set()
    try:
        while todo or running:
            while todo and idle:
                worker, fragment = idle.pop(), todo.popleft()
                running[worker.submit(pickled, fragment)] = worker, fragment
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                worker, fragment = running.pop(future)
                idle.append(worker)
                if not isinstance(future.exception(), BrokenProcessPool):
                    yield fragment, future.result()
                    continue
                worker.restart()
                if fragment in died:
                    yield fragment, Lost()
                else:
                    died.add(fragment)
                    todo.appendleft(fragment)
    finally:
        for worker in started:
            worker.stop()


def _call(pickled: bytes, fragment: Fragment) -> Any:
    return _loaded(pickled)(fragment)


@lru_cache(maxsize=1)
def _loaded(pickled: bytes) -> Work:
    return cast("Work", pickle.loads(pickled))  # noqa: S301 - it comes from the parent
