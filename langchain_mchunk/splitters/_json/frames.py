"""What is open while a JSON document is packed: containers, and a string that is cut."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from langchain_mchunk.boundaries import WORD, Pattern, grapheme_floor
from langchain_mchunk.splitters._json.document import JSONText, Kids
from langchain_mchunk.splitters._json.grammar import escape_surrogates
from langchain_mchunk.splitters._json.scale import NOWHERE, Path, furthest

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_mchunk.splitters._json.grammar import Strings


class Frame:
    """A container whose entries are being packed; around the root one that holds only it.

    Attributes:
        parent: The frame that it is an entry of.
        document: The document.
        path: What stands around its entries.
        entry: Where its own entry starts.
        start: Where it starts itself.
        end: Where it ends.
        place: Which entry of its parent it is.
        name: Its key or place, as a path shows it.
        kids: Its entries.
        next: Which of them is to be packed next.
        outsize: Whether it has one entry only, which is known not to fit alone.
    """

    __slots__ = (
        "document",
        "end",
        "entry",
        "kids",
        "name",
        "next",
        "outsize",
        "parent",
        "path",
        "place",
        "start",
    )

    def __init__(
        self, document: JSONText, parent: Frame | None = None, path: Path = NOWHERE
    ) -> None:
        self.document = document
        self.parent = parent
        self.path = path
        self.entry, self.start, self.end = parent.ahead() if parent else (0, -1, len(document.text))
        self.place: int = parent.next if parent else 0
        self.name = parent.title(self.place) if parent else ""
        self.kids = self._find_kids()
        self.next: int = 0
        self.outsize = False

    def _find_kids(self) -> Kids:
        return self.document.kids(self.start) if self.parent else Kids([0], [0], [self.end])

    @property
    def done(self) -> bool:
        """Whether all entries are packed."""
        return self.next == len(self.kids.ends)

    @property
    def keyed(self) -> bool:
        """Whether the entries have keys."""
        return self.document.text.startswith("{", max(self.start, 0))

    def ahead(self) -> tuple[int, int, int]:
        """Return where the next entry starts, its value starts, and it ends."""
        return self.kids.entries[self.next], self.kids.values[self.next], self.kids.ends[self.next]

    def title(self, place: int) -> str:
        """Return the key or place of an entry, as a path shows it."""
        entry, value = self.kids.entries[place], self.kids.values[place]
        if entry == value or self.start in self.document.lists:
            return f"[{place}]"
        key = json.loads(self.document.text[entry : value - len(": ")])
        return escape_surrogates(key) if key.strip() else f'"{key}"'


class Text(Frame):
    """A string that is cut at word ends.

    Attributes:
        at: Where its rest starts in the document.
    """

    __slots__ = ("_index", "_letters", "_strings", "_words", "at")

    def __init__(self, document: JSONText, parent: Frame, path: Path, strings: Strings) -> None:
        super().__init__(document, parent, path)
        self.at = self.start + 1
        self._strings = strings
        self._index = 0
        self._letters: str = json.loads(document.text[self.start : self.end])
        self._words = Pattern(WORD, self._letters)

    def _find_kids(self) -> Kids:
        return Kids([], [], [])

    @property
    def done(self) -> bool:
        """Whether the string is packed."""
        return self._index == len(self._letters)

    def advance(self, fits: Callable[[int], bool], reach: int, *, whole_words: bool) -> bool:
        """Go on to the furthest place in the document that fits; tell whether there is one.

        Args:
            fits: Tells whether the chunk that ends at a place does.
            reach: Where to look first.
            whole_words: A word is not cut; otherwise one character is always taken.
        """
        guess = min(self._index + max(reach - self.at, 1), len(self._letters))
        index = furthest(
            lambda index: fits(self._place(index)), self._index, guess, len(self._letters)
        )
        while index > self._index:
            index = self._word_end(index) or self._inside_word(index, whole_words=whole_words)
            if index <= self._index + 1 or fits(self._place(index)):
                break
            index -= 1
        if index == self._index and not whole_words:
            index += 1
        self.at, moved = self._place(index), index > self._index
        self._index = index
        return moved

    def _place(self, index: int) -> int:
        """Return where a letter stands in the document."""
        return self.at + len(self._strings.encode(self._letters[self._index : index])) - len('""')

    def _word_end(self, high: int) -> int | None:
        """Return the last word end up to `high`."""
        if high == len(self._letters) or self._letters[high].isspace():
            return high
        end = self._words.last(self._index + 1, high)
        return None if end is None or self._letters[self._index : end].isspace() else end

    def _inside_word(self, high: int, *, whole_words: bool) -> int:
        if whole_words:
            return self._index
        return grapheme_floor(self._letters, self._index, high) or high
