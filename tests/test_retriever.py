"""The keyword retriever: cases, the plain scan as an oracle, and what LangChain asks of a retriever."""

import copy
import json
import math
import pickle
import subprocess
import sys
import threading
import time
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableLambda, RunnablePassthrough
from langchain_core.tools import create_retriever_tool
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests

from langchain_mchunk.index import Segment, batches, merged
from langchain_mchunk.ranking import best, bm25
from langchain_mchunk.retriever import KeywordRetriever
from langchain_mchunk.words import Word, fold, overlap, query_words, telling, words

HERE = Path(__file__).parent
CASES = [
    json.loads(line)
    for path in sorted((HERE / "cases" / "retriever").glob("*.jsonl"))
    for line in path.read_text().splitlines()
]
TEXTS = ["The cache is cold.", "A cache of caches.", "Nothing.", "Cold storage.", "cache"]


def corpus(generator: str) -> list[str]:
    """Read `@corpus:PATTERN:N:SUFFIX:i,j`."""
    _, pattern, size, suffix, chosen = generator.split(":")
    ends = {int(number) for number in chosen.split(",")}
    return [pattern % i + (f" {suffix}" if i in ends else "") for i in range(int(size))]


def test_there_are_cases():
    assert len(CASES) > 50
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    texts = corpus(case["input"]) if isinstance(case["input"], str) else case["input"]
    options = case["options"].copy()
    query = options.pop("query")
    started = time.perf_counter()
    metadatas = case.get("metadatas") or [{} for _ in texts]
    metadatas = [{**metadata, "place": place} for place, metadata in enumerate(metadatas)]
    retriever = KeywordRetriever.from_texts(texts, metadatas, **options)
    found = retriever.search_with_score(query)
    expected = case["expect"]
    assert time.perf_counter() - started < expected.get("time_limit_s", math.inf)
    assert [document.metadata["place"] for document, _ in found] == expected["order"]
    if "scores" in expected:
        assert [score for _, score in found] == expected["scores"]
    assert retriever.invoke(query) == [document for document, _ in found]


# The plain scan, written a second time and without the library's words.


CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]"


def plain_fold(text):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def plain_short(word):
    return len(word) <= 3 and not regex.search(CJK, word)


def plain_count(word, text):
    if not plain_short(word):
        return text.count(word)
    return sum(run == word for run in regex.findall(r"[\w\p{M}]+", text))


def plain_words(query, texts):
    for word in regex.findall(r"[\w\p{M}]+", plain_fold(query)):
        end = 0
        for run in regex.finditer(CJK + "{3,}", word):
            if not any(run[0] in text for text in texts):
                yield word[end : run.start()]
                yield from (run[0][i : i + 2] for i in range(len(run[0]) - 1))
                end = run.end()
        yield word[end:]


def plain_scores(query, texts, scoring):
    texts = [plain_fold(text) for text in texts]
    wanted = [word for word in plain_words(query, texts) if word]
    if scoring == "overlap":
        wanted = [word for word in wanted if not plain_short(word)] or wanted
        return [sum(plain_count(word, text) for word in wanted) for text in texts]
    result = [0.0] * len(texts)
    mean = sum(map(len, texts)) / max(len(texts), 1)
    for word, times in Counter(wanted).items():
        counts = [plain_count(word, text) for text in texts]
        holding = sum(count > 0 for count in counts)
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for i, count in enumerate(counts):
            if count:
                norm = 1.2 * (1 - 0.75 + 0.75 * len(texts[i]) / mean)
                result[i] += times * (idf * count * 2.2 / (count + norm))
    return result


def plain_search(scores, k, order, min_score):
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    least = min_score if min_score is not None else 5e-324
    top = [i for i in ranked if scores[i] >= least][:k]
    return [(i, scores[i]) for i in (top if order == "score" else sorted(top))]


