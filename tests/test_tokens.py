"""Tokens as the unit: counters, their rulers, and windows of tokens."""

import copy
import doctest
import pickle
import random
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import TokenTextSplitter
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from langchain_mchunk import TokenCounter, TokenSplitter, encodings, token_ruler, tokens
from langchain_mchunk.sizes import FunctionRuler, ruler
from langchain_mchunk.splitters import token as token_strategy
from langchain_mchunk.token_ruler import SeamRuler, TokenRuler, blocks

ENCODINGS = ("gpt2", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")

# What tokenisation depends on: words, contractions, digits, signs, all kinds of white space, marks
# that join or stand alone, scripts without blanks, characters of several tokens, special tokens.
PARTS = (
    *("word", "Hello", "don't", "it's", "CamelCase", "UPPER", "A", "'s", "'ll", "'", "\u2019s"),
    *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\xa0", "\u3000", "\u2028", "\x1c", "\x85"),
    *(".", ",", "...", "!?", "(", ")", "/", "_", "-", "^^^^", "x=1;", "12345", "3.14", "\xb2"),
    *("\xe9", "e\u0301", "\u5b57", "\u6f22\u5b57", "\u3002", "\uff0c", "\u2167", "\xaa", "\u200b"),
    *("\U0001f984", "\U0001f469\u200d\U0001f467", "\u0928\u092e\u0938\u094d\u0924\u0947", "\ufeff"),
    *("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "<|endoftext|>", "<|fim_prefix|>", "<|", "|>"),
)
TEXTS = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


def random_text(chance, length):
    parts = chance.sample(PARTS, chance.randint(3, len(PARTS)))
    return "".join(chance.choices(parts, k=length))


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        *((name, ()) for name in ENCODINGS),
        ("p50k_edit", "all"),
        ("cl100k_base", "all"),
        ("o200k_harmony", ("<|endoftext|>", "<|start|>")),
    ],
)
def test_slices_measure_as_when_encoded(name, allowed):
    chance = random.Random(f"{name} {allowed}")
    count = TokenCounter(name, allowed_special=allowed)
    for _ in range(40):
        text = random_text(chance, chance.choice([10, 200, 800]))
        laid = count.ruler(text)
        assert isinstance(laid, SeamRuler)
        for _ in range(100):
            start = chance.randrange(len(text))
            end = min(len(text), start + chance.choice([3, 30, 300, 3000]))
            size = count(text[start:end])
            assert laid.size(start, end) == size
            for limit in (size - 1, size, chance.randrange(1, 100)):
                assert laid.fits(start, end, limit) == (size <= limit)


@pytest.mark.parametrize("name", ENCODINGS)
def test_token_ends_are_tiktokens(name):
    text = random_text(random.Random(name), 2000)
    count = TokenCounter(name)
    done, ends = b"", []
    for token in count.encoding.encode_ordinary(text):
        done += count.encoding.decode_single_token_bytes(token)
        whole = done.decode(errors="ignore")
        ends.append(len(whole) + (len(whole.encode()) < len(done)))
    assert list(count.ruler(text)._ends) == ends


@given(TEXTS, st.data())
def test_reach_and_back_keep_whole_tokens_and_characters(text, data):
    laid = TokenCounter().ruler(text)
    limit = data.draw(st.integers(1, 30))
    start = data.draw(st.integers(0, len(text)))
    ends = laid._ends
    reach, back = laid.reach(start, limit), laid.back(start, limit)
    assert 0 <= back <= start <= reach <= len(text)
    assert sum(start < end <= reach for end in ends) <= limit
    assert sum(back < end <= start for end in ends) <= limit
    if reach < len(text):
        assert sum(start < end <= reach + 1 for end in ends) >= limit
    if back > 0:
        assert sum(back - 1 < end <= start for end in ends) >= limit


