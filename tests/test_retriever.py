"""The keyword retriever: its cases, what LangChain asks of a retriever, and real pipelines."""

import copy
import json
import math
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
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

from langchain_mchunk import KeywordRetriever, SectionSplitter
from langchain_mchunk.index import Segment

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
    started = time.process_time()
    metadatas = case.get("metadatas") or [{} for _ in texts]
    metadatas = [{**metadata, "place": place} for place, metadata in enumerate(metadatas)]
    retriever = KeywordRetriever.from_texts(texts, metadatas, **options)
    found = retriever.search_with_score(query)
    expected = case["expect"]
    assert time.process_time() - started < expected.get("time_limit_s", math.inf)
    assert [document.metadata["place"] for document, _ in found] == expected["order"]
    if "scores" in expected:
        assert [score for _, score in found] == expected["scores"]
    assert retriever.invoke(query) == [document for document, _ in found]


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
        ({"kk": 3}, r"kk\n  Extra inputs are not permitted"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        KeywordRetriever.from_texts(TEXTS, **options)
    retriever = KeywordRetriever.from_texts(TEXTS)
    for option, value in options.items():
        with pytest.raises(ValueError, match=option):
            setattr(retriever, option, value)


def test_bad_calls():
    retriever = KeywordRetriever.from_texts(TEXTS)
    with pytest.raises(ValueError, match="k must be at least 0, got -2"):
        retriever.invoke("cache", k=-2)
    with pytest.raises(TypeError, match=r"k must be an integer, got 1\.5"):
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
    with pytest.raises(TypeError, match="include_headers must be True or False, got 'no'"):
        KeywordRetriever.from_texts(TEXTS, include_headers="no")
    with pytest.raises(ValueError, match="frozen"):
        retriever.include_headers = False
    configurable = retriever.configurable_fields(include_headers=ConfigurableField(id="headers"))
    with pytest.raises(ValueError, match="include_headers must stay True, as at construction"):
        configurable.invoke("cache", {"configurable": {"headers": False}})


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


def test_after_a_splitter():
    chunks = SectionSplitter().create_documents(
        ["# Engine\n\nOil it.\n\n## Valves\n\nTurn left.\n\n# Brakes\n\nPress."]
    )
    retriever = KeywordRetriever.from_documents(chunks, order="score")
    found = retriever.invoke("engine valves")
    assert [chunk.metadata["headers"] for chunk in found] == ["Engine > Valves", "Engine"]


def test_no_splitter_is_loaded():
    code = "import sys\nfrom langchain_mchunk import KeywordRetriever\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HERE.parent
    )
    assert "langchain_mchunk.retriever" in run.stdout.split()
    assert not [
        name for name in run.stdout.split() if name.startswith("langchain_mchunk.splitters")
    ]
