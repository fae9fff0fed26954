"""Markdown texts made of every block construct, real ones, and the headings markdown-it sees in them."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

CONSTRUCTS = [
    *["# One\n", "## *Two* `c` [l](u) ##\n", " ###\tThree\n", "#\n", "##  #\n", "####### no\n"],
    *["# &amp; \\# ![i](x) <b>h</b>\n", "# [r] [s]\n", "# a\fb\n", "#\fno\n", "a\u2028# no\n"],
    *["# é漢 \u00a0x\n", "#no\n", "Set\n===\n", "two\nlines\n---\n", "    # code\n", "\t# code\n"],
    *["\\# no\n", "# a\\\n", "=\n", "-\n", "---\n", "***\n", "- - -\n", "- a\n", "  - b\n"],
    *["    - c\n", "* # in\n", "1. x\n", "10) y\n", "   more\n", "\n   # in\n", "> q\n", "> # q\n"],
    *[">\n", ">> - z\n", "lazy\n", "text  \n", "hard\\\n", "```\n", "``` js\n", "~~~\n", "````\n"],
    *["  ```\n", "    ```\n", "> ```\n", "- ```\n", "<div>\n", "</div>\n", "<pre>\n", "</pre>\n"],
    *["<!-- c\n", "-->\n", "<?x\n", "?>\n", "<![CDATA[\n", "]]>\n", "$$\n", "x = 1\n"],
    *["\n| a | b |\n|---|---|\n| 1 | 2 |\n", "\na | b\n--|--\n", "| 3 | 4 |\n"],
    *["\n[r]: /u\n\n", "\n[s]:\n  /u 't'\n\n", "\n", "\n\n", "  \n", "\r\n", "\r", "# CR\r\n"],
    *["para\rgraph\n", "# cut", "```", "- "],
]
# markdown-it ends a lazy paragraph before an indented line; CommonMark 0.31, 5.1, does not.
LAZY_INDENTED = re.compile(r"^.*>.*(?:\n.+)*\n(?: {4}|\t)", re.MULTILINE)

TEXTS = st.lists(st.sampled_from(CONSTRUCTS), max_size=30).map("".join)
REAL = sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.md"))

_PARSER = MarkdownIt("commonmark").enable("table")


class Seen(NamedTuple):
    """A heading: level, title, the number of its first line."""

    level: int
    title: str
    line: int


def is_read_alike(text: str) -> bool:
    """Tell whether markdown-it reads a text as CommonMark says."""
    return not LAZY_INDENTED.search("\n".join(lines_of(text)))


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n?|\n", text)


def headings_of(text: str) -> list[Seen]:
    """Return the top-level headings of a text without front matter."""
    tokens = _PARSER.parse(text)
    return [
        Seen(int(token.tag[1]), " ".join(visible(tokens[i + 1].children).split()), token.map[0])
        for i, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def visible(tokens: list[Token]) -> str:
    """Return the text that is seen of inline tokens, an image's being its description."""
    parts = []
    for token in tokens:
        if token.type in ("text", "text_special", "code_inline"):
            parts.append(token.content)
        elif token.type == "image":
            parts.append(visible(token.children))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)
