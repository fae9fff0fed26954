"""A picture of chunks: the text as it was cut, for a notebook, a page or a terminal.

Chunks that know their `start_index` are shown in place, overlaps marked; others one below another.
The page is one file without scripts, and every text in it is escaped.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from langchain_core.documents import Document

    from langchain_mchunk.sizes import LengthFunction

CHART_HEIGHT: Final = 60

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


class Part(NamedTuple):
    """A stretch of text that the same chunks cover; `begins` are those that start with it."""

    text: str
    chunks: Sequence[Document]
    begins: Sequence[Document] = ()


class View:
    """What `view` returns: shows itself in a notebook, and `save` writes a page."""

    def __init__(
        self,
        chunks: Sequence[Document],
        source: str | None,
        limit: int | None,
        length_function: LengthFunction,
    ) -> None:
        self._groups = list(by_source(chunks))
        self._source = source
        self._limit = limit
        self._length = length_function

    def _repr_html_(self) -> str:
        sections = "".join(map(self._section, self._groups)) or "<p>no chunks</p>"
        return f'<div class="mchunk"><style>{STYLE}</style>{sections}</div>'

    def save(self, path: str | Path) -> Path:
        """Write one self-contained HTML page and return its path."""
        page = (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            "<title>chunks</title>"
            "<style>body { margin: 0 } @media (prefers-color-scheme: dark) "
            "{ body { background: #17171b } }</style></head>"
            f"<body>{self._repr_html_()}</body></html>\n"
        )
        path = Path(path)
        path.write_text(page, encoding="utf-8", errors="replace")
        return path

    def _section(self, chunks: Sequence[Document]) -> str:
        sizes = [self._length(chunk.page_content) for chunk in chunks]
        limit = "" if self._limit is None else f", limit {self._limit}"
        name = escape(str(chunks[0].metadata.get("source", "text")))
        alone = self._source if len(self._groups) == 1 else None
        body = "".join(map(_shown, parts(chunks, alone)))
        return (
            f"<section><h2>{name}</h2>"
            f"<p>{len(chunks)} chunks, sizes {min(sizes)} to {max(sizes)}{limit}</p>"
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

    Example:
        >>> from langchain_mchunk import SectionSplitter
        >>> text = "One.\n\nTwo."
        >>> chunks = SectionSplitter(add_start_index=True).create_documents([text])
        >>> view(chunks, text)._repr_html_().count('class="mark"')
        1
    """
    return View(list(chunks), source, limit, length_function)


def by_source(chunks: Iterable[Document]) -> Iterator[list[Document]]:
    """Group chunks by the document they came from: `index` starts again with each."""
    group: list[Document] = []
    for chunk in chunks:
        if group and chunk.metadata.get("index", len(group)) <= group[-1].metadata.get("index", -1):
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def parts(chunks: Sequence[Document], source: str | None) -> Iterator[Part]:
    """Cut a text where chunks begin and end; without offsets, each chunk is a part."""
    if any("start_index" not in chunk.metadata for chunk in chunks):
        for chunk in chunks:
            yield Part(f"{chunk.page_content}\n\n", [chunk], [chunk])
        return
    starts = [chunk.metadata["start_index"] for chunk in chunks]
    ends = [start + len(c.page_content) for start, c in zip(starts, chunks, strict=True)]
    end = ends[-1] if source is None else len(source)
    first = last = 0  # the chunks first:last cover the part
    for low, high in pairwise(sorted({0, *starts, *ends, end})):
        begun = last
        while last < len(chunks) and starts[last] <= low:
            last += 1
        while first < last and ends[first] <= low:
            first += 1
        covering = chunks[first:last]
        if source is not None:
            text = source[low:high]
        elif covering:
            text = covering[0].page_content[low - starts[first] : high - starts[first]]
        else:
            text = "\n\n"  # a gap: what was there is not known
        yield Part(text, covering, chunks[begun:last])


def _shown(part: Part) -> str:
    marks = "".join(map(_mark, part.begins))
    if not part.chunks:
        return f'<span class="out">{escape(part.text)}</span>'
    colour = "ab"[part.chunks[0].metadata.get("index", 0) % 2]
    shared = " shared" if len(part.chunks) > 1 else ""
    title = escape(" and ".join(map(_about, part.chunks)))
    return f'{marks}<span class="{colour}{shared}" title="{title}">{escape(part.text)}</span>'


def _mark(chunk: Document) -> str:
    number = f"#{chunk.metadata.get('index', 0)}"
    return (
        f'<span class="mark" tabindex="0">{number}'
        f'<span class="note" role="note">{escape(_about(chunk))}</span></span>'
    )


def _about(chunk: Document) -> str:
    """Say index, label, size and path of a chunk."""
    metadata = chunk.metadata
    said = [f"#{metadata.get('index', 0)} {metadata.get('label', '')}".rstrip()]
    said.append(f"{len(chunk.page_content)} characters")
    return " · ".join([*said, *filter(None, [metadata.get("headers")])])


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
            yield f"\n── {_seen(_about(chunk))}{shared} ──\n"
        text = _seen(part.text)
        if colour and part.chunks:
            paint = _PAINTS[part.chunks[0].metadata.get("index", 0) % 2]
            paint += _UNDERLINED if len(part.chunks) > 1 else ""
            text = f"{paint}{text}{_PLAIN}".replace("\n", f"{_PLAIN}\n{paint}")
        yield text
    yield "\n"


def _seen(text: str) -> str:
    """Replace what would steer a terminal, line breaks and tabs excepted."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
