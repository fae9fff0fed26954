"""What a reader of a page sees, as text, and where its headings, units and matches lie in it.

The text follows the WHATWG's `innerText`
(https://html.spec.whatwg.org/multipage/dom.html#the-innertext-idl-attribute) but for what would not
serve a reader: a `<br>` at the end of a block adds no line, nor do blocks at the edges of a table
cell; a closed `<details>` is shown, what is `aria-hidden` is not; style sheets are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from langchain_mchunk.spans import BOM
from langchain_mchunk.splitters._html_lines import Lines, collapse
from langchain_mchunk.splitters._html_names import BLOCKS, CELLS, HEADINGS, ROWS, UNSEEN, VERBATIM
from langchain_mchunk.splitters._html_nesting import flattened
from langchain_mchunk.splitters._html_tags import expanded, uncrowded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborNode

_Step: TypeAlias = Callable[[Lines], None]

UNITS: Final = VERBATIM | {"li", "tr"}  # not cut if they fit
_NOTED: Final = UNITS.union(HEADINGS)

_HIDDEN: Final = (
    '[hidden],[popover],[aria-hidden="true" i],dialog:not([open]),'
    "svg desc,svg metadata,svg defs,svg symbol"
)
_STYLED: Final = '[style*="display" i],[style*="visibility" i]'
# How an element begins and ends; all others are inline.
_STEPS: Final[dict[str | None, tuple[_Step, _Step | None]]] = {
    **dict.fromkeys(BLOCKS, (Lines.block, Lines.block)),
    "p": (Lines.paragraph, Lines.paragraph),
    "br": (Lines.line_break, None),
    **dict.fromkeys(VERBATIM, (Lines.verbatim, Lines.end_verbatim)),
    **dict.fromkeys(ROWS, (Lines.row, Lines.block)),
    **dict.fromkeys(CELLS, (Lines.cell, Lines.end_cell)),
}
_NO_STEPS: Final = (None, None)

_NAMES: Final = ("aria-label", "title", "id")

_SURROGATE = re.compile("[\ud800-\udfff]")


class Match(NamedTuple):
    """What a selector finds out: the metadata key, and the title that the attributes give."""

    key: str
    name: str


class Mark:
    """A heading, unit or match: its range of the text, and how many marks begin before it ends."""

    __slots__ = ("end", "last", "match", "start", "tag")

    def __init__(self, tag: str, start: int, match: Match | None = None) -> None:
        self.tag = tag
        self.start = start
        self.match = match
        self.end = self.last = 0


class Page(NamedTuple):
    """Visible text, the marks in it, and each node of text with the offset where it may begin."""

    text: str
    marks: list[Mark]
    nodes: list[tuple[int, LexborNode]]


def read(html: str, selectors: Iterable[tuple[str, str]] = (), *, nodes: bool = False) -> Page:
    """Parse a page as a browser does, and read its visible text.

    Args:
        html: The source of the page.
        selectors: CSS selectors and the metadata key of each; the first that matches an element
            counts.
        nodes: Whether to note the node of each piece of text.
    """
    source = flattened(uncrowded(expanded(html.removeprefix(BOM))))
    try:
        data = source.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        data = _SURROGATE.sub("\ufffd", source).encode()
    tree = LexborHTMLParser(data, scripting=True, options=LexborDocumentOptions.WO_EVENTS)
    hidden = {node.mem_id for node in tree.css(_HIDDEN)}
    hidden.update(node.mem_id for node in tree.css(_STYLED) if _hides(node.attributes["style"]))
    matches: dict[int, Match] = {}
    for selector, key in selectors:
        for node in tree.css(selector):
            matches.setdefault(node.mem_id, Match(key, _name(node.attributes)))
    walk = _Walk(hidden, matches, nodes=nodes)
    walk.run(tree.root)
    return Page(walk.lines.text(), walk.marks, walk.nodes)


def _hides(style: str | None) -> bool:
    """Tell whether a `style` attribute hides its element; of a property the last value counts."""
    pairs = (part.partition(":") for part in (style or "").lower().split(";"))
    values = {name.strip(): value.partition("!")[0].strip() for name, _, value in pairs}
    return values.get("display") == "none" or values.get("visibility") in ("hidden", "collapse")


def _name(attributes: dict[str, str | None]) -> str:
    """Return the first of `aria-label`, `title` and `id` that is not blank, or `""`."""
    names = (collapse(attributes.get(name) or "").strip() for name in _NAMES)
    return next(filter(None, names), "")


class _Walk:
    """One walk over the tree, in document order, without recursion."""

    def __init__(self, hidden: set[int], matches: dict[int, Match], *, nodes: bool) -> None:
        self.lines = Lines()
        self.marks: list[Mark] = []
        self.nodes: list[tuple[int, LexborNode]] = []
        self._hidden = hidden
        self._matches = matches
        self._keep_nodes = nodes

    def run(self, root: LexborNode | None) -> None:
        """Walk over `root` and all below it."""
        hidden, plain = self._hidden, not self._matches
        path: list[tuple[LexborNode, _Step | None, Mark | None]] = []  # the open elements
        node = root
        while node is not None:
            tag = node.tag
            if tag == "-text":
                self._text(node)
                following = node.next
            elif tag in UNSEEN or (hidden and node.mem_id in hidden):
                following = node.next
            else:
                if plain and tag not in _STEPS:
                    path.append((node, None, None))
                else:
                    path.append((node, *self._begin(node, tag)))
                following = node.first_child
            while following is None and path:
                node, end, mark = path.pop()
                if end or mark:
                    self._end(end, mark)
                following = node.next
            node = following

    def _text(self, node: LexborNode) -> None:
        if self._keep_nodes:
            self.nodes.append((self.lines.flush(), node))
        self.lines.add(node.text_content or "")

    def _begin(self, node: LexborNode, tag: str | None) -> tuple[_Step | None, Mark | None]:
        """Begin an element that is a block, of note or both; return how it ends, and its mark."""
        begin, end = _STEPS.get(tag, _NO_STEPS)
        if begin:
            begin(self.lines)
        match = self._matches.get(node.mem_id) if self._matches else None
        if not match and tag not in _NOTED:
            return end, None
        mark = Mark(tag or "", self.lines.flush(), match)
        self.marks.append(mark)
        return end, mark

    def _end(self, end: _Step | None, mark: Mark | None) -> None:
        if end:
            end(self.lines)
        if mark:
            mark.end = self.lines.flush()
            mark.last = len(self.marks)
