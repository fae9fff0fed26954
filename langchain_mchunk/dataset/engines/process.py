"""process: a file at a time in each of several processes, by the standard library alone."""

from __future__ import annotations

import os
import pickle
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Final, cast

from langchain_mchunk.dataset.engines import NO_START, cores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_mchunk.dataset.engines import Results, Work
    from langchain_mchunk.dataset.fragments import Fragment
    from langchain_mchunk.dataset.manifest import Done

DEATHS: Final = 2  # a third one is not of the documents: the worker cannot even start


def run(work: Work, fragments: Sequence[Fragment], workers: int | None) -> Results:
    """Yield each fragment with its result."""
    pickled = _pickled(work)
    todo = deque(fragments)
    idle = [_Worker() for _ in range(min(workers or cores(), len(fragments)))]
    started = tuple(idle)
    running: dict[Future[Done], tuple[_Worker, Fragment]] = {}
    deaths: Counter[Fragment] = Counter()
    try:
        while todo or running:
            while todo and idle:
                worker, fragment = idle.pop(), todo.popleft()
                running[worker.submit(pickled, fragment)] = worker, fragment
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                worker, fragment = running.pop(future)
                idle.append(worker)
                dead = isinstance(future.exception(), BrokenProcessPool)
                deaths[fragment] += dead
                if dead and deaths[fragment] <= DEATHS:
                    todo.appendleft(fragment)
                else:
                    yield fragment, _result(future)
    except BaseException:  # nothing that is still running will be asked for
        for worker in started:
            worker.kill()
        raise
    finally:
        for worker in started:
            worker.stop()


def _result(future: Future[Done]) -> Done:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise RuntimeError(NO_START) from error


class _Worker:
    """A pool of one process: when the process dies, it is known over which fragment."""

    def __init__(self) -> None:
        self._start()

    def submit(self, pickled: bytes, fragment: Fragment) -> Future[Done]:
        """Call the pickled function with a fragment, in a new process if the last one is dead."""
        try:
            return self._pool.submit(_call, pickled, fragment)
        except BrokenProcessPool:
            self.stop()
            self._start()
            return self._pool.submit(_call, pickled, fragment)

    def kill(self) -> None:
        """End the process at once."""
        # Only from Python 3.14 on has a pool a public way to do it.
        for process in list((self._pool._processes or {}).values()):  # noqa: SLF001
            process.kill()

    def stop(self) -> None:
        """Wait until the process has ended."""
        self._pool.shutdown()

    def _start(self) -> None:
        # Not forked: a copy of a process with threads, and Arrow has threads, can hang.
        context = get_context("spawn")
        self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_follow_parent)


def _follow_parent() -> None:
    """Let this process end when its parent does, in whatever way."""

    def follow() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    Thread(target=follow, daemon=True).start()


def _pickled(work: Work) -> bytes:
    try:
        return pickle.dumps(work)
    except Exception as error:
        raise TypeError(
            f"splitter must pickle, as worker processes need it, but: {error}: "
            "use functions of a module, no lambdas"
        ) from error


def _call(pickled: bytes, fragment: Fragment) -> Done:
    return _loaded(pickled)(fragment)


@lru_cache(maxsize=1)
def _loaded(pickled: bytes) -> Work:
    try:
        return cast("Work", pickle.loads(pickled))  # noqa: S301 - it comes from the parent
    except (AttributeError, ImportError) as error:
        raise TypeError(
            f"a worker process cannot load the splitter ({error}): "
            "define its classes and functions in a file that Python can import"
        ) from error
