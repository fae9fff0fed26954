"""The tags of a page that bear on nesting, found as a browser's tokenizer finds them.

https://html.spec.whatwg.org/multipage/parsing.html#tokenization. Each alternative of the patterns
takes all up to the next `<` or to its own end, and is never taken back: a page is read once.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final, Protocol

from langchain_mchunk.splitters._html_names import FLAT, FOREIGN, RAW, names

if TYPE_CHECKING:
    from collections.abc import Iterator

_OFTEN = sorted(names("span code em strong i b var samp tt"))  # their start ends no other element
_CDATA: Final = "![cdata["

_ATTRIBUTES = r"""
    (?: [^>=]++ | = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s>"'] [^\s>]*+ )?+ )*+ (?: > | \Z )
"""
_NO_TAG = r"""
    <!-- (?: -?> | .*? (?: --!?> | \Z ) ) | <! (?!\[CDATA\[) [^>]*+ | <\? [^>]*+
    | </ (?![a-zA-Z]) [^>]*+ | < (?![a-zA-Z/!?])
"""
_TAG = rf"< ( !\[CDATA\[ | /?+ [a-zA-Z] [^\s/>]*+ ) {_ATTRIBUTES}"
_FLAT_TAG = rf"</?+ (?: {'|'.join(sorted(FLAT))} ) (?= [\s/>] ) {_ATTRIBUTES}"
_LINK_TAG = rf"</?+ a (?= [\s/>] ) {_ATTRIBUTES}"


def _elements(content: str) -> str:
    """Write a pattern of the frequent elements that hold `content` and nothing left open."""
    each = (rf"{name} (?= [\s/>] ) {_ATTRIBUTES} (?: {content} )*+ </{name}>" for name in _OFTEN)
    return f"< (?: {' | '.join(each)} )"


_LEAF = _elements(r"[^<]++")
_CLOSED = _elements(rf"[^<]++ | {_LINK_TAG} | {_LEAF}")

ATTRIBUTES: Final = 1000  # of one tag: the parser compares each with all before it
_VALUE = r"""\s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s>"'] [^\s>]*+ )?+"""
_CROWDED = re.compile(
    rf"""( < [a-zA-Z] [^\s/>]*+ (?: [\s/]*+ [^\s/>] [^\s/>=]*+ (?: {_VALUE} )?+ ){{{ATTRIBUTES}}}+ )
    {_ATTRIBUTES}""",
    re.VERBOSE,
)


def _after(skipped: str) -> re.Pattern[str]:
    return re.compile(rf"(?: [^<]++ | {skipped} )*+ (?: {_TAG} | \Z )", re.VERBOSE | re.DOTALL)


_EACH = _after(_NO_TAG)
_FEW = _after(rf"{_FLAT_TAG} | {_CLOSED} | {_NO_TAG}")

# A script in a comment in a script does not end the outer one.
_SCRIPT = r"""
    (?: [^<-]++ | -(?!->) | < (?! /?script[\s/>] )
      | <script (?=[\s/>]) (?: [^<-]++ | -(?!->) | < (?!/script[\s/>]) )*+ (?: </script )?+ )*+
"""
_SCRIPT_END = rf"""
    (?: [^<]++ | <!-- (?: -?+> | {_SCRIPT} (?: --> )?+ ) | < (?! /script[\s/>] | !-- ) )*+
    (?: </script | \Z )
"""
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW} | {
    "script": re.compile(_SCRIPT_END, re.IGNORECASE | re.VERBOSE),
    "plaintext": re.compile(r"\Z"),
    _CDATA: re.compile(r"\]\]>"),
}

_HOLDS_HTML = re.compile(
    r"""\sencoding\s*=\s*["']?(?:text/html|application/xhtml\+xml)["'\s>]""", re.IGNORECASE
)


# What says that a page is XML, where any element may close itself.
_XHTML = re.compile(
    r"""\s*+ <\?xml \b
    | [^<]*+ (?: <[!?] [^>]*+ > [^<]*+ )*+ <html \b [^>]*? xmlns \s*+ = \s*+ ["']http://www\.w3\.org/1999/xhtml
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VOID = names("""
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track
    wbr
""")
_ATTRIBUTES_XML = r"""(?: [^/>"'<]++ | "[^"]*+" | '[^']*+' | / (?!>) )*+"""
_XML = re.compile(
    rf"""<!-- .*? (?: --> | \Z ) | <!\[CDATA\[ (?P<text> .*? ) (?: \]\]> | \Z )
    | < (?P<raw> script | style | textarea | title | xmp | iframe ) (?= [\s>] ) {_ATTRIBUTES_XML} >
      .*? (?: </ (?P=raw) (?= [\s>] ) | \Z )
    | < (?P<name> [a-zA-Z] [^\s/>]*+ ) (?P<attributes> {_ATTRIBUTES_XML} ) />""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def expanded(html: str) -> str:
    """Write the end tags that XHTML may leave out, and its CDATA, as HTML does.

    `<title/>` would take the rest of the page.
    """
    return _XML.sub(_expanded, html) if _XHTML.match(html) else html


def _expanded(found: re.Match[str]) -> str:
    text, name = found["text"], found["name"]
    if text is not None:
        return escape(text)
    if not name or name.lower() in _VOID:
        return found[0]
    return f"<{name}{found['attributes']}></{name}>"


def uncrowded(html: str) -> str:
    """Cut off the attributes of a tag behind the 1,000th."""
    return _CROWDED.sub(r"\1>", html)


class Context(Protocol):
    """What of the elements around a tag decides how the tags behind it are read."""

    foreign: int
    """How many SVG and MathML roots are open: inside them, each tag may matter."""

    def in_foreign(self, tag: str) -> bool:
        """Tell whether a tag of this name stands in one, and not in HTML inside it."""


def tags(html: str, context: Context) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of the tags that may open an element or end one left open.

    Names are in lower case; those of end tags have a `/` before them. In SVG and MathML no element
    holds raw text, and `/>` ends an element. `context` is asked anew after each tag.
    """
    at = 0
    while at < len(html):
        foreign = context.foreign
        found = (_EACH if foreign else _FEW).finditer(html, at)
        at = len(html)
        for match in found:
            if not match[1]:
                return
            name = match[1].lower()
            inside = bool(foreign) and context.in_foreign(name)
            if name in _RAW_ENDS and inside == (name == _CDATA):
                end = _RAW_ENDS[name].search(html, match.end())
                at = end.end() if end else len(html)
                break
            closed = (inside or name in FOREIGN) and html.endswith(
                "/>", match.start(1), match.end()
            )
            if name == "annotation-xml" and not _HOLDS_HTML.search(match[0]):
                name = "annotation"
            if name != _CDATA and not closed:
                yield match.start(1) - 1, match.end(), name
            if context.foreign != foreign:
                at = match.end()
                break
