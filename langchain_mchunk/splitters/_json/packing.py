"""Entries of a JSON document are joined while they fit; an entry that does not fit alone is opened.

A chunk is the path of its first entry, a slice of the written document, and what closes the slice.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import TYPE_CHECKING

from langchain_mchunk.splitters._json.frames import Frame, Text
from langchain_mchunk.splitters._json.scale import furthest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_mchunk.splitters._json.document import JSONText
    from langchain_mchunk.splitters._json.grammar import Strings
    from langchain_mchunk.splitters._json.scale import Scale


class Chunk:
    """A slice of the document that is being filled.

    Attributes:
        opening: The path that is written before it.
        start: Where it starts.
        end: Where it ends, up to now.
        closing: The path that has to be closed behind it.
        frame: The container of the first entry that stands whole in it; the string it starts with
            a part of before there is one.
        first: Which of its entries that is.
        depth: The depth of the deepest container that holds all entries that stand whole in it; all
            parts of strings before there are any.
    """

    __slots__ = ("_outermost", "closing", "depth", "end", "first", "frame", "opening", "start")

    def __init__(self, frame: Frame, start: int) -> None:
        self.opening = self.closing = frame.path
        self.start = self.end = start
        self.frame = frame
        self.first = frame.next
        self.depth = self._outermost = frame.path.depth

    def take(self, frame: Frame, upto: int) -> None:
        """Take the entries of `frame` up to the one at `upto`."""
        if isinstance(self.frame, Text):
            self.frame, self.first = frame, frame.next
            self._outermost = frame.path.depth
        self.depth = self._outermost
        self.end, self.closing = frame.kids.ends[upto - 1], frame.path
        frame.next = upto

    def take_part(self, text: Text) -> None:
        """Take a string up to where it is cut."""
        if isinstance(self.frame, Text):
            self.depth = self._outermost
        self.end, self.closing = text.at, text.path

    def leave(self, frame: Frame, parent: Frame) -> None:
        """Close a container: what is taken from now on has an outer one in common with the rest."""
        self._outermost = min(self._outermost, parent.path.depth)
        self.end, self.closing = frame.end, parent.path


class Packer:
    """Packs one document.

    Args:
        document: The document.
        scale: What measures its chunks.
        strings: How its strings are written.
        min_size: A chunk that is smaller is filled by opening the entry that does not fit.
    """

    def __init__(self, document: JSONText, scale: Scale, strings: Strings, min_size: int) -> None:
        self._document = document
        self._scale = scale
        self._strings = strings
        self._min_size = min_size
        self._frame: Frame | None = Frame(document)
        self._chunk: Chunk | None = None

    def chunks(self) -> Iterator[Chunk]:
        """Find the chunks, in order."""
        while self._frame is not None:
            if self._frame.done:
                self._leave(self._frame)
            elif isinstance(self._frame, Text):
                yield from self._cut(self._frame)
            else:
                yield from self._join(self._frame)
        if self._chunk is not None:
            yield self._chunk

    def _join(self, frame: Frame) -> Iterator[Chunk]:
        """Take what fits, or else do something about the next entry."""
        chunk = self._chunk or Chunk(frame, frame.kids.entries[frame.next])
        upto = self._furthest(chunk, frame)
        if upto > frame.next:
            self._chunk = chunk
            chunk.take(frame, upto)
        elif self._chunk is None:
            self._begin(chunk, frame)
        elif self._size(chunk) < self._min_size and self._fills(frame):
            self._enter(frame)
        else:
            self._chunk = None
            yield chunk

    def _furthest(self, chunk: Chunk, frame: Frame) -> int:
        """Return which entry is the first that does not fit into the chunk."""
        if frame.outsize and self._chunk is None:
            return frame.next

        def fits(upto: int) -> bool:
            end = frame.kids.ends[upto - 1]
            return self._scale.fits(chunk.opening, chunk.start, end, frame.path)

        reach = self._scale.reach(chunk.opening, chunk.start)
        guess = bisect_right(frame.kids.ends, reach, frame.next)
        return furthest(fits, frame.next, guess, len(frame.kids.ends))

    def _begin(self, chunk: Chunk, frame: Frame) -> None:
        """Open the next entry, which does not fit alone, or take it whole if that is no use."""
        if self._opens(frame):
            opened = self._enter(frame)
            # Alone under its path, an only entry is the same text as its container.
            opened.outsize = len(opened.kids.ends) == 1
        else:
            self._chunk = chunk
            chunk.take(frame, frame.next + 1)

    def _size(self, chunk: Chunk) -> int:
        return self._scale.size(chunk.opening, chunk.start, chunk.end, chunk.closing)

    def _cut(self, frame: Text) -> Iterator[Chunk]:
        """Take what fits of a string."""
        chunk = self._chunk or Chunk(frame, frame.at)
        reach = self._scale.reach(chunk.opening, chunk.start)
        if frame.advance(
            lambda end: self._scale.fits(chunk.opening, chunk.start, end, frame.path),
            reach,
            whole_words=self._chunk is not None,
        ):
            chunk.take_part(frame)
        if frame.done:
            self._chunk = chunk
        else:
            self._chunk = None
            yield chunk

    def _leave(self, frame: Frame) -> None:
        self._frame = frame.parent
        if frame.parent and self._chunk:
            self._chunk.leave(frame, frame.parent)

    def _fills(self, frame: Frame) -> bool:
        """Tell whether the next entry may be opened to fill the chunk before it."""
        entry, value, end = frame.ahead()
        if value not in self._document.ends and self._scale.fits(
            frame.path, entry, end, frame.path
        ):
            return False
        return frame.keyed and self._opens(frame)

    def _opens(self, frame: Frame) -> bool:
        """Tell whether the next entry has parts, and its path leaves room for them."""
        entry, value, end = frame.ahead()
        text = self._document.text
        parted = value in self._document.ends or (
            text[value] == '"' and len(json.loads(text[value:end])) > 1
        )
        return parted and self._scale.has_room(frame.path, text[entry:value])

    def _enter(self, frame: Frame) -> Frame:
        """Open the next entry."""
        entry, value, end = frame.ahead()
        text = self._document.text
        path = self._scale.enter(frame.path, text[entry : value + 1], text[end - 1])
        if text[value] == '"':
            opened: Frame = Text(self._document, frame, path, self._strings)
        else:
            opened = Frame(self._document, frame, path)
        frame.next += 1
        self._frame = opened
        return opened
