"""From the occurrences of a query's words to scores, and from scores to the best texts."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from langchain_mchunk.words import telling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_mchunk.index import Array, Segment
    from langchain_mchunk.words import Word

Scoring: TypeAlias = Literal["overlap", "bm25"]

K1: Final = 1.2  # how soon further occurrences of a word count less
B: Final = 0.75  # how far a long text's occurrences count less
BLOCK: Final = 256  # texts of which the best is known before all are compared


def scores(prepared: list[Word], index: Sequence[Segment], scoring: Scoring) -> Array:
    """Return the score of every text, in the order of the segments."""
    if scoring == "overlap":
        return _summed(telling(prepared), index, lambda counts, *_: counts)
    total = sum(map(len, index))
    mean = sum(int(segment.lengths.sum()) for segment in index) / max(total, 1)
    return _summed(prepared, index, partial(bm25, total=total, mean=mean))


def bm25(counts: Any, lengths: Any, holding: int, *, total: int, mean: float) -> Any:
    """Weigh the occurrences of one word in each of some texts, or in one.

    Okapi BM25: Robertson, Walker et al., "Okapi at TREC-3" (1994); Robertson and Zaragoza, "The
    Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.4. The factor k1 + 1 is
    theirs; the 1 in the inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)), keeps it
    from being negative for a word that most texts hold.

    Args:
        counts: Occurrences of the word.
        lengths: Characters of the texts, as folded.
        holding: How many texts of the corpus hold the word (n).
        total: How many texts there are (N).
        mean: Mean length of the texts.
    """
    rarity = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
    return rarity * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / mean))


def best(values: Array, k: int, least: float | None) -> list[int]:
    """Return the numbers of the k best texts, best first, the earlier first among equals.

    Args:
        values: The scores.
        k: How many at most.
        least: Leaves out what scores less; `None`: what scores 0.
    """
    bar = np.nextafter(0.0, 1.0) if least is None else least
    blocks = values[: len(values) // BLOCK * BLOCK].reshape(-1, BLOCK).max(axis=1)
    if 0 < k <= len(blocks):  # k texts score as much as the k-th best block
        bar = max(bar, np.sort(blocks)[-k])
    above = np.flatnonzero(values > bar)
    if len(above) < k:
        above = np.concatenate((above, np.flatnonzero(values == bar)[: k - len(above)]))
    ranked: list[int] = above[np.argsort(-values[above], kind="stable")][:k].tolist()
    return ranked


def _summed(
    prepared: list[Word],
    index: Sequence[Segment],
    weigh: Callable[[Array, Array, int], Array],
) -> Array:
    """Add up what each word weighs in each text, words in the order of the query."""
    total = np.zeros(sum(map(len, index)))
    for word, times in Counter(prepared).items():
        found = [segment.occurrences(word) for segment in index]
        holding = sum(len(texts) for texts, _ in found)
        start = 0
        for segment, (texts, counts) in zip(index, found, strict=True):
            part = total[start : start + len(segment)]  # a view
            part[texts] += times * weigh(counts, segment.lengths[texts], holding)
            start += len(segment)
    return total