PARTS = [
    *["cache", "Caches", "ache", "anan", "ananan", "to", "TO", "a", "go_1", "ﬃx", "straße", "İi"],
    *[
        "кот",
        "КОТЫ",
        "हिन्दी",
        "ไทย",
        "ภาษาไทย",
        "全文検索",
        "検索",
        "水",
        "サーバー",
        "서울시",
        "𠮷野家",
    ],
    *[
        " ",
        " ",
        " ",
        ", ",
        "\n",
        "\0",
        "e\u0301",
        "\u0301",
        "\u200d",
        "\ud800",
        "🙂",
        "é",
        "=\u0338",
    ],
]
texts_of = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


@given(
    texts=st.lists(texts_of, max_size=12),
    query=texts_of,
    scoring=st.sampled_from(["overlap", "bm25"]),
    k=st.integers(0, 5),
    order=st.sampled_from(["document", "score"]),
    min_score=st.sampled_from([None, 0, 0.5, 2]),
    split=st.integers(0, 12),
)
@settings(max_examples=300, deadline=None)
def test_results_and_scores_are_those_of_the_plain_scan(
    texts, query, scoring, k, order, min_score, split
):
    documents = KeywordRetriever.from_texts(texts).documents
    retriever = KeywordRetriever.from_documents(
        documents[:split], k=k, scoring=scoring, order=order, min_score=min_score
    )
    retriever.invoke("a query builds the first part of the index")
    retriever.add_documents(documents[split:])
    found = retriever.search_with_score(query)
    expected = plain_search(plain_scores(query, texts, scoring), k, order, min_score)
    assert [score for _, score in found] == [score for _, score in expected]
    assert all(
        document is documents[i] for (document, _), (i, _) in zip(found, expected, strict=True)
    )


@given(texts=st.lists(texts_of, max_size=12), query=texts_of)
@settings(max_examples=100, deadline=None)
def test_the_rule_in_words_is_the_rule_of_the_index(texts, query):
    retriever = KeywordRetriever.from_texts(texts, k=len(texts), min_score=0)
    folded = [fold(text) for text in texts]
    prepared = telling(query_words(query, lambda run: any(run in text for text in folded)))
    scores = [overlap(prepared, text) for text in texts]
    assert [score for _, score in retriever.search_with_score(query)] == scores


@given(
    texts=st.lists(texts_of, max_size=12), kept=st.lists(st.booleans(), min_size=12, max_size=12)
)
@settings(max_examples=100, deadline=None)
def test_a_merged_or_thinned_index_is_that_of_its_texts(texts, kept):
    folded = [fold(text) for text in texts]
    kept = kept[: len(texts)]
    whole = merged([Segment.of(folded[:3]), Segment.of(folded[3:])])
    thinned = whole.only(np.array(kept, bool))
    left = [text for text, keep in zip(folded, kept, strict=True) if keep]
    assert sorted(thinned.words()) == sorted({word for text in left for word in words(text)})
    for text in thinned.words():
        for word in (Word(text, whole=True), Word(text[:2], whole=False)):
            counts = [word.count(one) for one in left]
            numbers, found = thinned.occurrences(word)
            assert list(numbers) == [i for i, count in enumerate(counts) if count]
            assert list(found) == [count for count in counts if count]


@given(
    scores=st.lists(st.integers(0, 3), max_size=1500),
    k=st.integers(0, 9),
    least=st.sampled_from([None, 0, 2, -1, 9]),
)
@settings(max_examples=100, deadline=None)
def test_the_best_are_those_of_a_stable_sort(scores, k, least):
    expected = [i for i, _ in plain_search(scores, k, "score", least)]
    assert best(np.array(scores, float), k, least) == expected


def test_a_count_larger_than_a_byte():
    retriever = KeywordRetriever.from_texts(["word " * 300, "word " * 70_000, "word"])
    assert [score for _, score in retriever.search_with_score("word")] == [300, 70_000, 1]


