"""Nesting that makes a parser quadratic is taken out of a page before it is parsed: the tags, not the text.

The parser looks through its open elements at many a tag, and opens again, at every paragraph, the
formatting elements that nobody closed (https://html.spec.whatwg.org/multipage/parsing.html). Both are
bounded here, at depths that no page written for readers has.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from langchain_mchunk.splitters._html_tags import FLAT, tags

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

DEPTH: Final = 2000  # elements
FORMATTING_DEPTH: Final = 16

_FORMATTING: Final = frozenset("b big code em font i nobr s small strike strong tt u".split())
_SCOPES: Final = frozenset("table template object marquee applet select svg math".split())
_FOREIGN: Final = frozenset(("svg", "math"))
_HTML_IN_FOREIGN: Final = frozenset("foreignobject desc title annotation-xml mi mo mn ms mtext".split())
_NOT_FOREIGN: Final = frozenset(  # these end an svg or math element that they stand in
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing "
    "menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var /br /p".split()
)
_LOOK: Final = 64  # an element further up counts as not found

_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_ITEMS: Final = frozenset(("li", "dd", "dt"))
_OPTIONS: Final = frozenset(("option", "optgroup"))
_CELLS: Final = frozenset(("td", "th"))
_GROUPS: Final = frozenset("tbody thead tfoot caption colgroup".split())
_LOOSE: Final = _HEADINGS | _ITEMS | _OPTIONS | _CELLS | _GROUPS | {"tr"}  # not counted among the others
_SPECIAL: Final = _LOOSE.union(  # the end of another element does not reach beyond one of these
    "address applet article aside blockquote button center details dialog dir div dl fieldset figcaption "
    "figure footer form frameset header hgroup listing main marquee menu nav object ol pre search section "
    "select summary svg math table template ul".split()
)
_END_BARRIERS: Final = _SCOPES | {"ol", "ul"}  # and the end of one of these not beyond these

# What the start of an element ends, unless one of the others is in between.
_ITEM_BARRIERS: Final = _SPECIAL - {"address", "div"}
_SIBLINGS: Final[dict[str, tuple[AbstractSet[str], AbstractSet[str]]]] = {
    "li": ({"li"}, _ITEM_BARRIERS),
    **dict.fromkeys(("dd", "dt"), ({"dd", "dt"}, _ITEM_BARRIERS)),
    **dict.fromkeys(_CELLS, (_CELLS, _SCOPES)),
    **dict.fromkeys(_OPTIONS, (_OPTIONS, frozenset())),  # only the innermost element
    "tr": ({"tr"}, _SCOPES),
    **dict.fromkeys(_GROUPS, (_GROUPS, _SCOPES)),
}
_NO_SIBLINGS: Final = (frozenset[str](), frozenset[str]())


def flattened(html: str) -> str:
    """Drop the tags that open too deep, and their end tags.

    Where a dropped tag may have parted words, a space takes its place.
    """
    if html.count("<") <= DEPTH:
        return html
    nest = _Nest()
    kept = []
    at = 0
    for start, end, name in tags(html, nest):
        if name not in FLAT and nest.drops(name):
            kept += html[at:start], " " if name.removeprefix("/") in _SPECIAL else ""
            at = end
    return "".join((*kept, html[at:])) if kept else html


class _Nest:
    """The elements that are open at one place of a page, as the parser will see it."""

    def __init__(self) -> None:
        self.foreign = 0  # how many of the open ones are svg or math
        self._open: list[str] = []
        self._loose = 0  # how many of the open ones are loose
        self._formatting: list[str] = []  # apart from the others: these may end in any order
        self._dropped: Counter[str] = Counter()

    def drops(self, tag: str) -> bool:
        """Take in a tag, and tell whether it is to be dropped."""
        if tag[0] == "/":
            return self._ends(tag[1:])
        if tag in _FORMATTING:
            full = len(self._formatting) >= FORMATTING_DEPTH
        elif tag in _LOOSE:
            self._end_sibling(tag)
            full = self._loose >= DEPTH
        else:
            full = len(self._open) - self._loose >= DEPTH
        if full:
            self._dropped[tag] += 1
        elif tag in _FORMATTING:
            self._formatting.append(tag)
        else:
            self._open.append(tag)
            self._loose += tag in _LOOSE
            self.foreign += tag in _FOREIGN
        return full

    def in_foreign(self, tag: str) -> bool:
        """Tell whether a tag stands in SVG or MathML and not in HTML inside it; it may end these."""
        at = self._find(_FOREIGN, _HTML_IN_FOREIGN)
        if at is not None and tag in _NOT_FOREIGN:
            self._cut(at)
            return False
        return at is not None

    def _ends(self, name: str) -> bool:
        """Take in an end tag: of a dropped element, of an open one, or a stray one."""
        if self._dropped[name]:
            self._dropped[name] -= 1
            return True
        if name in _FORMATTING:
            if name in self._formatting:
                self._formatting.remove(name)
        elif self._open and self._open[-1] == name:
            self._cut(len(self._open) - 1)
        else:
            names = _HEADINGS if name in _HEADINGS else {name}
            barriers = _END_BARRIERS if name in _SPECIAL else _SPECIAL
            self._cut(self._find(names, barriers))
        return False

    def _end_sibling(self, name: str) -> None:
        """End the element, if one is open, that the start of a loose one ends."""
        siblings, barriers = _SIBLINGS.get(name, _NO_SIBLINGS)
        if self._open and self._open[-1] in siblings:
            self._cut(len(self._open) - 1)
        elif barriers:
            self._cut(self._find(siblings, barriers))

    def _find(self, names: AbstractSet[str], barriers: AbstractSet[str]) -> int | None:
        """Find the innermost open element of these names, if no barrier is inside it."""
        last = len(self._open) - 1
        for at in range(last, max(last - _LOOK, -1), -1):
            if self._open[at] in names:
                return at
            if self._open[at] in barriers:
                break
        return None

    def _cut(self, at: int | None) -> None:
        """Close the open elements from `at` on."""
        while at is not None and at < len(self._open):
            name = self._open.pop()
            self._loose -= name in _LOOSE
            self.foreign -= name in _FOREIGN
