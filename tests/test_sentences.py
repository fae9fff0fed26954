"""Where sentences end, against a table of right ones (`sentences.txt`), and the cheap form of it."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import regex
import sentencex
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_mchunk.abbreviations import abbreviations
from langchain_mchunk.boundaries import Pattern, prose
from langchain_mchunk.characters import Characters
from langchain_mchunk.further_ends import language_rules
from langchain_mchunk.plain_ends import Surroundings
from langchain_mchunk.sentences import ENDERS, sentence_ends
from langchain_mchunk.stops import FOREIGN_STOPS, no_end, stops_before

TABLE = [
    line.replace("\\n", "\n").split("\t")
    for line in (Path(__file__).parent / "sentences.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
LANGUAGES = {"en", "de", "fr", "es", "it", "ru", "uk", "pl", "el", "ar", "hi", "zh", "ja"}


def cut(text: str, ends: list[int]) -> list[str]:
    """Cut a text at offsets; without blank pieces, as sentencex makes them of blank lines."""
    pieces = [text[start:end].strip() for start, end in pairwise([0, *ends, len(text)])]
    return [piece for piece in pieces if piece]


def sentences(text: str, language: str = "en", **options: object) -> list[str]:
    return cut(text, list(sentence_ends(text, language, **options)))


def bare(text: str, language: str) -> list[str]:
    return cut(text, list(accumulate(map(len, sentencex.segment(language, text)))))


def test_the_share_of_right_texts_is_above_bare_sentencex() -> None:
    assert len(TABLE) >= 60
    assert {language for language, _ in TABLE} >= LANGUAGES
    right = {row: cut(marked.replace("|", ""), marks(marked)) for row, (_, marked) in numbered()}
    ours = [r for r, (code, m) in numbered() if sentences(m.replace("|", ""), code) == right[r]]
    peer = [r for r, (code, m) in numbered() if bare(m.replace("|", ""), code) == right[r]]
    print(f"right: ours {len(ours)}, bare sentencex {len(peer)}, of {len(TABLE)}")  # noqa: T201
    assert len(ours) > len(peer)
    assert len(ours) >= 0.95 * len(TABLE)


def numbered() -> list[tuple[int, list[str]]]:
    return list(enumerate(TABLE))


def marks(marked: str) -> list[int]:
    return list(accumulate(map(len, marked.split("|"))))[:-1]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "one. two. three."),
        ("en", "He came. — and left. (perhaps.) “so.” [or not.]"),
        ("en", "He met Dr. Hall, Mt. Etna, vol. 2 and Sec. 5."),
        ("en", "See Acme Co. 5 and Ltd. (old), etc. 7 times."),
        ("en", "1. The first item"),
        ("fr", "M. Dupont, MM. Petit"),
        ("de", "Am 3. Mai und am 31. Dez. kam er."),
        ("ru", "А.С. Пушкин, т.е. Пушкин"),
        ("pl", "np. Kot"),
        ("el", "π.χ. Αθήνα; ναι"),
        ("it", "l'avv. Bianchi"),
        ("xx", "Dr. Hall, z. B. Anna, т.е. Анна, np. Anna, π.χ. Άννα"),  # no list: all of them
        ("zh", "价格３．５元"),
    ],
)
def test_no_end(language: str, text: str) -> None:
    assert sentences(text, language) == [text]


@pytest.mark.parametrize("stop", FOREIGN_STOPS)
def test_stops_of_other_scripts_end_by_themselves(stop: str) -> None:
    assert sentences(f"x{stop})”y{stop}» 5") == [f"x{stop})”", f"y{stop}»", "5"]


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("en", ["One.", "Two.  ", "Three"]),
        ("en", ["Go (now!)", "They left [at last.]", "Yes {so?}", "No"]),
        ("en", ["“Go.”", "Then ‘Stop!’", "So"]),
        ("de", ["„Geh.“", "»Ja.«", "Gut"]),
        ("ru", ["Вот и т.д.", "Она."]),
        ("de", ["Hunde u. v. m.", "Sie."]),
        ("en", ["Ask Acme Inc.", "They know."]),
        ("en", ["Τι;", "Ναι."]),  # Greek in a text of another language
        ("ka", ["ის არის.", "ის წავიდა."]),  # letters that Unicode calls small
    ],
)
def test_ends(language: str, parts: list[str]) -> None:
    assert sentences(" ".join(parts), language) == [part.strip() for part in parts]


@pytest.mark.parametrize("line", ["\n\n", "\n \t\n", "\r\n\r\n", "\r\r", "\n\u3000\n", "\n\n\n\n"])
def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not(line: str) -> None:
    assert sentences(f"one{line}two", enders=["!"]) == ["one", "two"]
    assert sentences("one\ntwo\r\nthree") == ["one\ntwo\r\nthree"]


@pytest.mark.parametrize(
    ("enders", "text", "parts"),
    [
        ([";", "."], "alpha; beta; gamma.", ["alpha;", "beta;", "gamma."]),
        ([":"], "At 12:30: go. Then: no", ["At 12:30:", "go. Then:", "no"]),
        (["!"], "One. Two! Three? Four", ["One. Two!", "Three? Four"]),
        (["。"], "好！真。是", ["好！真。", "是"]),
        ([","], "a,” b,c", ["a,”", "b,c"]),
        (["\n"], "One. Two\nThree", ["One. Two", "Three"]),
        ([], "One. Two\n\nThree", ["One. Two", "Three"]),
        (["."], "Dr. Hall left. Yes", ["Dr. Hall left.", "Yes"]),
        (["]"], "a] b", ["a]", "b"]),
        (["_"], "a__ b_c ___” d", ["a__", "b_c ___”", "d"]),
    ],
)
def test_chosen_enders(enders: list[str], text: str, parts: list[str]) -> None:
    assert sentences(text, enders=enders) == parts
    assert sentences("One. Two! Drei。", enders=ENDERS[::-1]) == ["One.", "Two!", "Drei。"]


@pytest.mark.parametrize("unit", ["?…", "…)", "\n ", " \r", ".]", "।…", "x\n"])
def test_runs_are_looked_at_once(unit: str) -> None:
    # Half a minute and more if each stop or line looked at all that follow.
    started = perf_counter()
    assert len(sentence_ends(f"{unit * 150_000}A")) <= 1
    assert perf_counter() - started < 10


def test_chosen_enders_are_searched_in_linear_time() -> None:
    started = perf_counter()
    assert sentences("_" * 1_000_000, enders=[".", "_"]) == ["_" * 1_000_000]
    assert perf_counter() - started < 3


@pytest.mark.parametrize("space", "\x85\xa0\u1680\u2003\u2009\u2028\u2029\u202f\u205f\u3000")
def test_any_space_before_an_initial(space: str) -> None:
    text = f"By{space}J. R. R.{space}Tolkien.{space}He wrote{space}I. A{space}B."
    assert sentences(text)[0] == f"By{space}J. R. R.{space}Tolkien."


def test_half_characters() -> None:
    assert sentences("A bad\ud800 one. Then \udfff. Yes") == [
        "A bad\ud800 one.",
        "Then \udfff.",
        "Yes",
    ]


@pytest.mark.parametrize("language", ["en", "ru", "zh", "xx", "", "pt-BR"])
def test_long_texts_are_read_in_blocks(language: str) -> None:
    paragraph = "Dr. Hall (who?) left. “Why? No.” Он ушёл. 好。是！ Wait… What? " * 20
    once = list(sentence_ends(paragraph, language))
    text = f"{paragraph}\n\n" * 60
    step = len(paragraph) + 2
    wanted = [i * step + at for i in range(60) for at in (0, *once)][1:]
    assert list(sentence_ends(text, language)) == wanted


def test_one_long_paragraph_is_one_run_of_sentences() -> None:
    text = "The sun rose over the hills. " * 3000
    assert len(sentence_ends(text)) == 2999
    assert len(sentence_ends("." * 50_000)) == 0
    assert len(sentence_ends("word " * 50_000)) == 0


FRAGMENTS = [
    *'aAбБ.!?…;。」”“"()[] \n\r\t1',
    "\n\n",
    ". ",
    "Dr. ",
    "z. B. ",
    "、",
    "\u0301",
    "\u3000",
    "\u0e33",
    "\u200d",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join))
def test_ends_are_in_order_between_clusters_and_lose_nothing(text: str) -> None:
    ends = list(sentence_ends(text))
    assert all(a < b for a, b in pairwise(ends))
    assert all(text[:end].strip() and text[end:].strip() for end in ends)
    assert {match.end() for match in regex.finditer(r"\X", text)}.issuperset(ends)
    assert not any(text[end].isspace() for end in ends)


def in_windows(text: str) -> list[str]:
    """Cut at the sentence ends that packing sees."""
    found = prose(text)[-3]
    assert isinstance(found, Pattern)
    ends: list[int] = []
    while (at := found.first(ends[-1] + 1 if ends else 1, len(text))) is not None:
        ends.append(at)
    backwards = []
    high = len(text)
    while (at := found.last(1, high)) is not None:
        backwards.append(at)
        high = at - 1
    assert backwards == ends[::-1]
    return cut(text, ends)


PLAIN = [
    "Dr. Hall met Mrs. Ames at 9 a.m. on Monday. They talked, e.g. about Fig. 3.",
    "He said “Stop.” Then he ran (fast.) She did not! Why? Nobody knew…  He left.",
    "Das ist z. B. ein Hund. Am 3. Mai kam er.",
    "Это проф. Иванов, т. е. он. А. С. Пушкин ушёл. Да!",
    "他说好。然后离开了！真的吗？“是。”",
    "यह है। वह भी है। क्या?",
    "one. two. three.",
    "Her scarf was red. Then I changed my mind. Just a sec. No arch. An old rag. Is it ok. Yes",
    "Bad gen. Open a tab. Big sig. Two por. One str. Max. All in. Los Angeles, CA. No ex. He",
    "Жил в г. Москва. Умер в 1837 г. Потом 5 руб. Всё.",
]


@pytest.mark.parametrize("text", PLAIN)
def test_both_forms_agree_on_plain_texts(text: str) -> None:
    assert in_windows(text) == sentences(text, "xx")


@pytest.mark.parametrize(
    ("text", "window", "full"),
    [
        # sentencex keeps what is quoted together, which may be far longer than a window
        ("“One. Two.” Three.", ["“One.", "Two.”", "Three."], ["“One. Two.”", "Three."]),
        # blank lines are a boundary of their own
        ("One\n\nTwo", ["One\n\nTwo"], ["One", "Two"]),
        # of the stops that need no white space, windows know the common ones
        ("x\u1362y", ["x\u1362y"], ["x\u1362", "y"]),
        # the semicolon, a clause elsewhere, is a Greek question mark
        ("Τι; Ναι.", ["Τι; Ναι."], ["Τι;", "Ναι."]),
        # sentencex knows more abbreviations of its language
        ("In op. Cit it is.", ["In op.", "Cit it is."], ["In op. Cit it is."]),
    ],
)
def test_where_the_forms_differ(text: str, window: list[str], full: list[str]) -> None:
    assert in_windows(text) == window
    assert sentences(text, "de") == full


def test_abbreviations() -> None:
    assert abbreviations("de-AT") == abbreviations("de_at") == abbreviations("de")
    everything = abbreviations("xx")
    for language in LANGUAGES - {"zh", "ja"}:
        listed = abbreviations(language)
        words = [*listed.never, *listed.may, *listed.names]
        assert len(words) == len(set(words))
        assert not any(word.endswith(".") for word in words)
        assert listed.added <= listed.may | listed.names
        assert listed != everything


@pytest.mark.parametrize("line", ["\n\n", "\n \t\n", "\r\n\r\n", "\r\n \r\n"])
@pytest.mark.parametrize(
    "paragraph", ["Mr. Fox left. Dr. Who came.", "\u2022 item one.", "(see below"]
)
def test_a_blank_line_begins_anew(paragraph: str, line: str) -> None:
    """Whatever stands before it, and wherever blocks are cut."""
    parts = [paragraph, "One is here. Two is here."] * 300
    alone = [sentence for part in parts for sentence in sentences(part, "de")]
    assert sentences(line.join(parts), "de") == alone


@settings(max_examples=300)
@given(st.text("a \n\r\t\u2028", max_size=80).map("a{}a".format))
def test_blank_lines_are_those_of_a_pattern(text: str) -> None:
    blank_line = regex.compile(r"(?:\r\n?+|\n)[^\S\r\n]*+(?:\r\n?|\n)\s*")
    assert [*sentence_ends(text)] == [match.end() for match in blank_line.finditer(text)]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*FRAGMENTS, "Word", "word", "etc", "Mr", " "]), max_size=60).map(
        "".join
    ),
    st.sampled_from(["en", "de", "ru"]),
)
def test_plain_ends_are_forbidden_by_no_rule(text: str, language: str) -> None:
    words = abbreviations(language)
    at = np.arange(1, len(text))
    for end in at[
        Surroundings(Characters(text), at).plain(language_rules(language).shortened)
    ].tolist():
        assert text[end - 1].isspace()
        assert stops_before(text, end)
        assert not no_end(text, end, words)
