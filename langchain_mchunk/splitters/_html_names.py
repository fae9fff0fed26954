"""Names of elements: how they are shown, and how they begin and end in a page's source.

https://html.spec.whatwg.org/multipage/rendering.html and https://html.spec.whatwg.org/multipage/parsing.html.
"""

from __future__ import annotations

from typing import Final


def names(words: str) -> frozenset[str]:
    """Read a list of names."""
    return frozenset(words.split())


HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")

# --- as they are shown ---

UNSEEN: Final = names("""
    -comment -doctype head title script style template noscript noembed noframes iframe object
    audio video canvas datalist rp annotation annotation-xml meter progress
""")
BLOCKS: Final = names("""
    address article aside blockquote caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol
    optgroup option search section summary table ul foreignObject text
""")
ROWS: Final = names("tr mtr")
CELLS: Final = names("td th mtd")
VERBATIM: Final = names("pre textarea listing xmp plaintext")

# --- as they begin and end ---

# They stay open behind no tag: they have no end, or what follows ends them.
FLAT: Final = names("""
    area base basefont bgsound br col embed frame hr image img input keygen link meta param source
    track wbr html head body p a
""")
# What is inside them is text to the parser.
RAW: Final = names("""
    script style xmp iframe noembed noframes noscript textarea title plaintext
""")
FORMATTING: Final = names("b big code em font i nobr s small strike strong tt u")

# What a start tag ends if it is open: an option only as the innermost element.
OPTIONS: Final = names("option optgroup")
TABLE_PARTS: Final = {
    **dict.fromkeys(("td", "th"), names("td th")),
    "tr": names("tr"),
    **dict.fromkeys(
        ("tbody", "thead", "tfoot", "caption", "colgroup"),
        names("tbody thead tfoot caption colgroup"),
    ),
}
SIBLINGS: Final = {
    "li": names("li"),
    **dict.fromkeys(("dd", "dt"), names("dd dt")),
    **dict.fromkeys(OPTIONS, names("option")),
    **TABLE_PARTS,
}

# What the start of a part of a ruby ends in it.
RUBY_PARTS: Final = names("rb rt rtc rp")
IMPLIED: Final = RUBY_PARTS | OPTIONS | names("li dd dt")

# Where the search for an element that a tag ends comes to a stop: most end tags reach up to the
# end of a scope, those of other than special elements up to a special one.
SCOPES: Final = names("table template object marquee applet select")
SPECIAL: Final = (
    SCOPES
    | frozenset(SIBLINGS) - OPTIONS
    | names("""
    address article aside blockquote button center details dialog dir div dl fieldset figcaption
    figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup listing main menu nav ol pre
    search section summary ul
""")
)

FOREIGN: Final = names("svg math")
# Inside these, HTML's rules hold again; in annotation-xml only if its encoding says so.
HTML_IN: Final = {
    "svg": names("foreignobject desc title"),
    "math": names("annotation-xml mi mo mn ms mtext"),
}
# These tags end the svg or math element they stand in.
NOT_FOREIGN: Final = names("""
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
    listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
    /br /p
""")