def test_batches_are_indexed_as_one(monkeypatch):
    monkeypatch.setattr("langchain_mchunk.index.BATCH", 20)
    parts = list(batches(map(fold, TEXTS)))
    assert len(parts) > 1
    whole = Segment.of(map(fold, TEXTS))
    word = Word("cach", whole=False)
    expected = [list(part) for part in whole.occurrences(word)]
    assert (
        [list(part) for part in merged(parts).occurrences(word)]
        == expected
        == [[0, 1, 4], [1, 2, 1]]
    )


def test_bm25_by_hand():
    """Two texts of 5 and 15 characters; the word stands twice in the shorter one alone."""
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 5 / 10))
    assert bm25(2, 5, 1, total=2, mean=10) == pytest.approx(expected)
    found = KeywordRetriever.from_texts(["ab ab", "x" * 15], scoring="bm25").search_with_score("ab")
    assert [score for _, score in found] == [pytest.approx(expected)]


def test_few_segments_however_documents_are_added():
    retriever = KeywordRetriever()
    for number in range(200):
        retriever.add_documents([Document(page_content=f"word{number} common")])
        assert retriever.invoke(f"word{number}")[0].page_content == f"word{number} common"
    _, segments = retriever.corpus.indexed()
    assert len(segments) <= 9
    assert len(retriever.invoke("common", k=300)) == 200


# LangChain's side