def test_reach_stops_before_a_character_it_does_not_end():
    laid = TokenCounter().ruler("a\U0001f984b")  # 1 + 3 + 1 tokens
    assert [laid.reach(0, limit) for limit in (1, 2, 3, 4, 5)] == [1, 1, 1, 2, 3]
    assert [laid.back(3, limit) for limit in (1, 2, 3, 4, 5)] == [2, 2, 2, 1, 0]


@pytest.mark.parametrize("name", ENCODINGS)
def test_blocks_have_the_tokens_of_the_whole(name, monkeypatch):
    monkeypatch.setattr(token_ruler, "_BLOCK", 50)
    chance = random.Random(name)
    count = TokenCounter(name)
    made = 0
    for _ in range(50):
        text = random_text(chance, 800)
        made += len(list(blocks(text)))
        assert "".join(blocks(text)) == text
        assert count(text) == len(count.encoding.encode_ordinary(text))
    assert made > 500


@pytest.mark.parametrize("text", ["", "x", "^" * 500, " " * 499, "a b " * 99 + "^" * 300])
def test_a_block_without_a_seam_ends_as_well(text, monkeypatch):
    monkeypatch.setattr(token_ruler, "_BLOCK", 50)
    monkeypatch.setattr(token_ruler, "_LONGEST_BLOCK", 60)
    assert "".join(blocks(text)) == text
    assert all(0 < len(block) <= 60 for block in blocks(text))


