"""latex against LangChain's LatexTextSplitter, on a paper with formulas."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator

from harness import Row, faster, growth, seconds
from langchain_text_splitters import LatexTextSplitter

from langchain_mchunk import LatexSplitter

WORDS = """
a bounded linear operator on the space of continuous functions that is compact converges almost
everywhere for all sequences we let there be an estimate which follows from the lemma by proof
"""
FORMULAS = (
    r"$X$ $f\colon\,X\to\,Y$ $x_i\in\mathbb{R}^n$ $\|f\|_{L^2(\Omega)}$ $\lambda_{k+1}\le\lambda_k$"
)
DISPLAYS = r"""
\begin{equation}\label{eq:bound}
  \int_{\Omega} |\nabla u|^2 \, dx \le C \sum_{i=1}^{n} \frac{a_i}{b_i + \varepsilon}
\end{equation}

\[
  f(x) = \lim_{n \to \infty} \left( 1 + \frac{x}{n} \right)^{n}
\]

\begin{align}
  a_{j} &= \frac{\partial f}{\partial x} + \mathcal{O}(h) \\
  b_{j} &= \sup_{t > 0} \| e^{tA} u_0 \|_{X}
\end{align}

\begin{tabular}{lr}
  \hline
  run & 0.25 \\
  mean & 0.75 \\
  \hline
\end{tabular}

\begin{itemize}
  \item The bound holds for $x > 0$.
  \item It is sharp.
\end{itemize}
"""
FORMULA_RATE = 0.2  # of all words: one in 55 characters
HARD = ("{", "$", r"\begin{a}", "%", r"\section{", r"\[", r"\begin{tabular}{l} \\ ")


def paper() -> str:
    """About 0.7 MB: sections of paragraphs, each fifth word a formula, and displays."""
    chance = random.Random(7)

    words, formulas = WORDS.split(), FORMULAS.split()
    displays = DISPLAYS.strip().split("\n\n")

    def sentence() -> str:
        kinds = [chance.random() < FORMULA_RATE for _ in range(chance.randint(9, 25))]
        written = " ".join(chance.choice(formulas if formula else words) for formula in kinds)
        return f"We see {written}~\\cite{{key{chance.randint(1, 99)}}}."

    def paragraph() -> str:
        text = " ".join(sentence() for _ in range(chance.randint(3, 7)))
        return "\n".join(textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False))

    parts = ["\\documentclass{article}\n\\newcommand{\\R}{\\mathbb{R}}\n\\begin{document}"]
    for number in range(250):
        command = "section" if number % 4 == 0 else "subsection"
        parts.append(f"\\{command}{{Part {number} on \\emph{{bounds}}}}\\label{{sec:{number}}}")
        for _ in range(3):
            parts += [paragraph(), chance.choice(displays), "% to be checked"]
    return "\n\n".join([*parts, "\\end{document}\n"])


def rows() -> Iterator[Row]:
    text = paper()
    for size in (4000, 800):
        peer = LatexTextSplitter(chunk_size=size, chunk_overlap=50)
        ours = LatexSplitter(chunk_size=size, chunk_overlap=50)
        yield faster(
            f"latex, create_documents {size}/50, to LangChain's LatexTextSplitter",
            lambda peer=peer: peer.create_documents([text]),
            lambda ours=ours: ours.create_documents([text]),
            rounds=15,
        )
    split = LatexSplitter().split_text
    yield growth("latex, split_text", split, text, (1, 4, 16))
    prose = seconds(lambda: split((text * 3)[:1_000_000]))
    for hard in HARD:
        spent = seconds(lambda hard=hard: split(hard * (1_000_000 // len(hard))))
        yield Row(f"latex, 1 MB of {hard}", f"{spent:.2f} s, {spent / prose:.0f} times a paper's")
