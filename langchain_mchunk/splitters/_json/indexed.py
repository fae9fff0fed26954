"""Which lists are written as objects keyed by index: those with an item that does not fit alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_mchunk.splitters._json.scale import NOWHERE

if TYPE_CHECKING:
    from langchain_mchunk.splitters._json.document import Document
    from langchain_mchunk.splitters._json.scale import Path, Scale


def indexed_lists(document: Document, scale: Scale) -> set[int]:
    """Return these lists, counted among all containers in the order of their openers.

    Decided from the root down: how a list is written is part of the path of its items.
    """
    found = _search(document, scale)
    return {order for order, start in enumerate(document.ends) if start in found} if found else found


def _search(document: Document, scale: Scale) -> set[int]:
    text, ends = document.text, document.ends
    found: set[int] = set()
    opened = [(0, NOWHERE, "")] if ends and not scale.fits_alone(NOWHERE, 0, ends[0]) else []
    while opened:
        start, around, key = opened.pop()
        kids = document.kids(start)
        if text[start] == "[":
            path = scale.enter(around, key + "[", "]")
            if all(scale.fits_alone(path, *item) for item in zip(kids.values, kids.ends, strict=True)):
                continue
            found.add(start)
        path = scale.enter(around, key + "{", "}")
        for place, (entry, value, end) in enumerate(zip(*kids, strict=True)):
            if value in ends:
                key = f'"{place}": ' if start in found else text[entry:value]
                inside = scale.enter(path, key, "")
                if not scale.fits_alone(inside, value, end) and scale.has_room(path, key):
                    opened.append((value, path, key))
    return found