@pytest.mark.parametrize(
    ("name", "blank"),
    [("gpt2", "\n"), ("cl100k_base", " "), ("o200k_base", "\t "), ("o200k_base", "\u3000")],
)
def test_more_blanks_than_tiktoken_can_encode(name, blank):
    text = "a." + blank * (1_100_000 // len(blank)) + "b" + blank * 1000
    assert TokenSplitter(encoding_name=name, chunk_size=9).split_text(text) == ["a.", "b"]


def test_counter_counts():
    count = TokenCounter()
    assert count("") == 0
    assert count("hello world") == 2
    assert isinstance(count.encoding, tiktoken.Encoding)
    assert count.encoding.name == "cl100k_base"
    assert repr(TokenCounter(model_name="gpt-4o")) == "TokenCounter('o200k_base')"


def test_counter_compares_by_names():
    assert TokenCounter(model_name="gpt-4o") == TokenCounter("o200k_base")
    assert hash(TokenCounter()) == hash(TokenCounter("cl100k_base"))
    assert TokenCounter() != TokenCounter("gpt2")
    assert TokenCounter() != TokenCounter(disallowed_special="all")
    assert TokenCounter(allowed_special=["a", "b"]) == TokenCounter(allowed_special={"b", "a"})
    assert TokenCounter() != len


def test_counter_pickles_by_names():
    count = TokenCounter("o200k_base", disallowed_special={"<|endoftext|>"})
    assert count("a") == 1
    pickled = pickle.dumps(count)
    assert len(pickled) < 300
    assert pickle.loads(pickled) == count == copy.deepcopy(count)


def test_special_text_is_ordinary_text():
    assert TokenCounter()("<|endoftext|>") == 7
    assert TokenCounter(allowed_special=None)("<|endoftext|>") == 7


@pytest.mark.parametrize("allowed", ["all", {"<|endoftext|>"}, ["<|endoftext|>"]])
def test_allowed_special_is_one_token(allowed):
    count = TokenCounter(allowed_special=allowed)
    text = "a<|endoftext|>b"
    assert count(text) == ruler(count, text).size(0, len(text)) == 3


@pytest.mark.parametrize("disallowed", ["all", {"<|endoftext|>"}])
def test_disallowed_special_is_named_with_its_offset(disallowed):
    count = TokenCounter(disallowed_special=disallowed)
    for measure in (count, count.ruler):
        with pytest.raises(
            ValueError, match=r"special token '<\|endoftext\|>' at offset 3, which dis"
        ):
            measure("ab <|endoftext|>")
        measure("<|endof")


def test_all_disallowed_are_those_not_allowed():
    count = TokenCounter(allowed_special={"<|endoftext|>"}, disallowed_special="all")
    assert count("<|endoftext|>") == 1
    with pytest.raises(ValueError, match="fim_prefix"):
        count("<|endoftext|><|fim_prefix|>")
    assert TokenCounter(allowed_special="all", disallowed_special="all")("<|endoftext|>") == 1


@pytest.mark.parametrize("option", ["allowed_special", "disallowed_special"])
@pytest.mark.parametrize("value", ["<|endoftext|>", 7, [7]])
def test_special_tokens_are_checked(option, value):
    with pytest.raises(TypeError, match=f'{option} must be "all" or a set of special tokens, got'):
        TokenCounter(**{option: value})


def test_surrogates_are_counted_as_tiktoken_counts_them():
    text = "x \ud83e\udd84 \ud800 y"  # a pair, which tiktoken joins, and a lone one
    count = TokenCounter()
    laid = count.ruler(text)
    assert laid.size(0, len(text)) == count(text) == len(count.encoding.encode_ordinary(text))


def test_no_seams_are_taken_for_granted_in_other_encodings(monkeypatch):
    theirs = tiktoken.Encoding(
        "wide",
        pat_str=r"[\s\S]+",
        mergeable_ranks={bytes([b]): b for b in range(256)},
        special_tokens={},
    )
    monkeypatch.setattr(tiktoken, "list_encoding_names", lambda: ["wide"])
    monkeypatch.setitem(encodings._loaded, "wide", theirs)
    laid = TokenCounter("wide").ruler("a b c")
    assert isinstance(laid, FunctionRuler)
    assert laid.size(0, 5) == 5


def test_one_unbroken_run_takes_no_time():
    start = time.perf_counter()
    chunks = TokenSplitter(chunk_size=100, chunk_overlap=20).split_text("^" * 300_000)
    assert time.perf_counter() - start < 20
    assert len(chunks) == 938


# ---- Hugging Face


def hugging_face():
    vocabulary = {"[UNK]": 0, **{chr(c): c for c in range(97, 123)}}
    vocabulary |= {"##" + chr(c): c + 100 for c in range(97, 123)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.normalizer = normalizers.Lowercase()
    return tokenizer


class Slow:
    """What is left of a transformers tokenizer that has no fast form."""

    def tokenize(self, text):
        return text.split()


class Fast(Slow):
    """A transformers tokenizer around a fast one."""

    def __init__(self):
        self.backend_tokenizer = hugging_face()


def test_hugging_face_tokens():
    text = "Harbour lights flicker while the ferry turns. " * 40
    splitter = TokenSplitter.from_huggingface_tokenizer(
        hugging_face(), chunk_size=20, chunk_overlap=5, add_start_index=True
    )
    count = splitter._length_function
    chunks = splitter.create_documents([text])
    assert max(count(chunk.page_content) for chunk in chunks) == 20
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert text[start : start + len(chunk.page_content)] == chunk.page_content
    assert isinstance(count.ruler(text), TokenRuler)
    again = pickle.loads(pickle.dumps(splitter))
    assert (
        again.split_text(text)
        == splitter.split_text(text)
        == copy.deepcopy(splitter).split_text(text)
    )


def test_hugging_face_truncation_and_padding_do_not_count():
    tokenizer = hugging_face()
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=50)
    assert tokens.HuggingFaceCounter(tokenizer)("abcdef") == 6
    assert tokenizer.truncation
    assert tokenizer.padding


def test_transformers_tokenizers():
    assert tokens.HuggingFaceCounter(Fast())("abc") == 3
    slow = tokens.HuggingFaceCounter(Slow())
    assert slow("one two") == 2
    assert slow.ruler("one two").size(0, 7) == 2


def test_hugging_face_blocks(monkeypatch):
    text = "some words and other words " * 30
    count = tokens.HuggingFaceCounter(hugging_face())
    whole = list(count.ruler(text)._ends)
    monkeypatch.setattr(token_ruler, "_BLOCK", 50)
    assert list(count.ruler(text)._ends) == whole


def test_what_is_no_tokenizer_is_refused():
    with pytest.raises(
        TypeError, match=r"tokenizer must be a tokenizers.Tokenizer or a .* got str"
    ):
        TokenSplitter.from_huggingface_tokenizer("bert")


# ---- windows of tokens


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(ENCODINGS), st.integers(1, 30), st.booleans(), st.data())
def test_windows_keep_the_laws(text, name, size, strip, data):
    overlap = data.draw(st.integers(0, size - 1))
    splitter = TokenSplitter(
        encoding_name=name,
        chunk_size=size,
        chunk_overlap=overlap,
        strip_whitespace=strip,
        add_start_index=True,
    )
    count = TokenCounter(name)
    covered = set()
    last_start = last_end = -1
    for chunk in splitter.create_documents([text]):
        start = chunk.metadata["start_index"]
        end = start + len(chunk.page_content)
        assert text[start:end] == chunk.page_content
        assert count(text[start:end]) <= size or end == start + 1
        assert start > last_start
        assert end > last_end
        assert start >= last_end or count(text[start:last_end]) <= overlap
        covered.update(range(start, end))
        last_start, last_end = start, end
    missing = "".join(text[at] for at in set(range(len(text))) - covered)
    assert not missing.strip().strip("\ufeff") if strip else not missing


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_plain_text_gives_the_windows_of_langchain(name, monkeypatch):
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, name, encodings.load(name))
    words = (
        "the quick brown fox jumps over lazy dogs; then 1234 hens, (indivisible) antiques and.\n\nx"
    )
    text = " ".join(random.Random(name).choices(words.split(" "), k=2000))
    theirs = TokenTextSplitter(encoding_name=name, chunk_size=50, chunk_overlap=10)
    ours = TokenSplitter(
        encoding_name=name, chunk_size=50, chunk_overlap=10, strip_whitespace=False
    )
    assert ours.split_text(text) == theirs.split_text(text)


