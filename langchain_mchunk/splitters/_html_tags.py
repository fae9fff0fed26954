"""The tags of a page that bear on nesting, found as a browser's tokenizer finds them.

https://html.spec.whatwg.org/multipage/parsing.html#tokenization. Each alternative of the patterns takes all
up to the next `<` or to its own end, and is never taken back: a page is read once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# No element stays open behind these: they have no end, or what follows ends them.
FLAT: Final = (
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track "
    "wbr html head body p a"
).split()
# To the parser, what is inside these is text.
_RAW: Final = "script style xmp iframe noembed noframes noscript textarea title plaintext".split()
_OFTEN_LEAVES: Final = "span code em strong i b td th li dt tt h1 h2 h3 h4".split()
_CDATA: Final = "![cdata["

_ATTRIBUTES = r"""(?: [^>=]++ | = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s>"'] [^\s>]*+ )?+ )*+ (?: > | \Z )"""
_NO_TAG = r"""
    <!--.*?(?: --> | \Z ) | <!(?!\[CDATA\[)[^>]*+ | <\?[^>]*+ | </(?![a-zA-Z])[^>]*+ | <(?![a-zA-Z/!?])
"""
_TAG = rf"< ( !\[CDATA\[ | /?+ [a-zA-Z] [^\s/>]*+ ) {_ATTRIBUTES}"
_FLAT_TAG = rf"</?+ (?: {'|'.join(FLAT)} ) (?= [\s/>] ) {_ATTRIBUTES}"
_LEAF = "|".join(rf"< {name} (?= [\s/>] ) {_ATTRIBUTES} [^<]*+ </{name}>" for name in _OFTEN_LEAVES)


def _after(skipped: str) -> re.Pattern[str]:
    return re.compile(rf"(?: [^<]++ | {skipped} )*+ (?: {_TAG} | \Z )", re.VERBOSE | re.DOTALL)


_EACH = _after(_NO_TAG)
_FEW = _after(rf"{_FLAT_TAG} | {_LEAF} | {_NO_TAG}")
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
_RAW_ENDS |= {"plaintext": re.compile(r"(?!)"), _CDATA: re.compile(r"\]\]>")}


class Tag(NamedTuple):
    """A tag `text[start:end]`; its name is in lower case, with a `/` before it if it is an end tag."""

    start: int
    end: int
    name: str


def tags(html: str, in_foreign: Callable[[str], bool] | None = None) -> Iterator[Tag]:
    """Yield the tags that may open an element or end one that was left open.

    Args:
        html: The source of the page.
        in_foreign: Tells whether a tag of this name stands in SVG or MathML, where other rules hold: there no element
            holds raw text, and `/>` ends one. Without it, no tag does.
    """
    pattern = _EACH if in_foreign else _FEW
    at = 0
    while at < len(html):
        found = pattern.finditer(html, at)
        at = len(html)
        for match in found:
            if not match[1]:
                return
            name = match[1].lower()
            foreign = in_foreign and in_foreign(name)
            if name in _RAW_ENDS and foreign == (name == _CDATA):
                end = _RAW_ENDS[name].search(html, match.end())
                at = end.end() if end else len(html)
                break
            if not (foreign and html.endswith("/>", match.start(1), match.end())):
                yield Tag(match.start(1) - 1, match.end(), name)
