"""An index of texts: their distinct words as one array of characters, and where each word stands.

A query word lies inside a word of the vocabulary wherever it occurs, since both are runs of the
same characters and the latter is maximal. So it is looked for in the vocabulary, and the postings
of the words that hold it are added up: the same counts as a scan of the texts gives.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import compress, count
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias

import numpy as np

from langchain_mchunk.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from langchain_mchunk.words import Word

Array: TypeAlias = "NDArray[Any]"

BATCH: Final = 16_000_000  # characters; bounds what building holds beside the result
LONG: Final = 64  # code units of a word; comparing longer ones unit by unit could be quadratic
_PAIRS: Final = 1 << 16  # keys of two neighbouring units: 16 bits are sorted in linear time
_GAP: Final = "\n"  # between words, in none


@dataclass(frozen=True, eq=False)
class Segment:
    """The index of some texts, which are numbered from 0. It never changes."""

    vocabulary: Array  # uint16: UTF-16 code units of the words, a line end before and behind each
    first: Array  # int64: the postings of word i are first[i]:first[i + 1]
    texts: Array  # of each posting, the text it stands in; rising within a word
    counts: Array  # of each posting, how often the word stands there
    lengths: Array  # of each text, its characters

    @classmethod
    def of(cls, folded: Iterable[str]) -> Segment:
        """Index folded texts."""
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        found, sizes, lengths = array("I"), array("I"), array("I")
        for text in folded:
            run = words(text)
            found.extend(map(numbers.__getitem__, run))
            sizes.append(len(run))
            lengths.append(len(text))
        texts = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
        keys = np.array(found, dtype=np.uint64) << np.uint64(32) | texts
        keys, counts = np.unique(keys, return_counts=True)
        return cls(
            vocabulary=_joined(numbers),
            first=_offsets(
                np.bincount((keys >> np.uint64(32)).astype(np.intp), minlength=len(numbers))
            ),
            texts=keys.astype(np.uint32),  # the low half
            counts=_smallest(counts),
            lengths=np.array(lengths, dtype=np.uint32),
        )

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.lengths)

    def words(self) -> list[str]:
        """Return the vocabulary."""
        return self.vocabulary.tobytes().decode("utf-16-le").split(_GAP)[1:-1]

    def holds(self, run: str) -> bool:
        """Tell whether `run`, folded and of word characters, stands in any text."""
        return len(self._places(_units(run))) > 0

    def occurrences(self, word: Word) -> tuple[Array, Array]:
        """Return the texts that hold `word`, rising, and the `Word.count` of each."""
        units = _units(f"{_GAP}{word.text}{_GAP}" if word.whole else word.text)
        places = self._places(units).astype(self._gaps.dtype)  # another type would copy the gaps
        owners = np.searchsorted(self._gaps, places, side="right") - 1
        owners, times = np.unique(owners, return_counts=True)
        starts, sizes = self.first[owners], self.first[owners + 1] - self.first[owners]
        if len(owners) <= 1:  # nothing to add up
            only = slice(starts.sum(), starts.sum() + sizes.sum())
            return self.texts[only], self.counts[only] * times.sum()
        postings = _ranges(starts, sizes)
        counts = self.counts[postings] * np.repeat(times, sizes)
        totals = np.bincount(self.texts[postings], counts, minlength=len(self))
        texts = np.flatnonzero(totals > 0)  # of truth values: several times as fast
        return texts, totals[texts]

    def only(self, kept: Array) -> Segment:
        """Return the index of the texts for which `kept` is true, numbered anew."""
        postings = kept[self.texts]
        first = _offsets(postings)[self.first]
        used = np.diff(first) > 0
        return Segment(
            vocabulary=_joined(compress(self.words(), used.tolist())),
            first=np.append(first[:-1][used], first[-1]),
            texts=(np.cumsum(kept, dtype=np.uint32) - np.uint32(1))[self.texts[postings]],
            counts=self.counts[postings],
            lengths=self.lengths[kept],
        )

    @cached_property
    def _gaps(self) -> Array:
        """Where the line end before each word is, and the last one."""
        return _smallest(np.flatnonzero(self.vocabulary == ord(_GAP)))

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        """Where pairs of neighbouring units stand: key i at places[first[i]:first[i + 1]]."""
        keys = _pair_keys(self.vocabulary)
        places = np.argsort(keys, kind="stable")
        return _offsets(np.bincount(keys, minlength=_PAIRS)), _smallest(places)

    def _places(self, units: Array) -> Array:
        """Return where `units` stands in the vocabulary, without overlaps."""
        if len(units) == 1:
            return np.flatnonzero(self.vocabulary == units[0])
        if len(units) > LONG:
            return self._scanned(units)
        first, all_places = self._pairs
        keys = _pair_keys(units).astype(np.intp)
        rarest = np.argmin(first[keys + 1] - first[keys])
        places = all_places[first[keys[rarest]] : first[keys[rarest] + 1]].astype(np.int64) - rarest
        places = places[(places >= 0) & (places <= len(self.vocabulary) - len(units))]
        for i, unit in enumerate(units):
            places = places[self.vocabulary[places + i] == unit]
        overlapping = np.diff(places).min(initial=len(units)) < len(units)
        return self._scanned(units) if overlapping else places

    def _scanned(self, units: Array) -> Array:
        """Find the places one after the other, in linear time however `units` repeats itself."""
        vocabulary, wanted = self.vocabulary.tobytes(), units.tobytes()
        places = []
        at = vocabulary.find(wanted)
        while at >= 0:
            aligned = at % units.itemsize == 0
            if aligned:
                places.append(at // units.itemsize)
            at = vocabulary.find(wanted, at + (len(wanted) if aligned else 1))
        return np.array(places, np.int64)


def batches(folded: Iterable[str]) -> Iterator[Segment]:
    """Index folded texts in batches, so that building needs little memory beside the result."""
    batch: list[str] = []
    size = 0
    for text in folded:
        batch.append(text)
        size += len(text)
        if size >= BATCH:
            yield Segment.of(batch)
            batch, size = [], 0
    if batch:
        yield Segment.of(batch)


def merged(parts: Sequence[Segment]) -> Segment:
    """Join indexes into one, as if their texts had been indexed together; linear in their size."""
    if len(parts) == 1:
        return parts[0]
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    renumbered = [np.array([*map(numbers.__getitem__, part.words())], np.intp) for part in parts]
    totals = np.zeros(len(numbers), np.int64)
    for part, owners in zip(parts, renumbered, strict=True):
        totals[owners] += np.diff(part.first)
    first = _offsets(totals)
    texts = np.empty(first[-1], np.uint32)
    counts = np.empty(first[-1], np.result_type(*(part.counts for part in parts)))
    free, base = first[:-1].copy(), 0  # where the next postings of each word go
    for part, owners in zip(parts, renumbered, strict=True):
        sizes = np.diff(part.first)
        places = _ranges(free[owners], sizes)
        texts[places] = part.texts + np.uint32(base)
        counts[places] = part.counts
        free[owners] += sizes
        base += len(part)
    lengths = np.concatenate([part.lengths for part in parts])
    return Segment(_joined(numbers), first, texts, counts, lengths)


def write(parts: Sequence[Segment], file: BinaryIO) -> None:
    """Write indexes as the arrays of one `.npz` file, `0.vocabulary`, `0.first` and so on."""
    np.savez(
        file,
        **{
            f"{number}.{field.name}": getattr(part, field.name)
            for number, part in enumerate(parts)
            for field in fields(part)
        },
    )


def read(path: Path) -> list[Segment]:
    """Read the indexes that `write` wrote."""
    names = [field.name for field in fields(Segment)]
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return [
            Segment(*(arrays[f"{number}.{name}"] for name in names))
            for number in range(len(arrays) // len(names))
        ]


def _units(text: str) -> Array:
    """Return the UTF-16 code units of a text: texts are found in each other as their units are."""
    return np.frombuffer(text.encode("utf-16-le"), "<u2")


def _joined(vocabulary: Iterable[str]) -> Array:
    return _units(_GAP.join(["", *vocabulary, ""]))


def _offsets(sizes: Array) -> Array:
    """Return where each of consecutive ranges begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _ranges(starts: Array, sizes: Array) -> Array:
    """Return the numbers of all ranges, one after the other."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - ends + sizes, sizes) + np.arange(sizes.sum())


def _smallest(values: Array) -> Array:
    """Return non-negative integers in the smallest type that holds them."""
    return values.astype(np.min_scalar_type(values.max(initial=0)))


def _pair_keys(units: Array) -> Array:
    return (units[:-1] << np.uint16(8)) + units[1:]
