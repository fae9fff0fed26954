"""Nesting that makes a parser quadratic is taken out of a page before it is parsed: the tags, not the text.

The parser looks through its open elements at many a tag, and opens at every paragraph the formatting
elements that are still to be closed (https://html.spec.whatwg.org/multipage/parsing.html). So both
are bounded here, at depths that no page written for readers has.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH: Final = 2000
FORMATTING_DEPTH: Final = 16

_FORMATTING: Final = frozenset("b big code em font i nobr s small strike strong tt u".split())
_FREE: Final = frozenset(  # no end, an end that may be left out, or a start that ends another
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track "
    "wbr html head body p li dt dd rb rt rtc rp optgroup option caption colgroup thead tbody tfoot tr td "
    "th a h1 h2 h3 h4 h5 h6".split()
)
_FREE_TAGS: Final = frozenset((None, *_FREE, *(f"/{name}" for name in _FREE)))
_RAW: Final = frozenset(  # to the parser, what is inside is text
    "script style xmp iframe noembed noframes noscript textarea title plaintext".split()
)
_SPECIAL: Final = frozenset(  # the end tag of any other element does not reach beyond one of these
    "address applet article aside blockquote button center details dialog dir div dl fieldset figcaption "
    "figure footer form frameset header hgroup listing main marquee menu nav object ol pre search section "
    "select summary table template ul".split()
)
_SCOPES: Final = frozenset("table template object marquee applet select svg math".split())
_FOREIGN: Final = frozenset(("svg", "math"))
_HTML_IN_FOREIGN: Final = frozenset("foreignobject desc title annotation-xml mi mo mn ms mtext".split())
_NOT_FOREIGN: Final = frozenset(  # these end an svg or math element that they stand in
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing "
    "menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var /br /p".split()
)
_CDATA: Final = "![cdata["
_LOOK: Final = 64  # an end tag whose element lies further up is taken for a stray one

# Comments and other `<!`, `<?` and `</` hold no tags. A page that ends inside one, or inside a tag, is
# read to its end once.
_TAG = re.compile(
    r"""
    <!--.*?(?: --> | \Z ) | <!(?!\[CDATA\[)[^>]*+ | <\?[^>]*+ | </(?![a-zA-Z])[^>]*+
    | < ( !\[CDATA\[ | /?+ [a-zA-Z] [^\s/>]*+ )
      (?: [^>=]++ | = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s>"'] [^\s>]*+ )?+ )*+ (?: > | \Z )
    """,
    re.VERBOSE | re.DOTALL,
)


def flattened(html: str) -> str:
    """Drop the tags that open too deep, and their end tags.

    Where a dropped tag may have parted words, a space takes its place.
    """
    if html.count("<") <= DEPTH:
        return html
    kept = []
    at = 0
    for start, end, name in _excess(html):
        kept += html[at:start], " " if name.removeprefix("/") in _SPECIAL else ""
        at = end
    return "".join((*kept, html[at:]))


def _excess(html: str) -> Iterator[tuple[int, int, str]]:
    """Yield the range and the name of each tag to drop."""
    nest = _Nest()
    at: int | None = 0
    while at is not None:
        tags = _TAG.finditer(html, at)
        at = None
        for tag in tags:
            name = tag[1]
            if name in _FREE_TAGS and not nest.foreign:
                continue
            name = (name or "").lower()
            foreign = nest.foreign and nest.in_foreign(name)
            if name == _CDATA or (name in _RAW and not foreign):
                at = _raw_end(html, name, tag.end())
                break
            self_closed = foreign and html.endswith("/>", tag.start(), tag.end())
            if name not in _FREE_TAGS and not self_closed and nest.drops(name):
                yield tag.start(), tag.end(), name


def _raw_end(html: str, name: str, start: int) -> int | None:
    """Return where the text inside an element ends that opened before `start`, if it does."""
    end = "]]>" if name == _CDATA else rf"</{name}(?=[\s/>])"
    match = None if name == "plaintext" else re.compile(end, re.IGNORECASE).search(html, start)
    return match.end() if match else None


class _Nest:
    """The elements that are open at one place of a page, those left out of account excepted."""

    def __init__(self) -> None:
        self.foreign = 0  # open svg and math elements
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._formatting: defaultdict[str, list[bool]] = defaultdict(list)  # dropped or not
        self._formatting_depth = 0

    def drops(self, tag: str) -> bool:
        """Take in a tag, `name` or `/name`, and tell whether it is to be dropped."""
        name = tag.removeprefix("/")
        if name in _FORMATTING:
            return self._ends_formatting(name) if name != tag else self._formats(name)
        if name != tag:
            return self._ends(name)
        self._open.append(name)
        self._counts[name] += 1
        self.foreign += name in _FOREIGN
        return len(self._open) > DEPTH

    def in_foreign(self, tag: str) -> bool:
        """Tell whether a tag stands in svg or math and not in HTML inside it; end these where it does."""
        for at, name in self._upwards():
            if name in _HTML_IN_FOREIGN:
                return False
            if name in _FOREIGN:
                if tag in _NOT_FOREIGN:
                    self._cut(at)
                return tag not in _NOT_FOREIGN
        return False

    def _formats(self, name: str) -> bool:
        dropped = self._formatting_depth >= FORMATTING_DEPTH
        self._formatting[name].append(dropped)
        self._formatting_depth += not dropped
        return dropped

    def _ends_formatting(self, name: str) -> bool:
        if not self._formatting[name]:
            return False
        dropped = self._formatting[name].pop()
        self._formatting_depth -= not dropped
        return dropped

    def _ends(self, name: str) -> bool:
        if not self._counts[name]:
            return False
        barriers = _SCOPES if name in _SPECIAL else _SPECIAL
        for at, other in self._upwards():
            if other == name:
                self._cut(at)
                return at >= DEPTH
            if other in barriers:
                break
        return False

    def _upwards(self) -> Iterator[tuple[int, str]]:
        """Yield the innermost open elements, from the inside."""
        last = len(self._open) - 1
        for at in range(last, max(last - _LOOK, -1), -1):
            yield at, self._open[at]

    def _cut(self, at: int) -> None:
        """Close the open elements from `at` on."""
        for name in self._open[at:]:
            self._counts[name] -= 1
            self.foreign -= name in _FOREIGN
        del self._open[at:]
