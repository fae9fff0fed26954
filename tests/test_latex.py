"""latex: what is a heading, what may be cut, and that no source is too broken."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_mchunk import LatexSplitter
from langchain_mchunk.headings import glued
from langchain_mchunk.splitters import latex
from langchain_mchunk.splitters._latex_scan import LONGEST_TITLE, Structure, scan
from langchain_mchunk.splitters._latex_title import readable


def structure(text: str) -> Structure:
    return scan(text, lambda start, end: False)


def titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in structure(text).headings]


def blocks(text: str) -> set[str]:
    return {text[start:end] for start, end in structure(text).unbroken}


def chunks(text: str, size: int, overlap: int = 0) -> list[tuple[str, str]]:
    splitter = LatexSplitter(chunk_size=size, chunk_overlap=overlap)
    return [(c.metadata["headers"], c.page_content) for c in splitter.create_documents([text])]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (r"The \texttt{map\{\}} call {and} more", "The map{} call and more"),
        (r"Plain  words", "Plain words"),
        (r"A\label{sec:a} \index{a!b}", "A"),
        (r"A\footnote{see \emph{b} {c}} d\footnotemark[2] e\thanks{x}", "A d e"),
        (r"On $x_{1}^{2}$ and \(y\)", r"On $x_{1}^{2}$ and \(y\)"),
        (r"Cost \$5 \& 5\% \#1 a\_b", "Cost $5 & 5% #1 a_b"),
        (r"\'etude \"{o}\c{c} \v Cech \^{\i} Gr\"o\ss e", "étude öç Čech î Größe"),
        (r"\LaTeX{} is \TeX", "LaTeX is TeX"),
        (r"{\bfseries Bold} \Large big", "Bold big"),
        (r"\texorpdfstring{$\alpha$-\emph{rays}}{alpha rays} now", r"$\alpha$-rays now"),
        (r"\href{http://a.b/\%7E}{Site} \textcolor{red}{red}", "Site red"),
        (r"See \cite[p.~3]{knuth} and \ref{fig:1}", "See and"),
        ("One % a note\n  two", "One two"),
        (r"One \\[2pt] two~three 10\,km", "One two three 10 km"),
        (r"a--b c---d ``e''", "a\u2013b c—d “e”"),
        (r"Broken \textbf{\emph{x}", "Broken x"),
        (r"Broken \footnote{x", "Broken"),
        ("a\\", "a\\"),
    ],
)
def test_title_as_a_reader_sees_it(source: str, title: str) -> None:
    assert readable(source) == title


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"\part{A}\chapter{B}\section{C}", [(1, "A"), (2, "B"), (3, "C")]),
        (r"\subsection{A}\subsubsection{B}", [(4, "A"), (5, "B")]),
        (r"\paragraph{A} t \subparagraph{B}", [(6, "A"), (7, "B")]),
        (r"\section*{A} \section [a]{B} \section * {C}", [(3, "A"), (3, "B"), (3, "C")]),
        ("\\section\n{A}\n\\section%\n  [x]%\n  {B}", [(3, "A"), (3, "B")]),
        (r"\section[a {]} b]{A {b {c}} \} d}", [(3, "A b c } d")]),
        ("\\section{Two\nlines}", [(3, "Two lines")]),
        ("\\section{A % }\nB} text", [(3, "A B")]),
        (r"\section{}", [(3, "")]),
        (r"\\\section{A}", [(3, "A")]),
        ("{\\small\\section{A}", [(3, "A")]),
        (r"\begin{appendices}\section{A}\end{appendices}", [(3, "A")]),
        (r"\section<presentation>{A} \section<2->*{B}", [(3, "A"), (3, "B")]),
        (r"\section*<article>{A} \subsection <1| x> [a]{B}", [(3, "A"), (4, "B")]),
        ("\\section{Open \\section<1>{Next}", [(3, "Open"), (3, "Next")]),
    ],
)
def test_headings(text: str, found: list[tuple[int, str]]) -> None:
    assert titles(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\\section{Open\nText}\n\nmore }", [(3, "Open Text")]),
        ("\\section{Open\nText\n\nmore }", [(3, "Open")]),
        ("\\section{Open\r\nText\r\n \r\nmore }", [(3, "Open")]),
        ("\\section{Open \\section{Next}", [(3, "Open"), (3, "Next")]),
        ("\\section[Open\n\nText] {x}", [(3, "Open")]),
        ("\\section{Open", [(3, "Open")]),
        ("\\section{", [(3, "")]),
    ],
)
def test_a_title_that_is_not_closed_ends_at_its_line(text: str, found: list) -> None:
    assert titles(text) == found


@pytest.mark.parametrize(
    "text",
    [
        r"\partial{A} \sections{A} \sectionmark{A} \section@x{A}",
        r"\section A \section* \section\x{A} \section[a] b",
        r"\\section{A}",
        "% \\section{A}\n\\% % \\section{A}\r% \\section{A}",
        r"\\% \section{A}",
        r"\verb|\section{A}| \verb*!\section{A}! \lstinline[language=TeX]{\section}",
        r"\lstinline|\section{A}| \mintinline{tex}|\section{A}| \mintinline{tex}{\section}",
        r"\lstinline{\section{A}} \verb{\section{A}} \lstinline[x]{a{b{\section{A}}c}{d}}",
        r"\mintinline{tex}{\section{A}} \mint[x]{tex}{%\section{A}} \Verb{{\section{A}}}",
        r"$\section{A}$ $x \section{A} y \section{A}$ \(\section{A}\) $a$$\section{A}$",
        r"$$\section{A}$$ \[\section{A}\] $$ \mbox{$x$} \section{A}$$ $\$ \section{A}$",
        "$a +\nb \\section{A}$ \\( % \\)\nc \\section{A} \\)",
        r"\iffalse \section{A} \figure \\fi \section{A} \fi",
        "\\iffalse % \\fi\n\\section{A} \\else",
        "\\begin{verbatim}\n\\section{A}\n\\end{verbatim}",
        "\\begin{lstlisting}[x]\n\\section{A}\n\\end{lstlisting}",
        "\\begin{minted}{tex}\n\\section{A}\n\\end{minted}",
        "\\begin{comment}\n\\section{A}\n\\end{comment}",
        "\\begin{verbatim}\n\\end{verbatim*}\\section{A}",
        r"\newcommand{\a}[1]{\section{#1}} \renewcommand*\a{\section{A}}",
        r"\newenvironment{a}[1][x]{\section{#1}}{\section{A}}",
        r"\def\a#1#2{\section{A}{\section{#2}}} \gdef\a{\section{A}}",
        r"\NewDocumentCommand\a{ m o }{\section{A}}",
        "\\newcommand{\\a}%\n  [1]%\n  {\n\n\\section{A}\n\n}",
        r"\newcommand{\a}{\section{A}",
        r"\titleformat{\section}{\Large}{x}{1em}{} \let\old\section",
        "\\documentclass{book}\n\\section{A}\n\\begin{document} text",
    ],
)
def test_no_headings(text: str) -> None:
    assert titles(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "\\% \\section{A}",
        "\\begin{verbatim} % \\end{verbatim}\\section{A}",
        "\\verb|%| \\section{A} % \\verb|",
        "\\url{http://a.b/%20c} \\section{A}",
        "\\begin{verb} \\end{verb}\\section{A}",
        "% \\begin{verbatim}\n\\section{A}",
        "% \\begin{document}\n\\section{A}",
        "\\verb|\\begin{document}| \\section{A}",
        "\\newcommand{\\a}{% }\n}\\section{A}",
        "\\newcommand{\\a}{\\{}\\section{A}",
        "\\newcommand{\\a}{\n\\section{A}",
        "\\verb|never closed\n\\section{A}",
        "\\begin{document}\\section{A}\\end{document}",
        "\\lstset{escapechar=$}\\section{No}\n\\begin{document}\\section{A} $x$",
        r"\url|a%b|\section{A}",
        r"\url{a%b}\section{A}",
        r"\path{a%b}\section{A}",
        r"\href[x]{a%b{c%}}{d}\section{A}",
        r"\path (0,0) -- (1,1); \section{A}",
        r"\lstinline{{a%}b}\section{A}",
        r"\lstinline{never {closed}\section{A}",
        r"costs $5 \section{A}",
        "costs $5\n\\section{A}\ncosts $6",
        "costs $5\n  \\section*{A}\ncosts $6",
        "costs $5\n\n\\section{A} costs $6",
        "\\( x \\section{A}\n\n\\)",
        "\\[ x\n\\section{A}\n\\] $$ x\n\n$$",
        r"$x$ \section{A} $y$",
        r"\iffalse x \else \section{A} \fi",
        r"\iffalse \section{A}",
        r"\iff \section{A} \fi",
    ],
)
def test_still_headings(text: str) -> None:
    assert titles(text) == [(3, "A")]


def test_only_the_first_document_has_a_preamble() -> None:
    text = r"\section{P}\begin{document}\section{A}\end{document}\begin{document}\section{B}"
    assert titles(text) == [(3, "A"), (3, "B")]
    assert text[: structure(text).body] == r"\section{P}\begin{document}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"a\begin{a}b\end{a}c", {r"\begin{a}b\end{a}"}),
        (r"a\[b\]c \\[2pt] d\]", {r"\[b\]"}),
        (r"a$$b \mbox{$c$} \$$$d", {r"$$b \mbox{$c$} \$$$"}),
        (r"$a$$b$ and $$c$$", {"$$c$$"}),
        (r"\$$a$$b$", set()),
        ("$$a\n\nb$$", set()),
        ("$$a\n%\n%$$\nb$$ c", {"$$a\n%\n%$$\nb$$", "%", "%$$"}),
        (r"$\begin{matrix}x\end{matrix}$ \(\begin{array}x\end{array}\)", set()),
        (r"$x \begin{cases}\end{cases}", {r"\begin{cases}\end{cases}"}),
        (r"costs $5 \begin{a}costs $6\end{a}", {r"\begin{a}costs $6\end{a}"}),
        (r"\begin{a}\begin{b}\end{a}\end{b}", {r"\begin{a}\begin{b}\end{a}"}),
        (r"\begin{a}\begin{a}\end{a}", {r"\begin{a}\end{a}"}),
        (r"\end{a}\begin{a}", set()),
        (r"\begin{verbatim}\begin{a}\end{a}", set()),
        (r"\begin{document}a\end{document}", set()),
        (r"\begin{a}\begin{document}\end{a}", set()),
        ("\\begin{verbatim}\n%\\end{verbatim}", {"\\begin{verbatim}\n%\\end{verbatim}"}),
        ("a % b\nc", {"% b"}),
        (r"\begin a \begin{ \end{ \end", set()),
    ],
)
def test_blocks(text: str, found: set[str]) -> None:
    assert blocks(text) == found


def test_items_and_rows() -> None:
    text = "\\begin{itemize}\n\\item a\n\\item[b] \\\\ c\n\\end{itemize}"
    assert blocks(text) == {
        text,
        "\\begin{itemize}\n\\item a\n",
        "\\item a\n",
        "\\item[b] \\\\ c\n",
        "\\item[b] \\\\ c\n\\end{itemize}",
    }
    assert [text[i : i + 5] for i in structure(text).items] == ["\\item", "\\item"]
    text = "\\begin{tabular}{l{x}}a\\\\[2pt] \\hline {b \\\\ c}\\\\*d & \\{ \\\\\\end{tabular}"
    rows = ["a\\\\[2pt] \\hline", " {b \\\\ c}\\\\*", "d & \\{ \\\\"]
    assert blocks(text) == {
        text,
        *rows,
        "\\begin{tabular}{l{x}}" + rows[0],
        rows[-1] + "\\end{tabular}",
    }
    assert len(structure(text).rows) == 3
    assert structure("\\begin{center}a \\\\ b\\end{center} c \\\\ d").rows == []


def test_an_item_ends_at_a_heading() -> None:
    assert blocks("\\item a \\item b \\section{C} \\item d") == {"\\item a "}


def test_a_boundary_stands_behind_the_punctuation_of_a_display() -> None:
    text = r"\[a\]. Then \begin{a}b\end{a}} c"
    assert [text[:end] for end in structure(text).ends] == [text[:6], text[:-2]]


def test_paths() -> None:
    text = "\\part{P}\n\\section{A}\\label{a}\n% note\n\\subsection{B}\nText.\n\\section{C}\nMore."
    assert chunks(text, 70) == [
        ("P > A > B", text[: text.index("\n\\section{C}")]),
        ("P > C", "\\section{C}\nMore."),
    ]


def test_an_empty_title_adds_nothing_to_the_path() -> None:
    splitter = LatexSplitter(chunk_size=40, chunk_overlap=0)
    (chunk,) = splitter.create_documents(["\\section{A}\\paragraph{} Text."])
    assert (chunk.metadata["headers"], chunk.metadata["label"]) == ("A", "A")


def test_a_heading_and_its_label_stay_with_what_follows() -> None:
    text = "Words before it are here.\n\n\\section{A}\n\\label{sec:a}\n\nThe text of it."
    assert [content for _, content in chunks(text, 52)] == [text[:25], text[27:]]


def test_the_preamble_is_a_part_of_its_own() -> None:
    text = "\\documentclass{a}\n\\begin{document}\nText.\n\\end{document}"
    assert [content for _, content in chunks(text, 400)] == [text[:34], text[35:]]


def test_no_overlap_starts_inside_a_block_or_crosses_a_heading() -> None:
    block = "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}"
    text = f"First words.\n\n{block}\n\nSecond words here. And third words."
    assert chunks(text, 62, overlap=30)[1][1].startswith("Second")
    text = "One two three four. \\section{A} Five six seven eight nine. % \\section{B}\nTen eleven"
    assert [
        c for _, c in chunks(text, 60, overlap=30) if c.startswith(("A}", "\\section{B}"))
    ] == []


def test_a_block_that_is_too_large_is_cut_at_its_items() -> None:
    items = [f"\\item The {n} of them. And more." for n in ("first", "second", "third", "fourth")]
    text = "\n".join(["\\begin{enumerate}", *items, "\\end{enumerate}"])
    assert [content for _, content in chunks(text, 60)] == [
        "\\begin{enumerate}\n" + items[0],
        items[1],
        items[2],
        items[3] + "\n\\end{enumerate}",
    ]


def test_a_title_is_read_up_to_a_bound() -> None:
    (heading,) = structure("\\section{" + "word " * 20_000).headings
    assert len(heading.title) <= LONGEST_TITLE


PIECES = [
    *["word ", "A sentence. ", "\n", "\n\n", "\r\n", "  ", "é", "漢字。"],
    *["\\section{A}", "\\section*{B \\emph{c}}", "\\subsection[s]{D}", "\\part{", "\\paragraph{}"],
    *["\\label{x}", "\\item ", "\\item[a] ", "\\\\", "\\\\[2pt]", " & ", "\\hline", "\\%", "\\$"],
    *["$", "$$", "$x$", "\\(", "\\)", "\\[", "\\]", "{", "}", "\\{", "\\}", "[", "]", "\\", "*"],
    *[
        "\\begin{a}",
        "\\end{a}",
        "\\begin{cases}",
        "\\end{cases}",
        "\\begin{itemize}",
        "\\end{itemize}",
        "\\begin{tabular}{l}",
    ],
    *["\\end{tabular}", "\\begin{verbatim}", "\\end{verbatim}", "\\begin{", "\\end"],
    *["\\begin{document}", "\\end{document}", "%", "% note\n", "%\\section{No}\n"],
    *["\\lstinline{a{", "\\path|", "\\iffalse", "\\fi", "\\else", "\\section<1>{E}"],
    *["\\verb|", "|", "\\newcommand{\\x}", "\\def\\y#1", "\\url{a%b}", "\\partial", "\\textbf{"],
]
SOURCES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
law = settings(max_examples=150, deadline=None)


@law
@given(SOURCES, st.integers(1, 60), st.booleans(), st.data())
def test_whatever_is_unbalanced_is_sliced_and_covered(text, size, strip, data) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    splitter = LatexSplitter(
        chunk_size=size, chunk_overlap=overlap, strip_whitespace=strip, add_start_index=True
    )
    covered = 0
    for chunk in splitter.create_documents([text]):
        start = chunk.metadata["start_index"]
        end = start + len(chunk.page_content)
        assert text[start:end] == chunk.page_content
        assert len(chunk.page_content) <= size
        assert not text[covered:start].strip()
        covered = end
    assert not text[covered:].strip()


@law
@given(SOURCES, st.integers(5, 60))
def test_blocks_that_fit_are_not_cut(text: str, size: int) -> None:
    found = structure(text)
    ranges = {*found.unbroken, *glued(found.headings)}
    splitter = LatexSplitter(chunk_size=size, chunk_overlap=0, add_start_index=True)
    starts = [c.metadata["start_index"] for c in splitter.create_documents([text])]
    for start, end in found.unbroken:
        if len(text[start:end].strip()) > size or start < found.body < end:
            continue
        if any(a < start < b < end or start < a < end < b for a, b in ranges):
            continue  # of two that cross, one may have to be cut
        first = start + len(text[start:end]) - len(text[start:end].lstrip())
        assert not any(first < cut < end for cut in starts), text[start:end]


def cut_of(text: str) -> str:
    """Leave out what lets environments cross: a fitting one is then passed over without a trace."""
    return re.sub(r"\$\$", "", text)


@law
@given(SOURCES.map(cut_of), st.integers(5, 200))
def test_the_inside_of_what_fits_makes_no_difference(text: str, size: int) -> None:
    splitter = LatexSplitter(chunk_size=size)
    passed_over = splitter.create_documents([text])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(latex, "scan", lambda text, fits: structure(text))
        assert splitter.create_documents([text]) == passed_over


@law
@given(SOURCES)
def test_what_is_found_is_in_order_and_in_range(text: str) -> None:
    found = structure(text)
    for places in (found.ends, found.items, found.rows, [h.start for h in found.headings]):
        assert places == sorted(places)
        assert all(0 <= place <= len(text) for place in places)
    assert all(0 <= start <= end <= len(text) for start, end in found.unbroken)
    assert all(a.end <= b.start for a, b in pairwise(found.headings))
    assert all(text[h.start : h.end].startswith("\\") for h in found.headings)


LEAVES = st.sampled_from(
    [
        *["Words here. ", "\n\n", "\\textbf{bold} ", "$x_{1}$", "$a$$b$", "\\(y\\) ", "5\\% "],
        *["\\section{A}\n", "\\subsection*{B {c} \\emph{d}}\n", "\\section[s]{C $x$}\n"],
        *["% \\section{No} $$ \\begin{no}\n", "\\verb|\\section{N} $ %|", "\\\\ ", "\\partial "],
        *["\\begin{verbatim}\n\\section{N} % $\n\\end{verbatim}", "\\[ x \\]", "$$ x $$"],
        *["{\\em group} ", "\\{ "],
    ]
)
WELL_FORMED = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        "\\begin{{{0}}}\n{1}\\end{{{0}}}\n".format,
        st.sampled_from(["itemize", "figure", "quote", "equation*"]),
        st.lists(inner, max_size=4).map("".join),
    ),
    max_leaves=20,
)


def pylatexenc_finds(text: str) -> tuple[list[int], set[tuple[int, int]]]:
    """Where pylatexenc sees headings, environments and displays."""
    walker = pytest.importorskip("pylatexenc.latexwalker")
    headings, ranges = [], set()
    nodes = list(walker.LatexWalker(text).get_latex_nodes()[0])
    while nodes:
        node = nodes.pop()
        if node is None or node.isNodeType(walker.LatexCharsNode):
            continue
        kind = getattr(node, "environmentname", getattr(node, "displaytype", None))
        if getattr(node, "macroname", "") in ("section", "subsection"):
            headings.append(node.pos)
        if kind not in (None, "inline"):
            ranges.add((node.pos, node.pos + node.len))
        nodes += getattr(node, "nodelist", None) or []
        nodes += getattr(getattr(node, "nodeargd", None), "argnlist", None) or []
    return sorted(headings), ranges


@law
@given(st.lists(WELL_FORMED, max_size=6).map("".join))
def test_pylatexenc_sees_the_same_headings_and_blocks(text: str) -> None:
    found = structure(text)
    headings, ranges = pylatexenc_finds(text)
    assert [heading.start for heading in found.headings] == headings
    assert {r for r in found.unbroken if not text.startswith("%", r[0])} == ranges
