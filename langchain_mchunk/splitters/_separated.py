"""What recursive and character have in common: given separators, and merging between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from langchain_mchunk.merging import CharacterMerger, Merger, SliceMerger
from langchain_mchunk.spans import BOM, NOTHING
from langchain_mchunk.splitters.base import SpanSplitter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_mchunk.breaks import Keep
    from langchain_mchunk.options import KeepSeparator
    from langchain_mchunk.separators import Separator
    from langchain_mchunk.spans import SpanFields

_KEEP: Final[dict[KeepSeparator, Keep]] = {
    True: "start",
    "start": "start",
    "end": "end",
    False: None,
}


class SeparatedSplitter(SpanSplitter):
    """The base of strategies that cut a text at separators, in the order they are given."""

    def __init__(self, separators: Sequence[Separator], **options: Any) -> None:
        super().__init__(**options)
        self._separators = separators

    @override
    def spans(self, text: str) -> Iterator[SpanFields]:
        start = len(BOM) if self._strip_whitespace and text.startswith(BOM) else 0
        for low, high in self._merger(text).merge(start, len(text)):
            yield low, high, (), NOTHING

    def _merger(self, text: str) -> Merger:
        keep = _KEEP[self._keep_separator]
        laid = [separator.lay(text, keep) for separator in self._separators]
        if keep and self._length_function is len:
            return CharacterMerger(laid, size=self._chunk_size, overlap=self._chunk_overlap)
        return SliceMerger(
            text,
            self.ruler(text),
            laid,
            size=self._chunk_size,
            overlap=self._chunk_overlap,
            strip=self._strip_whitespace,
        )
