"""A picture of chunks: the text as it was cut, for a notebook, a page or a terminal.

Chunks that know their `start_index` are shown in place, overlaps marked; others one below another.
The page is one file without scripts, and every text in it is escaped.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from langchain_mchunk.checks import check_integer, check_length_function, checked_documents
from langchain_mchunk.parts import by_source, check_source, number, parts, placed
from langchain_mchunk.terminal import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from langchain_core.documents import Document

    from langchain_mchunk.parts import Part
    from langchain_mchunk.sizes import LengthFunction

CHART_HEIGHT: Final = 60

_START: Final = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="generator" content="langchain_mchunk">'
)
STYLE: Final = """
.mchunk { --paper: #fff; --ink: #1b1b1f; --quiet: #63636e; --line: #c9c9d2; --limit: #b3261e;
  --a: #dcebff; --b: #ffeccc; --bar: #3b6fb6; color-scheme: light dark; box-sizing: border-box;
  max-width: 60rem; margin: 0 auto; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { .mchunk { --paper: #17171b; --ink: #ececf1; --quiet: #a0a0ac;
  --line: #45454f; --limit: #ff8a80; --a: #1d3557; --b: #4a3414; --bar: #7fb0f5; } }
.mchunk h2 { font-size: 1.1rem; margin: 1.2rem 0 .2rem; }
.mchunk p { margin: .2rem 0; color: var(--quiet); }
.mchunk svg { display: block; width: 100%; height: 60px; margin: .4rem 0; }
.mchunk rect { fill: var(--bar); }
.mchunk line { stroke: var(--limit); stroke-dasharray: 4 3; vector-effect: non-scaling-stroke; }
.mchunk h2, .mchunk .text { unicode-bidi: plaintext; }
.mchunk .mark { unicode-bidi: isolate; }
.mchunk .text { white-space: pre-wrap; border-top: 1px solid var(--line); padding: .6rem 0; }
.mchunk .a { background: var(--a); }
.mchunk .b { background: var(--b); }
.mchunk .shared { text-decoration: underline dotted; text-underline-offset: .2em;
  background-image: repeating-linear-gradient(135deg, transparent 0 5px, var(--line) 5px 6px); }
.mchunk .out { color: var(--quiet); }
.mchunk .mark { font-size: .75rem; border: 1px solid var(--quiet); border-radius: .3rem;
  padding: 0 .25rem; margin: 0 .15rem; background: var(--paper); cursor: help; }
.mchunk .mark:focus { outline: 2px solid var(--bar); }
.mchunk .note { display: none; position: fixed; inset: auto 0 0 0; z-index: 9; padding: .6rem 1rem;
  background: var(--paper); color: var(--ink); border-top: 2px solid var(--bar); font-size: .9rem;
  white-space: normal; }
.mchunk .mark:hover .note, .mchunk .mark:focus .note { display: block; }
"""


class View:
    """What `view` returns: shows itself in a notebook, and `save` writes a page."""

    def __init__(
        self,
        chunks: Iterable[Document],
        source: str | None,
        limit: int | None,
        length_function: LengthFunction,
    ) -> None:
        self._groups = list(by_source(checked_documents("chunks", chunks)))
        check_integer("limit", 1 if limit is None else limit, least=1)
        check_length_function(length_function)
        self._source = self._checked_source(source)
        self._limit = limit
        self._length = length_function

    def _repr_html_(self) -> str:
        sections = "".join(map(self._section, self._groups)) or "<p>no chunks</p>"
        return f'<div class="mchunk"><style>{STYLE}</style>{sections}</div>'

    def save(self, path: str | Path) -> Path:
        """Write one self-contained HTML page and return its path."""
        page = (
            f'{_START}<meta name="viewport" content="width=device-width, initial-scale=1">'
            "<title>chunks</title>"
            "<style>body { margin: 0 } @media (prefers-color-scheme: dark) "
            "{ body { background: #17171b } }</style></head>"
            f"<body>{self._repr_html_()}</body></html>\n"
        )
        path = Path(path)
        path.write_text(page, encoding="utf-8", errors="replace")
        return path

    def _checked_source(self, source: str | None) -> str | None:
        """Return the text to show the chunks in; of several documents it shows none."""
        if source is not None and not isinstance(source, str):
            raise TypeError(
                f"source must be the text that was split, a str, got {type(source).__name__}: "
                "give the text, or leave source out"
            )
        if source is None or len(self._groups) != 1 or not placed(self._groups[0]):
            return None
        check_source(self._groups[0], source)
        return source

    def _section(self, chunks: Sequence[Document]) -> str:
        sizes = [self._length(chunk.page_content) for chunk in chunks]
        limit = "" if self._limit is None else f", limit {self._limit}"
        name = escape(str(chunks[0].metadata.get("source", "text")))
        body = "".join(map(_shown, parts(chunks, self._source)))
        return (
            f"<section><h2>{name}</h2>"
            f"<p>{counted(len(chunks), 'chunk')}, sizes {min(sizes)} to {max(sizes)}{limit}</p>"
            f'{_chart(sizes, self._limit)}<div class="text">{body}</div></section>'
        )


def view(
    chunks: Iterable[Document],
    source: str | None = None,
    *,
    limit: int | None = None,
    length_function: LengthFunction = len,
) -> View:
    r"""Show chunks in their text.

    Args:
        chunks: Chunks of one document or of several, in order.
        source: The text that the chunks of one document were cut from; with it, and with
            `start_index` in the metadata, what no chunk holds is shown, too.
        limit: The `chunk_size` to draw into the chart of sizes.
        length_function: What a chunk's size is; characters if not given.

    Returns:
        A `View`: a notebook shows it, `.save("chunks.html")` writes a page.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: `source` is not the text that the chunks were cut from, or `limit` is below 1.

    Example:
        >>> from langchain_mchunk import SectionSplitter
        >>> text = "One.\n\nTwo."
        >>> chunks = SectionSplitter(add_start_index=True).create_documents([text])
        >>> view(chunks, text)._repr_html_().count('class="mark"')
        1
    """
    return View(chunks, source, limit, length_function)


def is_page(path: Path) -> bool:
    """Tell whether a file is a page that a view has written."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(len(_START)) == _START


def _shown(part: Part) -> str:
    marks = "".join(map(_mark, part.begins))
    if not part.chunks:
        return f'<span class="out">{escape(part.text)}</span>'
    colour = "ab"[number(part.chunks[0], "index", 0) % 2]
    shared = " shared" if len(part.chunks) > 1 else ""
    title = escape(" and ".join(map(_about, part.chunks)))
    return f'{marks}<span class="{colour}{shared}" title="{title}">{escape(part.text)}</span>'


def _mark(chunk: Document) -> str:
    about = " · ".join(f"<bdi>{escape(fact)}</bdi>" for fact in _facts(chunk))
    return (
        f'<span class="mark" tabindex="0">#{number(chunk, "index", 0)}'
        f'<span class="note" role="note">{about}</span></span>'
    )


def _facts(chunk: Document) -> list[str]:
    """Say index and label, size and path of a chunk."""
    metadata = chunk.metadata
    name = f"#{number(chunk, 'index', 0)} {metadata.get('label', '')}".rstrip()
    size = counted(len(chunk.page_content), "character")
    return [name, size, *map(str, filter(None, [metadata.get("headers")]))]


def _about(chunk: Document) -> str:
    return " · ".join(_facts(chunk))


def _chart(sizes: Sequence[int], limit: int | None) -> str:
    """Draw a bar a chunk, and the limit as a dashed line."""
    tallest = max(*sizes, limit or 1, 1)
    bars = "".join(
        f'<rect x="{i + 0.1:.1f}" y="{CHART_HEIGHT - h:.1f}" width="0.8" height="{h:.1f}">'
        f"<title>#{i}: {size}</title></rect>"
        for i, size in enumerate(sizes)
        for h in [size / tallest * CHART_HEIGHT]
    )
    line = ""
    if limit is not None:
        y = CHART_HEIGHT - limit / tallest * CHART_HEIGHT
        line = f'<line x1="0" x2="{len(sizes)}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return (
        f'<svg viewBox="0 0 {len(sizes)} {CHART_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="sizes of the chunks">{bars}{line}</svg>'
    )


# Background colours of 256-colour terminals, readable with dark and with light text alike.
_PAINTS: Final = ("\x1b[48;5;153;38;5;16m", "\x1b[48;5;223;38;5;16m")
_UNDERLINED: Final = "\x1b[4m"
_PLAIN: Final = "\x1b[0m"


def painted(chunks: Sequence[Document], source: str | None, *, colour: bool) -> Iterator[str]:
    """Yield the text with a border line before each chunk; what two chunks share is underlined."""
    for part in parts(chunks, source):
        for chunk in part.begins:
            shared = f" · {len(part.text)} shared" if len(part.chunks) > 1 else ""
            yield f"\n── {printable(_about(chunk))}{shared} ──\n"
        text = printable(part.text, kept="\n\t")
        if colour and part.chunks:
            paint = _PAINTS[number(part.chunks[0], "index", 0) % 2]
            paint += _UNDERLINED if len(part.chunks) > 1 else ""
            text = f"{paint}{text}{_PLAIN}".replace("\n", f"{_PLAIN}\n{paint}")
        yield text
    yield "\n"
