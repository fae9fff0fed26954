"""Which headings and elements of a page each part of its text stands under."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from langchain_mchunk.spans import skip_blank
from langchain_mchunk.splitters._html_lines import collapse
from langchain_mchunk.splitters._html_names import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from langchain_mchunk.splitters._html_text import Mark, Match, Page


class Section:
    """A heading or a matching element, what is around it, and whether any text is in it."""

    __slots__ = ("key", "level", "parent", "title", "used")

    def __init__(self, title: str, key: str, parent: Section | None, level: int = 0) -> None:
        self.title = title
        self.key = key
        self.parent = parent
        self.level = level
        self.used = False

    def path(self) -> list[Section]:
        """Return the sections with a title from the outermost down to this one."""
        found = [section for section in self._upwards() if section.title]
        found.reverse()
        return found

    def use(self) -> None:
        """Note that a part of the text is in this section, and so in those around it."""
        for section in self._upwards():
            if section.used:
                break
            section.used = True

    def _upwards(self) -> Iterator[Section]:
        section: Section | None = self
        while section:
            yield section
            section = section.parent


class Part(NamedTuple):
    """A range of the text in one section; `heading`: it is the section's own heading."""

    start: int
    end: int
    section: Section | None
    heading: bool = False


def by_headings(page: Page, keys: Mapping[str, str]) -> list[Part]:
    """Part a page at its headings: each heads what follows, up to one of its level or above.

    Args:
        page: The page.
        keys: The tags of the headings to part at, such as `h2`, and the metadata key of each.
    """
    parts: list[Part] = []
    section: Section | None = None
    at = inside = 0
    for index, mark in enumerate(page.marks):
        title = _title(page, mark) if index >= inside and mark.tag in keys else ""
        if not title:
            continue
        inside = mark.last  # a heading in a heading is part of its title
        parts.append(Part(at, mark.start, section))
        level = HEADINGS.index(mark.tag)
        while section and section.level >= level:
            section = section.parent
        section = Section(title, keys[mark.tag], section, level)
        parts.append(Part(mark.start, mark.end, section, heading=True))
        at = mark.end
    parts.append(Part(at, len(page.text), section))
    return _kept(page.text, parts)


def by_matches(page: Page) -> list[Part]:
    """Part a page at the elements that selectors match.

    A heading that matches opens a section up to the next match or the end of the matching element
    around it. Any other match is a section, and nests; its title is its first heading that is in no
    inner section, else what its attributes say.
    """
    sweep = _Sweep(page)
    for index, mark in enumerate(page.marks):
        sweep.leave(index)
        if mark.tag in HEADINGS:
            sweep.heading(index, mark)
        elif mark.match:
            sweep.enter(index, mark, mark.match)
    sweep.leave(len(page.marks))
    sweep.cut(len(page.text))
    return _kept(page.text, sweep.parts)


class _Scope:
    """The page or a matching element: its section, and the heading section that is open in it."""

    __slots__ = ("flat", "mark", "section", "wants_title")

    def __init__(self, mark: Mark | None, section: Section | None) -> None:
        self.mark = mark
        self.section = section
        self.flat: Section | None = None
        self.wants_title = section is not None


class _Sweep:
    """One pass over the marks of a page: which scopes are open, and where the next part begins."""

    def __init__(self, page: Page) -> None:
        self.parts: list[Part] = []
        self._page = page
        self._scopes = [_Scope(None, None)]
        self._at = 0
        self._in_heading = 0  # up to this mark, all are inside the last heading
        self._in_title = 0  # up to this one, inside a heading that is no text of a part

    def leave(self, index: int) -> None:
        """Close the elements that end before mark `index`."""
        while (mark := self._scopes[-1].mark) and index >= mark.last:
            self.cut(mark.end)
            self._scopes.pop()

    def enter(self, index: int, mark: Mark, match: Match) -> None:
        """Open a matching element."""
        if index < self._in_title:
            return
        self.cut(mark.start)
        scope = self._scopes[-1]
        scope.flat = None
        self._scopes.append(_Scope(mark, Section(match.name, match.key, scope.section)))

    def heading(self, index: int, mark: Mark) -> None:
        """Open the section of a heading that matches; take the title of an element from another."""
        title = _title(self._page, mark) if index >= self._in_heading else ""
        if not title:
            return
        self._in_heading = mark.last
        scope = self._scopes[-1]
        if mark.match:
            self.cut(mark.start)
            scope.flat = Section(title, mark.match.key, scope.section)
            self._take(mark, scope.flat)
        elif scope.section and scope.wants_title and not scope.flat:
            self.cut(mark.start)
            scope.section.title = title
            scope.wants_title = False
            self._take(mark, scope.section)

    def cut(self, offset: int) -> None:
        """End a part."""
        scope = self._scopes[-1]
        self.parts.append(Part(self._at, offset, scope.flat or scope.section))
        self._at = offset

    def _take(self, mark: Mark, section: Section) -> None:
        """Make a heading a part of its own."""
        self.parts.append(Part(mark.start, mark.end, section, heading=True))
        self._at = mark.end
        self._in_title = mark.last


def _title(page: Page, mark: Mark) -> str:
    return collapse(page.text[mark.start : mark.end]).strip()


def _kept(text: str, parts: list[Part]) -> list[Part]:
    """Drop blank parts, and headings that are in the path of another part.

    Parts of a section may stand before its heading, so all text is looked at first.
    """
    for part in parts:
        if not part.heading and part.section and skip_blank(text, part.start, part.end) < part.end:
            part.section.use()
    kept = []
    for part in reversed(parts):
        if part.heading and part.section and not part.section.used:
            part.section.use()
            kept.append(part)
        elif not part.heading and skip_blank(text, part.start, part.end) < part.end:
            kept.append(part)
    kept.reverse()
    return kept
