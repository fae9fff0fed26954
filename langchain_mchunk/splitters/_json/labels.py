"""Chunks of a JSON document are named by paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_mchunk.labels import PATH_SEPARATOR
from langchain_mchunk.splitters._json.frames import Frame, Text
from langchain_mchunk.splitters.base import Piece

if TYPE_CHECKING:
    from langchain_mchunk.splitters._json.packing import Chunk


def piece(chunk: Chunk) -> Piece:
    """Write a chunk and name it.

    The label is the path of the first value that stands whole in it, or of the string that it is a
    part of; the headings are the path of the deepest container that holds all those values.
    """
    document = chunk.frame.document
    text = (
        chunk.opening.opening() + document.text[chunk.start : chunk.end] + chunk.closing.closing()
    )
    frame, place = _first_whole(chunk)
    if frame.parent is None:
        return Piece(text, label=_first_title(frame) or text)
    names = _names(frame)
    depth = min(chunk.depth, frame.path.depth)
    return Piece(
        text, tuple(names[: depth - 1]), label=PATH_SEPARATOR.join([*names, frame.title(place)])
    )


def _first_whole(chunk: Chunk) -> tuple[Frame, int]:
    """Go out from the first entry to the largest value that starts with it and stands whole too."""
    frame, place = chunk.frame, chunk.first
    if isinstance(frame, Text) and frame.parent:
        return frame.parent, frame.place
    while frame.parent and place == 0 and chunk.end >= frame.end:
        frame, place = frame.parent, frame.place
    return frame, place


def _names(frame: Frame) -> list[str]:
    """Return the keys and places from the root to a container."""
    names = []
    while frame.parent and frame.parent.parent:
        names.append(frame.name)
        frame = frame.parent
    return names[::-1]


def _first_title(whole: Frame) -> str:
    """Return the key or place of the first entry of the document."""
    if not whole.document.ends:
        return ""
    whole.next = 0
    return Frame(whole.document, whole).title(0)