class TestStandard(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return KeywordRetriever

    @property
    def retriever_constructor_params(self):
        return {"documents": [Document(page_content=text) for text in TEXTS]}

    @property
    def retriever_query_example(self):
        return "cold cache"


def contents(documents):
    return [document.page_content for document in documents]


async def test_async_and_batch_give_the_same():
    retriever = KeywordRetriever.from_texts(TEXTS)
    expected = retriever.invoke("cache", k=1)
    assert contents(expected) == [TEXTS[1]]
    assert await retriever.ainvoke("cache", k=1) == expected
    assert retriever.batch(["cache", "cold"]) == [
        retriever.invoke("cache"),
        retriever.invoke("cold"),
    ]
    assert await retriever.abatch(["cold"]) == [retriever.invoke("cold")]


def test_callbacks_see_the_query_and_the_documents():
    from langchain_core.callbacks import BaseCallbackHandler

    seen = []

    class Handler(BaseCallbackHandler):
        def on_retriever_start(self, serialized, query, **kwargs):
            seen.append(query)

        def on_retriever_end(self, documents, **kwargs):
            seen.append(contents(documents))

    KeywordRetriever.from_texts(TEXTS, tags=["t"], metadata={"m": 1}).invoke(
        "storage", config={"callbacks": [Handler()]}
    )
    assert seen == ["storage", [TEXTS[3]]]


def built(retriever):
    _, segments = retriever.corpus.indexed()
    return segments


def test_configured_forms_and_copies_share_the_index(monkeypatch):
    retriever = KeywordRetriever.from_texts(TEXTS)
    segments = built(retriever)
    monkeypatch.setattr(Segment, "of", None)  # nothing may be indexed again
    configurable = retriever.configurable_fields(
        k=ConfigurableField(id="k"), scoring=ConfigurableField(id="scoring")
    )
    config = {"configurable": {"k": 1, "scoring": "bm25"}}
    assert contents(configurable.invoke("cache", config)) == [TEXTS[4]]
    assert contents(configurable.with_config(config).invoke("cache")) == [TEXTS[4]]
    for twin in (retriever.model_copy(), copy.copy(retriever), configurable._prepare(config)[0]):
        assert twin.corpus is retriever.corpus
    for twin in (copy.deepcopy(retriever), pickle.loads(pickle.dumps(retriever))):
        assert twin.invoke("cache") == retriever.invoke("cache")
        assert len(built(twin)) == len(segments)
    retriever.model_copy(update={"k": 1}).delete([])
    assert contents(retriever.bind(k=1).invoke("cache")) == [TEXTS[1]]


def test_what_is_added_to_a_copy_is_in_all_of_them():
    retriever = KeywordRetriever.from_texts(TEXTS)
    retriever.model_copy().add_documents([Document(page_content="cachet")])
    assert contents(retriever.invoke("cachet")) == ["cachet"]


def test_delete():
    retriever = KeywordRetriever.from_texts(TEXTS, ids=["a", "b", "c", "b", None])
    retriever.invoke("cache")
    retriever.add_documents([Document(page_content="cache later", id="d")])
    assert retriever.delete(["b", "unknown"]) == 2
    assert contents(retriever.documents) == [TEXTS[0], TEXTS[2], TEXTS[4], "cache later"]
    assert contents(retriever.invoke("cache")) == [TEXTS[0], TEXTS[4], "cache later"]
    assert retriever.invoke("storage") == []
    assert retriever.delete(["a", "c", "d"]) == 3
    assert contents(retriever.invoke("cache")) == [TEXTS[4]]
    with pytest.raises(TypeError, match="ids must be a list of str, got one str"):
        retriever.delete("a")


def test_a_deleted_run_stands_in_no_chunk():
    retriever = KeywordRetriever.from_texts(["全文検索", "全文と検索"], ids=["a", "b"])
    assert contents(retriever.invoke("全文検索")) == ["全文検索"]
    retriever.delete(["a"])
    assert contents(retriever.invoke("全文検索")) == ["全文と検索"]


def test_filter():
    retriever = KeywordRetriever.from_texts(
        ["cache"] * 100, [{"n": n} for n in range(100)], k=2, filter=lambda m: m["n"] > 60
    )
    assert [d.metadata["n"] for d in retriever.invoke("cache")] == [61, 62]
    found = retriever.invoke("cache", filter=lambda metadata: metadata["n"] % 40 == 39)
    assert [d.metadata["n"] for d in found] == [39, 79]
    assert retriever.invoke("cache", filter=lambda _: False) == []


def test_include_score_leaves_the_documents_alone():
    retriever = KeywordRetriever.from_texts(TEXTS, include_score=True, ids=list("abcde"))
    found = retriever.invoke("cache")
    assert [(d.id, d.metadata) for d in found] == [
        ("a", {"score": 1}),
        ("b", {"score": 2}),
        ("e", {"score": 1}),
    ]
    assert all(document.metadata == {} for document in retriever.documents)


def test_threads():
    retriever = KeywordRetriever.from_texts(["common"] * 500, ids=[str(n) for n in range(500)])
    failures = []

    def query():
        try:
            for _ in range(30):
                found = retriever.invoke("common", k=2000)
                assert len(found) >= 400
                assert {document.page_content for document in found} == {"common"}
        except BaseException as failure:  # noqa: BLE001 - a thread's failure would be lost
            failures.append(failure)

    threads = [threading.Thread(target=query) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(100):
        retriever.add_documents([Document(page_content="common")])
        retriever.delete([str(number)])
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(retriever.invoke("common", k=2000)) == 500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "k must be at least 0, got -1"),
        ({"k": "four"}, "valid integer"),
        ({"scoring": "tfidf"}, "'overlap' or 'bm25'"),
        ({"order": "best"}, "'document' or 'score'"),
        ({"kk": 3}, "kk\n  Extra inputs are not permitted"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        KeywordRetriever.from_texts(TEXTS, **options)


def test_bad_calls():
    retriever = KeywordRetriever.from_texts(TEXTS)
    with pytest.raises(ValueError, match="k must be at least 0, got -2"):
        retriever.invoke("cache", k=-2)
    with pytest.raises(TypeError, match="k must be an integer, got 1.5"):
        retriever.search_with_score("cache", 1.5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'kk'"):
        retriever.invoke("cache", kk=2)
    with pytest.raises(TypeError, match="query must be a str, got list"):
        retriever.invoke(["cache"])
    with pytest.raises(TypeError, match="documents must hold Documents, got str: use from_texts"):
        retriever.add_documents(["cache"])
    with pytest.raises(ValueError, match=r"metadatas must be as long as texts \(5\), got 1"):
        KeywordRetriever.from_texts(TEXTS, [{}])
    with pytest.raises(ValueError, match=r"ids must be as long as texts \(5\), got 2"):
        KeywordRetriever.from_texts(TEXTS, ids=["a", "b"])
    configurable = retriever.configurable_fields(include_headers=ConfigurableField(id="headers"))
    with pytest.raises(ValueError, match="include_headers must stay True, as at construction"):
        configurable.invoke("cache", {"configurable": {"headers": False}})


# Saving


def test_save_and_load(tmp_path):
    texts = [*TEXTS, "𠮷野家 é \ud83d\ude00 \u2028\r\n", ""]
    metadatas = [
        {"n": n, "headers": "Ü > b", "nested": {"a": [1, None]}} for n in range(len(texts))
    ]
    retriever = KeywordRetriever.from_texts(
        texts, metadatas, [*"abcdef", None], k=3, scoring="bm25", order="score", min_score=0.1
    )
    retriever.save_local(tmp_path / "deep" / "folder")
    loaded = KeywordRetriever.load_local(tmp_path / "deep" / "folder")
    assert loaded.documents == retriever.documents
    assert loaded.model_dump() == retriever.model_dump()
    assert loaded.search_with_score("cold cache") == retriever.search_with_score("cold cache")
    assert KeywordRetriever.load_local(tmp_path / "deep" / "folder", k=1).k == 1
    with pytest.raises(ValueError, match="include_headers must stay True"):
        KeywordRetriever.load_local(tmp_path / "deep" / "folder", include_headers=False)


def test_load_does_not_index_again(tmp_path, monkeypatch):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    monkeypatch.setattr(Segment, "of", None)
    assert contents(KeywordRetriever.load_local(tmp_path).invoke("storage")) == [TEXTS[3]]


def test_an_empty_retriever_is_saved_too(tmp_path):
    KeywordRetriever().save_local(tmp_path)
    loaded = KeywordRetriever.load_local(tmp_path)
    assert loaded.invoke("cache") == []
    loaded.add_documents([Document(page_content="cache")])
    loaded.save_local(str(tmp_path))
    assert contents(KeywordRetriever.load_local(str(tmp_path)).invoke("cache")) == ["cache"]


def test_a_failed_save_leaves_the_old_state_and_nothing_else(tmp_path):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    bad = KeywordRetriever.from_texts(["x"], [{"when": object()}])
    with pytest.raises(ValueError, match="metadata must be JSON to be saved, got {'when'"):
        bad.save_local(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert contents(KeywordRetriever.load_local(tmp_path).documents) == TEXTS


def test_other_files_in_the_folder_are_left_alone(tmp_path):
    for name in ("notes.txt", "documents-x.jsonl", "index.npz"):
        (tmp_path / name).write_text("mine")
    retriever = KeywordRetriever.from_texts(TEXTS)
    retriever.save_local(tmp_path)
    retriever.save_local(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "documents-2.jsonl",
        "documents-x.jsonl",
        "index-2.npz",
        "index.npz",
        "notes.txt",
        "retriever.json",
    ]


def manifest(path, **changes):
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **changes}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "retriever.json").unlink(), "retriever.json cannot be read"),
        (lambda f: (f / "retriever.json").write_text('{"for'), "is damaged: it is not JSON"),
        (lambda f: (f / "retriever.json").write_bytes(b"\xff\xfe\0"), "is damaged: it is not JSON"),
        (lambda f: (f / "retriever.json").write_text("[1]"), "is of another program"),
        (lambda f: manifest(f / "retriever.json", format="x"), "is of another program"),
        (
            lambda f: manifest(f / "retriever.json", version=99),
            "must have version 1 of the format, got 99",
        ),
        (lambda f: manifest(f / "retriever.json", number="1/../x"), "'number' must be of type int"),
        (lambda f: manifest(f / "retriever.json", files=[]), "'files' must be of type dict"),
        (lambda f: manifest(f / "retriever.json", options={}), "its options must be k, scoring"),
        (lambda f: (f / "index-1.npz").unlink(), "index-1.npz is missing"),
        (lambda f: (f / "documents-1.jsonl").write_text("{}"), "documents-1.jsonl is damaged"),
        (
            lambda f: (f / "index-1.npz").write_bytes((f / "index-1.npz").read_bytes()[:-1]),
            "index-1.npz is damaged",
        ),
    ],
)
def test_a_damaged_or_foreign_folder(tmp_path, damage, message):
    KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    damage(tmp_path)
    with pytest.raises(ValueError, match=message):
        KeywordRetriever.load_local(tmp_path)


