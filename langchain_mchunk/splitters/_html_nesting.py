"""Nesting that makes a parser quadratic is taken out of a page before it is parsed: the tags, not the text.

The parser looks through its open elements at many a tag, and opens again, at every paragraph, the
formatting elements that nobody closed (https://html.spec.whatwg.org/multipage/parsing.html). Both are
bounded here, at depths that no page written for readers has.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from langchain_mchunk.splitters._html_tags import FLAT, tags

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

DEPTH: Final = 2000  # elements
FORMATTING_DEPTH: Final = 16

_FORMATTING: Final = frozenset("b big code em font i nobr s small strike strong tt u".split())
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_SCOPES: Final = frozenset("table template object marquee applet select svg math".split())
_FOREIGN: Final = frozenset(("svg", "math"))
_HTML_IN_FOREIGN: Final = frozenset("foreignobject desc title annotation-xml mi mo mn ms mtext".split())
_NOT_FOREIGN: Final = frozenset(  # these end an svg or math element that they stand in
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing "
    "menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var /br /p".split()
)
_LOOK: Final = 64  # an element further up counts as not found

# Elements whose end may be left out, and those that their start ends.
_SIBLINGS: Final = {
    "li": frozenset(("li",)),
    **dict.fromkeys(("dd", "dt"), frozenset(("dd", "dt"))),
    **dict.fromkeys(("td", "th"), frozenset(("td", "th"))),
    "tr": frozenset(("tr",)),
    **dict.fromkeys(
        ("tbody", "thead", "tfoot", "caption", "colgroup"),
        frozenset(("tbody", "thead", "tfoot", "caption", "colgroup")),
    ),
}
_OPTIONS: Final = frozenset(("option", "optgroup"))
_LOOSE: Final = _HEADINGS.union(_OPTIONS, _SIBLINGS)  # never dropped but where they nest in themselves
_SPECIAL: Final = _LOOSE.union(  # the end of another element does not reach beyond one of these
    "address applet article aside blockquote button center details dialog dir div dl fieldset figcaption "
    "figure footer form frameset header hgroup listing main marquee menu nav object ol pre search section "
    "select summary table template ul".split()
)

_SIBLING_BARRIERS: Final = {  # siblings are not looked for beyond these; parts of a table are, up to it
    name: _SPECIAL - {"address", "div"} for name in ("li", "dd", "dt")
}
_MAY_BE_FOREIGN = re.compile(r"<(?:svg|math)", re.IGNORECASE)


def flattened(html: str) -> str:
    """Drop the tags that open too deep, and their end tags.

    Where a dropped tag may have parted words, a space takes its place.
    """
    if html.count("<") <= DEPTH:
        return html
    nest = _Nest()
    kept = []
    at = 0
    for start, end, name in tags(html, nest.in_foreign if _MAY_BE_FOREIGN.search(html) else None):
        if name not in FLAT and nest.drops(name):
            kept += html[at:start], " " if name.removeprefix("/") in _SPECIAL else ""
            at = end
    return "".join((*kept, html[at:])) if kept else html


class _Nest:
    """The elements that are open at one place of a page, as the parser will see it."""

    def __init__(self) -> None:
        self._open: list[str] = []  # without formatting elements: they may close in any order
        self._counts: Counter[str] = Counter()
        self._loose = 0
        self._formatting = 0
        self._dropped: Counter[str] = Counter()

    def drops(self, tag: str) -> bool:
        """Take in a tag, and tell whether it is to be dropped."""
        if tag[0] == "/":
            return self._end(tag[1:])
        if tag in _FORMATTING:
            full = self._formatting >= FORMATTING_DEPTH
        elif tag in _LOOSE:
            self._end_siblings(tag)
            full = self._loose >= DEPTH
        else:
            full = len(self._open) - self._loose >= DEPTH
        if full:
            self._dropped[tag] += 1
        else:
            self._push(tag)
        return full

    def in_foreign(self, tag: str) -> bool:
        """Tell whether a tag stands in SVG or MathML and not in HTML inside it; it may end these."""
        if not self._counts["svg"] and not self._counts["math"]:
            return False
        for at, name in self._upwards():
            if name in _HTML_IN_FOREIGN:
                return False
            if name in _FOREIGN:
                if tag in _NOT_FOREIGN:
                    self._cut(at)
                return tag not in _NOT_FOREIGN
        return False

    def _push(self, name: str) -> None:
        self._counts[name] += 1
        if name in _FORMATTING:
            self._formatting += 1
        else:
            self._open.append(name)
            self._loose += name in _LOOSE

    def _end(self, name: str) -> bool:
        """Take in an end tag: of a dropped element, of an open one, or a stray one."""
        if self._dropped[name]:
            self._dropped[name] -= 1
            return True
        if name in _FORMATTING:
            self._formatting -= self._counts[name] > 0
            self._counts[name] -= self._counts[name] > 0
        elif self._counts[name] or name in _HEADINGS:
            names = _HEADINGS if name in _HEADINGS else {name}
            self._cut_to(names, _barriers(name))
        return False

    def _end_siblings(self, name: str) -> None:
        """End the element, if one is open, that the start of a loose one ends."""
        if name in _OPTIONS and self._open and self._open[-1] in _OPTIONS:
            self._cut(len(self._open) - 1)
        elif name in _SIBLINGS:
            self._cut_to(_SIBLINGS[name], _SIBLING_BARRIERS.get(name, _SCOPES))

    def _cut_to(self, names: AbstractSet[str], barriers: AbstractSet[str]) -> None:
        """Close the innermost open element of these names, and all inside it, if no barrier is in between."""
        for at, name in self._upwards():
            if name in names:
                self._cut(at)
                return
            if name in barriers:
                return

    def _upwards(self) -> Iterator[tuple[int, str]]:
        """Yield the innermost open elements, from the inside."""
        last = len(self._open) - 1
        for at in range(last, max(last - _LOOK, -1), -1):
            yield at, self._open[at]

    def _cut(self, at: int) -> None:
        """Close the open elements from `at` on."""
        for name in self._open[at:]:
            self._counts[name] -= 1
            self._loose -= name in _LOOSE
        del self._open[at:]


def _barriers(name: str) -> frozenset[str]:
    """Return the elements beyond which the end tag of `name` does not reach."""
    if name == "li":
        return _SCOPES | {"ol", "ul"}
    return _SCOPES if name in _SPECIAL else _SPECIAL | _SCOPES
