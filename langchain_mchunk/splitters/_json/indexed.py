"""Lists written as objects keyed by index: those with an item that does not fit alone, or all."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from langchain_mchunk.splitters._json.document import JSONText
from langchain_mchunk.splitters._json.scale import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from langchain_mchunk.splitters._json.scale import Scale


def lists(document: JSONText) -> set[int]:
    """Return the offsets of all lists that are not empty."""
    return {start for start in document.ends if document.text[start] == "["}


def lists_too_large(document: JSONText, scale: Scale) -> set[int]:
    """Return the offsets of the lists with an item that does not fit alone.

    Decided from the root down: how a list is written is part of the path of its items.
    """
    text, ends = document.text, document.ends
    found: set[int] = set()
    opened = [(0, NOWHERE, "")] if ends and not scale.fits_alone(NOWHERE, 0, ends[0]) else []
    while opened:
        start, around, key = opened.pop()
        kids = document.kids(start)
        lone = (
            len(kids.ends) == 1
        )  # the same text as the container, under its path: it does not fit
        if text[start] == "[":
            path = scale.enter(around, key + "[", "]")
            items = zip(kids.values, kids.ends, strict=True)
            if not lone and all(scale.fits_alone(path, *item) for item in items):
                continue
            found.add(start)
        path = scale.enter(around, key + "{", "}")
        for place, (entry, value, end) in enumerate(zip(*kids, strict=True)):
            if value in ends:
                key = f'"{place}": ' if start in found else text[entry:value]
                inside = scale.enter(path, key, "")
                if not lone and scale.fits_alone(inside, value, end):
                    continue
                if scale.has_room(path, key):
                    opened.append((value, path, key))
    return found


def with_keys(document: JSONText, chosen: AbstractSet[int]) -> JSONText:
    """Write the lists at the chosen offsets as objects."""
    edits: list[tuple[int, int, str]] = []  # where, how many characters go, what comes
    for start in chosen:
        entries = document.kids(start).entries
        edits += [(start, 1, "{"), (document.ends[start] - 1, 1, "}")]
        edits += [(entry, 0, f'"{place}": ') for place, entry in enumerate(entries)]
    edits.sort()
    parts, at = [], 0
    for offset, gone, new in edits:
        parts += [document.text[at:offset], new]
        at = offset + gone
    parts.append(document.text[at:])
    places = [(offset, gone) for offset, gone, _ in edits]
    shifts = list(accumulate((len(new) - gone for _, gone, new in edits), initial=0))
    moved = {start: start + shifts[bisect_left(places, (start, 1))] for start in document.ends}
    ends = {
        moved[start]: end + shifts[bisect_left(places, (end, 0))]
        for start, end in document.ends.items()
    }
    return JSONText("".join(parts), ends, frozenset(moved[start] for start in chosen))
