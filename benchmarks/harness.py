"""Times callables in interleaved rounds and gives median ratios: what holds on a noisy machine."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable
from pydoc_data.topics import topics
from typing import NamedTuple

Work = Callable[[], object]


class Row(NamedTuple):
    """One line of a report."""

    what: str
    value: str


def seconds(work: Work) -> float:
    """Return the processor time of one call: other processes do not count."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def ratio(peer: Work, ours: Work, rounds: int = 7) -> float:
    """Return how many times as fast `ours` is as `peer`: the median over interleaved rounds."""
    peer(), ours()
    return statistics.median(seconds(peer) / seconds(ours) for _ in range(rounds))


def faster(what: str, peer: Work, ours: Work, rounds: int = 7) -> Row:
    return Row(what, f"{ratio(peer, ours, rounds):.1f} times as fast")


def growth(what: str, work: Callable[[str], object], text: str, sizes: tuple[int, ...]) -> Row:
    """Report the time of each size (in MB of characters) as a multiple of the one before."""
    spent = [seconds(lambda size=size: work(repeated(text, size))) for size in sizes]
    steps = [f"{b / a:.1f}" for a, b in zip(spent, spent[1:], strict=False)]
    return Row(f"{what}: time over {', '.join(map(str, sizes))} MB", f"x {', x '.join(steps)}")


def memory(what: str, work: Callable[[str], object], text: str) -> Row:
    """Report the peak of what `work` allocates, as a multiple of the text's own size."""
    tracemalloc.start()
    work(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Row(f"{what}: peak memory", f"{peak / len(text):.1f} times the text")


def repeated(text: str, megabytes: int) -> str:
    wanted = megabytes * 1_000_000
    return (text * (wanted // len(text) + 1))[:wanted]


def long_paragraphs() -> str:
    """About 0.4 MB of English prose, a long paragraph a topic."""
    return "\n\n".join(" ".join(text.split()) for text in topics.values())


def light_markup() -> str:
    """The same topics as they are: short paragraphs, lists, indented code."""
    return "\n\n".join(topics.values())