def test_clusters_stay_whole_if_they_fit():
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"  # 13 tokens
    assert TokenSplitter(chunk_size=15, chunk_overlap=0).split_text(
        f"one two three four {family} five"
    ) == [
        "one two three four",
        f"{family} five",
    ]
    assert len(TokenSplitter(chunk_size=4, chunk_overlap=0).split_text(family)) > 1


def test_from_tiktoken_encoder_is_the_constructor():
    text = "one two three <|endoftext|>"
    made = TokenSplitter.from_tiktoken_encoder("gpt2", chunk_size=3, chunk_overlap=1)
    assert made.split_text(text) == TokenSplitter(
        encoding_name="gpt2", chunk_size=3, chunk_overlap=1
    ).split_text(text)
    with pytest.raises(ValueError, match="at offset 14"):
        TokenSplitter.from_tiktoken_encoder(disallowed_special="all").split_text(text)


def test_length_function_has_no_effect():
    text = "one two three four"
    assert TokenSplitter(length_function=len, chunk_size=4).split_text(text) == [text]


def test_names_are_checked_at_construction():
    with pytest.raises(ValueError, match="encoding_name must be"):
        TokenSplitter(encoding_name="cl200k_base")
    with pytest.raises(ValueError, match="model_name must be"):
        TokenSplitter.from_tiktoken_encoder(model_name="gpt5")


def test_copies_threads_and_processes_agree():
    text = "Harbour lights flicker while the ferry turns. " * 200
    splitter = TokenSplitter(model_name="gpt-4o", chunk_size=30, chunk_overlap=7)
    expected = splitter.split_text(text)
    assert pickle.loads(pickle.dumps(splitter)).split_text(text) == expected
    assert copy.deepcopy(splitter).split_text(text) == expected
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(splitter.split_text, [text] * 8)) == [expected] * 8
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(splitter.split_text, [text] * 2)) == [expected] * 2


@pytest.mark.parametrize("module", [tokens, token_strategy])
def test_examples(module):
    ran = doctest.testmod(module)
    assert ran.attempted
    assert not ran.failed
