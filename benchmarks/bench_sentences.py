"""Sentence ends and the sentence strategy against bare sentencex."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator

import sentencex
from harness import Row, growth, long_paragraphs, memory, repeated, seconds

from langchain_mchunk import SentenceSplitter
from langchain_mchunk.sentences import sentence_ends

LETTERS = {
    "en": ("abcdefghiklmnoprstuwy", ". "),
    "de": ("abcdefghiklmnoprstuwzäöüß", ". "),
    "ru": ("абвгдежзийклмнопрстуфхцчшыьэюя", ". "),
    "hi": ("कखगघचछजझटठडदनपमयरलवसह", "। "),
}
HARD = [".", ". ", "!", ".)", "1. ", "Dr. ", "。", "x", "word ", "…", "“A. ", "\n", "。」"]


def made_up(language: str, characters: int, seed: int) -> str:
    """Write sentences of made-up words, six a paragraph."""
    letters, stop = LETTERS[language]
    choose = random.Random(seed)
    words = ["".join(choose.choices(letters, k=choose.randint(2, 9))) for _ in range(4000)]
    parts, length = [], 0
    while length < characters:
        sentence = " ".join(choose.choices(words, k=choose.randint(6, 24)))
        parts.append(f"{sentence[0].upper()}{sentence[1:]}{stop}")
        length += len(parts[-1])
        if len(parts) % 6 == 0:
            parts.append("\n\n")
    return "".join(parts)


def fresh(text: str, work: Callable[[str], object]) -> float:
    """Time `work` on a copy that nothing has read: strings keep their UTF-8 once it is made."""
    copy = text[:-1] + "."
    return seconds(lambda: work(copy))


def speed(what: str, text: str, language: str, ours: Callable[[str], object]) -> Row:
    rounds = [
        fresh(text, lambda t: sentencex.segment(language, t)) / fresh(text, ours) for _ in range(7)
    ]
    return Row(what, f"{statistics.median(rounds):.2f} of sentencex's speed")


def rows() -> Iterator[Row]:
    splitter = SentenceSplitter(chunk_size=1000)
    prose = long_paragraphs()
    yield speed("sentence ends, Python's topics, en", prose, "en", sentence_ends)
    yield speed("SentenceSplitter, Python's topics, en", prose, "en", splitter.split_text)
    for language in LETTERS:
        text = made_up(language, 1_000_000, seed=7)
        yield speed(
            f"sentence ends, made-up words, {language}",
            text,
            language,
            lambda t, language=language: sentence_ends(t, language),
        )
    yield growth("sentence, split_text", splitter.split_text, prose, (1, 4, 16, 64))
    yield memory("sentence, split_text", splitter.split_text, repeated(prose, 16))
    for unit in HARD:
        spent = seconds(lambda unit=unit: splitter.split_text(repeated(unit, 1)))
        yield Row(f"sentence, 1 MB of {unit!r}", f"{spent:.2f} s")
