"""Extractors with LangChain's fake models: what is asked, what is added, what happens on errors."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.chat_models import SimpleChatModel
from pydantic import BaseModel

from langchain_mchunk import (
    KeywordsExtractor,
    QuestionsExtractor,
    SchemaExtractor,
    SummaryExtractor,
    TitleExtractor,
)
from langchain_mchunk.extractors import enriched, extractors


class Echo(SimpleChatModel):
    """Answers with what it was asked, in brackets, and remembers it; fails on some words."""

    seen: list[str] = []  # noqa: RUF012 - a field
    fails_on: str = "\0"
    silent_on: str = "\0"

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _call(self, messages: list[Any], *_: Any, **__: Any) -> str:
        text = messages[0].content
        self.seen.append(text)
        if self.fails_on in text:
            raise RuntimeError("no answer today")
        return " " if self.silent_on in text else f" <{text}> \n"


def chunk(text: str, **metadata: Any) -> Document:
    return Document(text, metadata={"tags": ["t"], **metadata})


ABC = [
    chunk("a", source="1", index=0),
    chunk("b", source="1", index=1),
    chunk("c", source="2", index=0),
]
BARE = {"prompt_template": "{context}"}


def added(documents: list[Document], key: str) -> list[Any]:
    return [document.metadata.get(key) for document in documents]


def test_summaries_of_neighbours_in_the_same_document() -> None:
    model = Echo(seen=[])
    found = SummaryExtractor(model, summaries=["self", "prev", "next"], **BARE).transform_documents(
        ABC
    )
    assert added(found, "section_summary") == ["<a>", "<b>", "<c>"]
    assert added(found, "prev_section_summary") == [None, "<a>", None]
    assert added(found, "next_section_summary") == ["<b>", None, None]
    assert sorted(model.seen) == ["a", "b", "c"]


def test_neighbours_of_chunks_without_a_source() -> None:
    chunks = [chunk("a", index=0), chunk("b", index=1), chunk("c", index=0)]
    found = SummaryExtractor(Echo(), summaries=["next"], **BARE).transform_documents(chunks)
    assert added(found, "next_section_summary") == ["<b>", None, None]
    assert added(found, "section_summary") == [None] * 3


def test_questions() -> None:
    template = "{num_questions} of {context}"
    found = QuestionsExtractor(Echo(), questions=3, prompt_template=template).transform_documents(
        ABC
    )
    key = "questions_this_excerpt_can_answer"
    assert added(found, key) == ["<3 of a>", "<3 of b>", "<3 of c>"]


def test_keywords_by_a_model() -> None:
    template = "{max_keywords} of {context}"
    found = KeywordsExtractor(Echo(), keywords=2, prompt_template=template).transform_documents(ABC)
    assert added(found, "excerpt_keywords") == ["<2 of a>", "<2 of b>", "<2 of c>"]


def test_keywords_by_counting() -> None:
    chunks = [chunk("Tea, tea; water. The tea."), chunk("Water and coffee beans"), chunk(" ")]
    found = KeywordsExtractor(keywords=2).transform_documents([*chunks])
    assert added(found, "excerpt_keywords") == ["water", "coffee, beans", None]
    russian = [chunk("Чайник, чайник, вода"), chunk("Вода")]
    assert added(
        KeywordsExtractor(keywords=1).transform_documents(russian), "excerpt_keywords"
    ) == [
        "чайник",
        "вода",
    ]


def test_one_title_a_document() -> None:
    model = Echo(seen=[])
    options = {"node_template": "{context}", "combine_template": "of {context}"}
    found = TitleExtractor(model, **options).transform_documents([*ABC, chunk("d"), chunk("e")])
    assert added(found, "document_title") == ["<of <a>\n<b>>"] * 2 + ["<c>", "<d>", "<e>"]
    assert model.seen.count("of <a>\n<b>") == 1


def test_only_the_first_chunks_propose_a_title() -> None:
    model = Echo(seen=[])
    chunks = [chunk(text, doc_id="x") for text in (" ", "a", "b", "c")]
    TitleExtractor(model, nodes=2, node_template="{context}").transform_documents(chunks)
    assert {"a", "b"} <= set(model.seen)
    assert "c" not in model.seen


class Facts(BaseModel):
    name: str
    year: int = 0


SCHEMA = {"title": "facts", "type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize("schema", [Facts, SCHEMA])
def test_schema_by_parsing(schema: Any) -> None:
    model = FakeListChatModel(responses=['```json\n{"name": "Ada", "year": 1815}\n```'])
    found = SchemaExtractor(model, schema=schema).transform_documents([chunk("Ada, born in 1815")])
    assert found[0].metadata == {"tags": ["t"], "name": "Ada", "year": 1815}
    under = SchemaExtractor(model, schema=schema, metadata_key="facts").transform_documents(ABC[:1])
    assert under[0].metadata["facts"] == {"name": "Ada", "year": 1815}


def test_schema_by_structured_output() -> None:
    class Structured(Echo):
        def with_structured_output(self, schema: Any, **_: Any) -> Any:
            return lambda _: schema(name="Ada")

    found = SchemaExtractor(Structured(), schema=Facts).transform_documents(ABC[:1])
    assert found[0].metadata["name"] == "Ada"


def test_schema_that_is_not_met() -> None:
    model = FakeListChatModel(responses=['{"name": "Ad'])
    with pytest.raises(ValueError, match="no JSON object in the answer"):
        SchemaExtractor(model, schema=Facts).transform_documents(ABC[:1])
    skip = SchemaExtractor(model, schema=Facts, on_error="skip")
    with pytest.warns(UserWarning, match="failed for 1 of 1 chunks; they have no name, year"):
        assert skip.transform_documents(ABC[:1])[0].metadata == ABC[0].metadata


@pytest.mark.parametrize(
    "cls", [SummaryExtractor, QuestionsExtractor, TitleExtractor, KeywordsExtractor]
)
def test_coroutines_give_the_same(cls: Any) -> None:
    extractor = cls(Echo())
    assert asyncio.run(extractor.atransform_documents(ABC)) == extractor.transform_documents(ABC)


def test_copies_in_order_and_blank_chunks_unasked() -> None:
    model = Echo(seen=[])
    chunks = [chunk("a"), chunk(" \n"), chunk("{b} {context}")]
    found = SummaryExtractor(model, **BARE).transform_documents(chunks)
    assert [document.page_content for document in found] == ["a", " \n", "{b} {context}"]
    assert added(found, "section_summary") == ["<a>", None, "<{b} {context}>"]
    assert len(model.seen) == 2
    found[0].metadata["tags"].append("new")
    assert chunks[0].metadata == {"tags": ["t"]}


def test_errors_are_raised_or_skipped() -> None:
    for model in (Echo(fails_on="b"), Echo(silent_on="b")):
        with pytest.raises((RuntimeError, ValueError), match="no answer today|empty answer"):
            SummaryExtractor(model, **BARE).transform_documents(ABC)
        skip = SummaryExtractor(model, on_error="skip", **BARE)
        with pytest.warns(
            UserWarning, match="failed for 1 of 3 chunks; they have no section_summary"
        ):
            assert added(skip.transform_documents(ABC), "section_summary") == ["<a>", None, "<c>"]


def test_config_reaches_the_model() -> None:
    class Handler(BaseCallbackHandler):
        def __init__(self) -> None:
            self.tags: list[Any] = []

        def on_chat_model_start(self, *_: Any, tags: list[str], **__: Any) -> None:
            self.tags.append(tags)

    handler = Handler()
    config = {"callbacks": [handler], "tags": ["mine"]}
    SummaryExtractor(Echo(), config=config, **BARE).transform_documents(ABC)
    SummaryExtractor(Echo(), **BARE).transform_documents(ABC, config=config)
    assert len(handler.tags) == 6
    assert all("mine" in tags for tags in handler.tags)


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    SummaryExtractor(Echo(), show_progress=True, **BARE).transform_documents(ABC)
    assert "3/3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: SummaryExtractor("gpt"),
            TypeError,
            "llm must be a LangChain chat model, got 'gpt'",
        ),
        (
            lambda: SummaryExtractor(Echo(), summaries=["both"]),
            ValueError,
            "summaries must be some of self, prev, next, got ['both']",
        ),
        (
            lambda: SummaryExtractor(Echo(), prompt_template="Sum up."),
            ValueError,
            "prompt_template must have the placeholders {context}, got none; write other braces twice",
        ),
        (
            lambda: QuestionsExtractor(Echo(), prompt_template="{context} {other}"),
            ValueError,
            "prompt_template must have the placeholders {context}, {num_questions}, got {context}, "
            "{other}; write other braces twice",
        ),
        (lambda: TitleExtractor(Echo(), nodes=0), ValueError, "nodes must be at least 1, got 0"),
        (
            lambda: SummaryExtractor(Echo(), max_concurrency=0),
            ValueError,
            "max_concurrency must be at least 1, got 0",
        ),
        (
            lambda: SummaryExtractor(Echo(), on_error="ignore"),
            ValueError,
            "on_error must be 'raise' or 'skip', got 'ignore'",
        ),
        (
            lambda: SchemaExtractor(Echo(), schema={"properties": {"label": {}}}),
            ValueError,
            "schema has a field that the chunks have already (label): give a metadata_key",
        ),
        (
            lambda: extractors({"titel": True}, Echo()),
            ValueError,
            "extract must name some of title, summary, questions, keywords, schema, got 'titel'",
        ),
        (
            lambda: extractors({"title": True}),
            ValueError,
            "extract={'title': …} needs a model: give one as llm=…",
        ),
    ],
)
def test_messages(make: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        make()


def test_what_chunk_asks_for() -> None:
    made = extractors(
        {"title": True, "keywords": {"keywords": 2}, "summary": False, "schema": Facts}, Echo()
    )
    assert [type(one).__name__ for one in made] == [
        "TitleExtractor",
        "KeywordsExtractor",
        "SchemaExtractor",
    ]
    groups = [[chunk("a"), chunk("b")], [chunk("c")]]
    titles = enriched(groups, extractors({"title": {"node_template": "{context}"}}, Echo()))
    assert len({document.metadata["document_title"] for document in titles}) == 2
    assert len(json.dumps(titles[0].metadata)) > 0
