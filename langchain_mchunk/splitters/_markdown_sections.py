"""From headings to the sections of a Markdown text, with their own heading lines or without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from langchain_mchunk.headings import Heading

_MARKUP: Final = "# \t\r\n"  # all that an empty heading holds


class Section(NamedTuple):
    """A range of the text and the headings in force there, outermost first."""

    start: int
    end: int
    path: tuple[Heading, ...]

    @property
    def heading(self) -> Heading | None:
        """The heading that the section begins with, if it begins with one of its path."""
        own = self.path[-1] if self.path else None
        return own if own and own.start == self.start else None


def sections(
    headings: Sequence[Heading], end: int, levels: Collection[int], *, joined: bool
) -> Iterator[Section]:
    """Yield the sections up to `end`: the text above all headings, then one for each of `levels`.

    A heading of another level stays in its section, or ends it and those above that are deeper.
    With `joined`, a heading without text of its own goes to the section after it if that is deeper,
    and leaves an empty one.
    """
    start = 0
    path: tuple[Heading, ...] = ()
    for i, following in _cuts(headings, levels):
        stop = headings[_first_of_run(headings, i) if joined else i].start
        yield Section(start, stop, path)
        start, path = stop, following
    yield Section(start, end, path)


def stripped(text: str, parts: Iterable[Section]) -> Iterator[Section]:
    """Take the lines of their headings out of sections.

    A line stays where its heading would be in no path: its section has no text and the next is not
    deeper; or where there is something in it that is not in its title, such as an image.
    """
    waiting: Section | None = None
    for section in parts:
        if waiting and waiting.path[-1] not in section.path:
            yield waiting
        heading, waiting = section.heading, None
        if heading is None or not _is_told(text, heading):
            yield section
        elif heading.end < section.end:
            yield Section(_text_line(text, heading), section.end, section.path)
        else:
            waiting = section
    if waiting:
        yield waiting


def _cuts(
    headings: Iterable[Heading], levels: Collection[int]
) -> Iterator[tuple[int, tuple[Heading, ...]]]:
    """Yield the index of each heading that begins a section, and the headings in force then."""
    path: tuple[Heading, ...] = ()
    for i, heading in enumerate(headings):
        kept = path
        while kept and kept[-1].level >= heading.level:
            kept = kept[:-1]
        if heading.level in levels:
            path = (*kept, heading)
        elif len(kept) < len(path):
            path = kept
        else:
            continue
        yield i, path


def _first_of_run(headings: Sequence[Heading], i: int) -> int:
    """Return the first of the headings right above heading `i`, each deeper than the last."""
    while i:
        above, heading = headings[i - 1], headings[i]
        if above.end < heading.start or above.level >= heading.level:
            break
        i -= 1
    return i


def _is_told(text: str, heading: Heading) -> bool:
    """Tell whether the title holds what there is to see of a heading."""
    return bool(heading.title) or not text[heading.start : heading.end].strip(_MARKUP)


def _text_line(text: str, heading: Heading) -> int:
    """Return where the line begins in which the text below a heading does."""
    start, end = heading.start, heading.end
    return max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
