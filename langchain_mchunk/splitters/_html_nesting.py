"""Nesting that makes a parser quadratic is taken out of a page before it is parsed.

The parser looks through its open elements at many a tag, and opens again, at every paragraph, the
formatting elements that nobody closed. Both are bounded here, at depths that no page written for
readers has: the tags go, their text stays.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from langchain_mchunk.splitters._html_names import (
    FLAT,
    FOREIGN,
    FORMATTING,
    HEADINGS,
    HTML_IN,
    IMPLIED,
    NOT_FOREIGN,
    RUBY_PARTS,
    SCOPES,
    SIBLINGS,
    SPECIAL,
    TABLE_PARTS,
)
from langchain_mchunk.splitters._html_tags import tags

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

DEPTH: Final = 2000  # elements
FORMATTING_DEPTH: Final = 16
_LOOK: Final = 64  # an element further up counts as not found

# Headings and elements whose end may be left out: dropped only where they nest in each other.
_LOOSE: Final = frozenset((*HEADINGS, *SIBLINGS))

# Where the search for what a tag ends comes to a stop.
_HTML_AGAIN: Final = frozenset[str]().union(*HTML_IN.values())
_IN_SCOPE: Final = SCOPES | _HTML_AGAIN
_SIBLING_BARRIERS: Final = {
    **dict.fromkeys(("li", "dd", "dt"), SPECIAL - {"address", "div"} | _HTML_AGAIN),
    **dict.fromkeys(TABLE_PARTS, SCOPES),
}
_END_BARRIERS: Final = {**dict.fromkeys(SPECIAL, _IN_SCOPE), "li": _IN_SCOPE | {"ol", "ul"}}
_OTHER_END_BARRIERS: Final = SPECIAL | _HTML_AGAIN
_TABLES: Final = frozenset(("table", "template"))
_ANY_HEADING: Final = frozenset(HEADINGS)


def flattened(html: str) -> str:
    """Drop the tags that open too deep, and their end tags.

    Where a dropped tag may have parted words, a space takes its place.
    """
    if html.count("<") <= DEPTH:
        return html
    nest = _Nest()
    kept: list[str] = []
    at = 0
    for start, end, name in tags(html, nest):
        if (name not in FLAT or nest.inside) and nest.drops(name):
            kept += html[at:start], " " if name.removeprefix("/") in SPECIAL else ""
            at = end
    return "".join((*kept, html[at:])) if kept else html


class _Nest:
    """The elements that are open at one place of a page, as the parser will see it."""

    def __init__(self) -> None:
        self.foreign = 0  # open svg and math elements, without those in one another
        self._open: list[str] = []
        self._rules: list[int] = []  # of these, where HTML's rules end or hold again
        self._loose = 0  # how many of the open ones are loose
        self._formatting: list[str] = []  # apart from the others: these may end in any order
        self._dropped: Counter[str] = Counter()

    def drops(self, tag: str) -> bool:
        """Take in a tag, and tell whether it is to be dropped."""
        if tag[0] == "/":
            return self._ends(tag[1:])
        if self.inside:
            full = len(self._open) - self._loose >= DEPTH
        elif tag in TABLE_PARTS and not self._in_table():
            return False  # the parser passes over it
        elif tag in FORMATTING:
            full = len(self._formatting) >= FORMATTING_DEPTH
        elif tag in _LOOSE:
            self._end_sibling(tag)
            full = self._loose >= DEPTH
        else:
            if tag in RUBY_PARTS and self._find({"ruby"}, SCOPES) is not None:
                self._end_implied()
            full = len(self._open) - self._loose >= DEPTH
        if full:
            self._dropped[tag] += 1
        elif tag in FORMATTING:
            self._formatting.append(tag)
        else:
            self._push(tag)
        return full

    def _push(self, name: str) -> None:
        if self.inside:
            changes_rules = name in HTML_IN[self._open[self._rules[-1]]]
        else:
            changes_rules = name in FOREIGN
            self.foreign += changes_rules
        if changes_rules:
            self._rules.append(len(self._open))
        self._open.append(name)
        self._loose += name in _LOOSE

    def in_foreign(self, tag: str) -> bool:
        """Tell whether a tag stands in SVG or MathML, not in HTML inside it; it may end these."""
        while self.inside and tag in NOT_FOREIGN:
            self._cut(self._rules[-1])
        return self.inside

    @property
    def inside(self) -> bool:
        """Whether the next tag stands in SVG or MathML, and not in HTML inside it."""
        return self.foreign > 0 and self._open[self._rules[-1]] in FOREIGN

    def _ends(self, name: str) -> bool:
        """Take in an end tag: of a dropped element, of an open one, or a stray one."""
        if self._dropped[name]:
            self._dropped[name] -= 1
            return True
        if name in FORMATTING:
            if name in self._formatting:
                self._formatting.remove(name)
        elif self._open and self._open[-1] == name:
            self._cut(len(self._open) - 1)
        elif name != "form":  # which ends alone, if it is not the innermost: left open here
            names = _ANY_HEADING if name in _ANY_HEADING else frozenset((name,))
            at = self._find_foreign(name)
            if at is None:
                at = self._find(names, _END_BARRIERS.get(name, _OTHER_END_BARRIERS))
            self._cut(at)
        return False

    def _end_sibling(self, name: str) -> None:
        """End the element, if one is open, that the start of a loose one ends."""
        siblings = SIBLINGS.get(name, frozenset())
        if self._open and self._open[-1] in siblings:
            self._cut(len(self._open) - 1)
        elif name in _SIBLING_BARRIERS:
            self._cut(self._find(siblings, _SIBLING_BARRIERS[name]))

    def _end_implied(self) -> None:
        while self._open[-1] in IMPLIED:
            self._cut(len(self._open) - 1)

    def _in_table(self) -> bool:
        at = self._find(SCOPES, frozenset())
        return at is not None and self._open[at] in _TABLES

    def _find_foreign(self, name: str) -> int | None:
        """Find what an end tag in SVG or MathML, or right behind a start tag in it, ends there."""
        here = self.inside or self._rules[-1:] == [len(self._open) - 1]
        roots = (at for at in reversed(self._rules) if self._open[at] in FOREIGN)
        root = next(roots, None) if here else None
        last = len(self._open)
        for at in range(last - 1, max(root, last - _LOOK) - 1, -1) if root is not None else ():
            if self._open[at] == name:
                return at
        return None

    def _find(self, names: AbstractSet[str], barriers: AbstractSet[str]) -> int | None:
        """Find the innermost open element of these names, if no barrier is inside it."""
        last = len(self._open) - 1
        first = max(last - _LOOK, -1)
        if self._rules and not self.inside and self._rules[-1] < last:
            first = max(first, self._rules[-1])  # HTML in SVG or MathML is a scope
        for at in range(last, first, -1):
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
            if self._rules and self._rules[-1] == len(self._open):
                self._rules.pop()
                self.foreign -= name in FOREIGN