def test_no_folder(tmp_path):
    with pytest.raises(ValueError, match="must be written by save_local"):
        KeywordRetriever.load_local(tmp_path / "nowhere")


def test_a_foreign_manifest_is_not_replaced(tmp_path):
    (tmp_path / "retriever.json").write_text('{"mine": 1}')
    with pytest.raises(ValueError, match="is of another program"):
        KeywordRetriever.from_texts(TEXTS).save_local(tmp_path)
    assert (tmp_path / "retriever.json").read_text() == '{"mine": 1}'


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="kills forked processes")
def test_a_killed_save_leaves_the_old_or_the_new_state(tmp_path):
    run = subprocess.run(
        [sys.executable, HERE / "retriever_saves.py", tmp_path, "40"],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parent,
        env={"PYTHONPATH": str(HERE.parent), "PATH": ""},
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 3, "the kills must meet different states"


# In pipelines


def test_rag_chain():
    def joined(documents):
        return "\n".join(contents(documents))

    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
    model = FakeListChatModel(responses=["In the storage."])
    seen = []
    retriever = KeywordRetriever.from_texts(TEXTS, k=2)
    chain = (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | prompt
        | RunnableLambda(lambda value: seen.append(value.to_string()) or value)
        | model
        | StrOutputParser()
    )
    assert chain.invoke("Where is it cold?") == "In the storage."
    assert seen == ["Human: The cache is cold.\nCold storage.\n\nQuestion: Where is it cold?"]


def test_ensemble_with_a_vector_store():
    from langchain_classic.retrievers import EnsembleRetriever

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_texts(TEXTS)
    vectors = store.as_retriever(search_kwargs={"k": 1})

    def first(order):
        retriever = KeywordRetriever.from_texts(TEXTS, order=order)
        ensemble = EnsembleRetriever(retrievers=[retriever, vectors], weights=[0.9, 0.1], c=1)
        found = contents(ensemble.invoke("cache"))
        assert set(found) >= {TEXTS[0], TEXTS[1], TEXTS[4]}
        return found[0]

    assert first("score") == TEXTS[1]  # the one with two caches
    assert first("document") == TEXTS[0]  # fusion reads the position: wrong


def test_tool_of_an_agent():
    from langchain_classic.agents import AgentExecutor, create_tool_calling_agent

    class Model(FakeMessagesListChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

    tool = create_retriever_tool(KeywordRetriever.from_texts(TEXTS), "notes", "Searches the notes.")
    assert tool.invoke({"query": "storage"}) == "Cold storage."
    call = {"name": "notes", "args": {"query": "storage"}, "id": "1", "type": "tool_call"}
    model = Model(responses=[AIMessage("", tool_calls=[call]), AIMessage("Cold.")])
    prompt = ChatPromptTemplate.from_messages(
        [("human", "{input}"), ("placeholder", "{agent_scratchpad}")]
    )
    agent = AgentExecutor(
        agent=create_tool_calling_agent(model, [tool], prompt),
        tools=[tool],
        return_intermediate_steps=True,
    )
    answer = agent.invoke({"input": "What is in store?"})
    assert answer["output"] == "Cold."
    assert answer["intermediate_steps"][0][1] == "Cold storage."


def test_numpy_is_loaded_by_the_retriever_alone():
    code = (
        "import sys, langchain_mchunk, langchain_mchunk.splitters\n"
        "from langchain_mchunk import SectionSplitter\n"
        "SectionSplitter().split_text('# A\\n\\none')\n"
        "assert 'numpy' not in sys.modules\n"
        "from langchain_mchunk import KeywordRetriever\n"
        "assert 'numpy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE.parent)
