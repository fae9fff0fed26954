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
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import PydanticOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, ValidationError

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


def test_summaries_from_a_generator() -> None:
    chosen = (which for which in ("self", "next"))
    found = SummaryExtractor(Echo(), summaries=chosen, **BARE).transform_documents(ABC)
    assert added(found, "next_section_summary") == ["<b>", None, None]
    assert added(found, "section_summary") == ["<a>", "<b>", "<c>"]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"doc_id": 0}, {"doc_id": 0}, True),
        ({"doc_id": 0, "source": "s"}, {"doc_id": 1, "source": "s"}, False),
        ({"doc_id": 0, "source": "s"}, {"source": "s"}, False),
        ({"doc_id": "s"}, {"source": "s"}, False),
        ({"doc_id": ["s"]}, {"doc_id": ["s"]}, True),
        ({"doc_id": ["s"]}, {"doc_id": "['s']"}, False),
        ({"doc_id": None, "source": "s"}, {"source": "s"}, True),
        ({}, {}, False),
    ],
)
def test_chunks_of_one_document(first: dict, second: dict, same: bool) -> None:
    chunks = [chunk("a", **first), chunk("b", **second)]
    options = {"node_template": "{context}", "combine_template": "of {context}"}
    titles = added(TitleExtractor(Echo(), **options).transform_documents(chunks), "document_title")
    assert titles == (["<of <a>\n<b>>"] * 2 if same else ["<a>", "<b>"])
    found = SummaryExtractor(Echo(), summaries=["prev"], **BARE).transform_documents(chunks)
    assert added(found, "prev_section_summary") == [None, "<a>" if same else None]


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


@pytest.mark.parametrize(
    ("answer", "keywords"),
    [
        ("a,b,c", "a, b"),
        ("1. a\n2. b", "a, b"),
        ("Keywords: Tea; tea; Milk", "Tea, Milk"),
        ("**Keywords:** tea, 'milk'.js", "tea, milk'.js"),
        ('Here are two keywords:\n\n- **hot tea**\n- "cold milk"\n', "hot tea, cold milk"),
        ("(1) 3.5 mm jack\r\n(2) -O2", "3.5 mm jack, -O2"),
        ("\u304a\u8336\u3001\u725b\u4e73", "\u304a\u8336, \u725b\u4e73"),
        ("a, , \n; a ,b", "a, b"),
        ("Key words of old", "Key words of old"),
    ],
)
def test_the_list_that_a_model_gives(answer: str, keywords: str) -> None:
    model = FakeListChatModel(responses=[answer])
    found = KeywordsExtractor(model, keywords=2).transform_documents([chunk("x")])
    assert added(found, "excerpt_keywords") == [keywords]


@pytest.mark.parametrize("answer", [" ", ",;\n", "Keywords:", '- ""', "1."])
def test_a_list_that_is_empty(answer: str) -> None:
    model = FakeListChatModel(responses=[answer])
    with pytest.raises(ValueError, match="^KeywordsExtractor: the model gave an empty answer"):
        KeywordsExtractor(model).transform_documents([chunk("x")])
    with pytest.warns(UserWarning, match="failed for 1 of 1 requests"):
        found = KeywordsExtractor(model, on_error="skip").transform_documents([chunk("x")])
    assert added(found, "excerpt_keywords") == [None]


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


@pytest.mark.parametrize(
    ("texts", "keywords"),
    [
        (["that tea with milk", "that pot with lid"], ["milk", "pot, lid"]),
        (["that that that sugar", "that that honey"], ["sugar", "honey"]),
        (["that sugar, more sugar"], ["sugar"]),
        (["a cat", "a dog sleeps"], ["cat", "sleeps"]),
        (["what will that be", "of it"], ["what, will", "of, it"]),
        (["once something goes wrong"], ["wrong, goes"]),
        (["wenn etwas nicht geht", "quand même cela casse"], ["geht", "casse"]),
        (["потому что чайник"], ["чайник"]),
        (["茶と水 or", "咖啡,牛奶", "차와 물"], ["茶, 水", "咖啡, 牛奶", "차와, 물"]),
        (["東京は日本の首都です"], ["東京, 日本"]),
        (["コーヒーをのむ", "らーめん"], ["コーヒー", "らーめん"]),
        (["北京是中国的首都"], ["北京, 中国"]),
        (["東京都知事選挙", "的是"], ["東京, 京都", "的是"]),
        (["กรุงเทพเป็นเมืองหลวงของประเทศไทย"], ["เมืองหลวง, ประเทศไทย"]),
        (["LangChainは便利"], ["langchain, 便利"]),
    ],
)
def test_the_words_that_tell_a_chunk_apart(texts: list[str], keywords: list[str]) -> None:
    found = KeywordsExtractor(keywords=2).transform_documents([*map(chunk, texts), chunk(" ")])
    assert added(found, "excerpt_keywords") == [*keywords, None]


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


@pytest.mark.parametrize(
    ("schema", "fields"), [(Facts, {"name": "Ada", "year": 1815}), (SCHEMA, {"name": "Ada"})]
)
def test_schema_by_parsing(schema: Any, fields: dict[str, Any]) -> None:
    model = FakeListChatModel(responses=['```json\n{"name": "Ada", "year": 1815}\n```'])
    found = SchemaExtractor(model, schema=schema).transform_documents([chunk("Ada, born in 1815")])
    assert found[0].metadata == {"tags": ["t"], **fields}
    under = SchemaExtractor(model, schema=schema, metadata_key="facts").transform_documents(ABC[:1])
    assert under[0].metadata["facts"] == fields


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
    with pytest.warns(UserWarning, match=r"failed for 1 of 1 requests.*\(name, year\)"):
        assert skip.transform_documents(ABC[:1])[0].metadata == ABC[0].metadata


def ask(schema: Any, answer: str, parent: dict[str, Any] | None = None, **options: Any) -> Any:
    """Return the metadata of one chunk after the model gave one answer."""
    extractor = SchemaExtractor(FakeListChatModel(responses=[answer]), schema=schema, **options)
    return extractor.transform_documents([Document("Ada", metadata=parent or {})])[0].metadata


class Open(BaseModel, extra="allow"):
    name: str


@pytest.mark.parametrize("schema", [SCHEMA, Open])
def test_only_declared_fields_are_kept(schema: Any) -> None:
    answer = '{"name": "Ada", "index": 99, "label": "evil", "tags": 1}'
    parent = {"index": 0, "label": "A"}
    assert ask(schema, answer, parent) == {**parent, "name": "Ada"}
    assert ask(schema, answer, parent, metadata_key="is") == {**parent, "is": {"name": "Ada"}}
    with pytest.raises(ValueError, match="empty answer"):
        ask(SCHEMA, '{"index": 99}', parent)


def test_no_field_replaces_what_a_chunk_has() -> None:
    schema = {"properties": {"source": {"type": "string"}}}
    parent, answer = {"source": "a.md"}, '{"source": "evil"}'
    message = "SchemaExtractor: the chunk has 'source' already: give a metadata_key"
    for free in (schema, {"type": "object"}):
        with pytest.raises(ValueError, match=f"^{message}"):
            ask(free, answer, parent)
        with pytest.warns(UserWarning, match="failed for 1 of 1 requests"):
            assert ask(free, answer, parent, on_error="skip") == parent
    with pytest.raises(ValueError, match="give another metadata_key"):
        ask(schema, answer, parent, metadata_key="source")
    with pytest.raises(ValueError, match="has 'xpath' already"):
        ask({"type": "object"}, '{"xpath": "/p"}')
    assert ask(schema, answer, parent, metadata_key="is")["is"] == {"source": "evil"}


@pytest.mark.parametrize(
    "answer",
    [
        'Given {x}: {"name": "x"}',
        'As [1] says: {"name": "x"} is all {there} is',
        '{\n "name": "x"}',
        '{"name": "x"}\n{',
    ],
)
def test_the_object_in_an_answer(answer: str) -> None:
    assert ask(SCHEMA, answer) == {"name": "x"}


@pytest.mark.parametrize(
    "answer",
    [
        '[{"name": "x"}, {"name": "y"}]',
        '```json\n[{"name": "x"}]\n```',
        '[1, {"name": "x"}]',
        '[["name", "x"]]',
        '{"in": {"name": "x"}',
        '```json\n{"in": {"name": "x"}\n```',
        '{"name": ' * 100_000,
        "{" * 100_000,
        "none",
    ],
    ids=range(9),
)
def test_answers_that_are_not_one_object(answer: str) -> None:
    with pytest.raises(ValueError, match="^SchemaExtractor: no JSON object in the answer"):
        ask(SCHEMA, answer)


@pytest.mark.parametrize(
    ("rule", "value", "met"),
    [
        ({"type": "string"}, "1", True),
        ({"type": "string"}, 1, False),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, 1.5, False),
        ({"type": "integer"}, True, False),
        ({"type": "number"}, 1, True),
        ({"type": "boolean"}, True, True),
        ({"type": ["array", "null"]}, None, True),
        ({"type": ["array", "null"]}, {}, False),
        ({"type": "string"}, None, False),
        ({"enum": [1]}, 1, True),
        (True, 1, True),
    ],
)
def test_required_fields_and_their_types(rule: Any, value: Any, met: bool) -> None:
    schema = {"properties": {"a": rule, "b": {"type": "string"}}, "required": ["a"]}
    answer = json.dumps({"a": value, "b": None})
    if met:
        assert ask(schema, answer) == {"a": value, "b": None}
    else:
        with pytest.raises(ValueError, match="^SchemaExtractor: a must be of type "):
            ask(schema, answer)
    with pytest.raises(ValueError, match="^SchemaExtractor: the answer lacks 'a'"):
        ask(schema, '{"b": "x"}')


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"year": 1}', "the answer lacks 'name', which the schema requires: ask again"),
        ('{"name": "Ada", "year": "x"}', "year: Input should be a valid integer"),
        ('{"name": ["Ada"]}', "name: Input should be a valid string, got ['Ada']: ask again"),
    ],
)
def test_answers_that_a_pydantic_model_refuses(answer: str, reason: str) -> None:
    class Structured(Echo):
        def with_structured_output(self, schema: Any, **_: Any) -> Any:
            return lambda _: schema.model_validate_json(answer)

    with pytest.raises(ValueError, match=f"^SchemaExtractor: {re.escape(reason)}") as parsed:
        ask(Facts, answer)
    assert str(parsed.value).endswith("or leave such chunks out with on_error='skip'")
    structured = SchemaExtractor(Structured(), schema=Facts)
    with pytest.raises(ValueError, match=f"^{re.escape(str(parsed.value))}$") as given:
        structured.transform_documents(ABC[:1])
    with pytest.raises(ValueError, match=f"^{re.escape(str(parsed.value))}$"):
        asyncio.run(structured.atransform_documents(ABC[:1]))
    for raised in (parsed, given):
        assert type(raised.value) is ValueError
        assert isinstance(raised.value.__cause__, ValidationError)


def test_a_parser_that_refuses_an_answer() -> None:
    class Structured(FakeListChatModel):
        def with_structured_output(self, schema: Any, **_: Any) -> Any:
            return self | PydanticOutputParser(pydantic_object=schema)

    model = Structured(responses=["none"])
    with pytest.raises(ValueError, match="^SchemaExtractor: Invalid json output: none: ask again"):
        SchemaExtractor(model, schema=Facts).transform_documents(ABC[:1])


def test_structured_output_that_says_nothing() -> None:
    class Silent(Echo):
        def with_structured_output(self, *_: Any, **__: Any) -> Any:
            return lambda _: None

    with pytest.raises(ValueError, match="empty answer"):
        SchemaExtractor(Silent(), schema=Facts).transform_documents(ABC[:1])


EACH = [
    TitleExtractor(Echo()),
    SummaryExtractor(Echo()),
    QuestionsExtractor(Echo()),
    KeywordsExtractor(),
    SchemaExtractor(FakeListChatModel(responses=['{"name": "Ada"}']), schema=SCHEMA),
]


@pytest.mark.parametrize("extractor", EACH, ids=lambda extractor: type(extractor).__name__)
def test_documents_may_come_from_an_iterator(extractor: Any) -> None:
    found = extractor.transform_documents(ABC)
    assert extractor.transform_documents(iter(ABC)) == found
    assert asyncio.run(extractor.atransform_documents(iter(ABC))) == found


@pytest.mark.parametrize("extractor", EACH, ids=lambda extractor: type(extractor).__name__)
@pytest.mark.parametrize(
    ("documents", "got"),
    [
        (None, "None: give the chunks of a splitter"),
        ("a", "str: give the chunks of a splitter"),
        (ABC[0], "one Document: put it into a list"),
        ([ABC[0], "a"], "str at position 1: split texts first"),
        ([None], "None at position 0: split texts first"),
    ],
)
def test_what_is_no_list_of_documents(extractor: Any, documents: Any, got: str) -> None:
    message = f"^documents must be a list of Documents, got {got}$"
    with pytest.raises(TypeError, match=message):
        extractor.transform_documents(documents)
    with pytest.raises(TypeError, match=message):
        asyncio.run(extractor.atransform_documents(documents))


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
        with pytest.warns(UserWarning, match=r"failed for 1 of 3 requests.*\(section_summary\)"):
            assert added(skip.transform_documents(ABC), "section_summary") == ["<a>", None, "<c>"]


def test_failed_requests_are_counted_and_not_missing_keys(
    recwarn: pytest.WarningsRecorder,
) -> None:
    def skipping(model: Echo) -> list[Document]:
        options = {"summaries": ("self", "prev"), "on_error": "skip", **BARE}
        return SummaryExtractor(model, **options).transform_documents(ABC)

    skipping(Echo())
    KeywordsExtractor(on_error="skip").transform_documents([chunk("."), chunk("words")])
    assert not recwarn.list
    with pytest.warns(UserWarning, match="failed for 1 of 3 requests") as caught:
        found = skipping(Echo(fails_on="a"))
    assert len(caught) == 1
    assert added(found, "prev_section_summary") == [None] * 3


def test_a_title_without_one_of_its_proposals() -> None:
    options = {"node_template": "{context}", "on_error": "skip"}
    with pytest.warns(UserWarning, match="failed for 1 of 3 requests"):
        found = TitleExtractor(Echo(fails_on="a"), **options).transform_documents(ABC)
    assert added(found, "document_title") == ["<b>", "<b>", "<c>"]


def test_most_requests_at_once() -> None:
    class Crowd(Echo):
        now: int = 0
        most: int = 0

        async def _agenerate(self, *_: Any, **__: Any) -> ChatResult:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            return ChatResult(generations=[ChatGeneration(message=AIMessage("x"))])

    def most(config: Any = None, **options: Any) -> int:
        model = Crowd()
        extractor = SummaryExtractor(model, **options)
        asyncio.run(extractor.atransform_documents([chunk("a")] * 20, config))
        return model.most

    one = {"max_concurrency": 1}
    assert most() == 8
    assert most(config=one) == 1
    assert SummaryExtractor(Echo(), config=one)._config["max_concurrency"] == 1
    assert most(max_concurrency=3) == 3
    assert most(one, max_concurrency=3) == 1


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


def cls_of(option: str) -> Any:
    return SummaryExtractor if option == "prompt_template" else TitleExtractor


HAS = (
    "it has combine_template, config, llm, max_concurrency, node_template, nodes, on_error, "
    "show_progress"
)


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
            lambda: SummaryExtractor(Echo(), summaries=[["self"]]),
            ValueError,
            "summaries must be some of self, prev, next, got [['self']]",
        ),
        (
            lambda: SummaryExtractor(Echo(), summaries=None),
            ValueError,
            "summaries must be some of self, prev, next, got None",
        ),
        *[
            (
                lambda cls=cls, options=options: cls(None, **options),
                TypeError,
                "llm must be a LangChain chat model, got None",
            )
            for cls, options in [
                (TitleExtractor, {}),
                (SummaryExtractor, {}),
                (QuestionsExtractor, {}),
                (SchemaExtractor, {"schema": Facts}),
            ]
        ],
        (
            lambda: SchemaExtractor(Echo(), schema=Facts, metadata_key="index"),
            ValueError,
            "metadata_key must be a name other than label, index, headers, start_index, xpath, "
            "token_count, got 'index'",
        ),
        (
            lambda: SchemaExtractor(Echo(), schema=Facts, metadata_key=3),
            TypeError,
            "metadata_key must be a str, got 3",
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
        *[
            (
                lambda option=option, template=template: cls_of(option)(
                    Echo(), **{option: template}
                ),
                ValueError,
                f"{option} must have the placeholders {{context}}, got {got}; "
                "write other braces twice",
            )
            for option in ("prompt_template", "node_template", "combine_template")
            for template, got in [
                ("{context", "'{context' (expected '}' before end of string)"),
                ("{context} }", "'{context} }' (Single '}' encountered in format string)"),
                ("{context.x}", "{context.x}"),
                ("{context[0]}", "{context[0]}"),
                ("{}", "{}"),
                ("{context} {0}", "{0}, {context}"),
                ("{context:{x}}", "{context:{x}}"),
            ]
        ],
        (
            lambda: SummaryExtractor(Echo(), config="x"),
            TypeError,
            "config must be a mapping such as {'tags': ['mine']}, got 'x'",
        ),
        (
            lambda: SummaryExtractor(Echo()).transform_documents(ABC, config="x"),
            TypeError,
            "config must be a mapping such as {'tags': ['mine']}, got 'x'",
        ),
        (
            lambda: SummaryExtractor(Echo(), show_progress="no"),
            TypeError,
            "show_progress must be True or False, got 'no'",
        ),
        (
            lambda: TitleExtractor(Echo(), foo=1),
            TypeError,
            f"TitleExtractor has no option 'foo': {HAS}",
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
            lambda: SchemaExtractor(Echo(), schema={"properties": {"label": {}, "xpath": {}}}),
            ValueError,
            "schema has a field that the chunks have already (label, xpath): give a metadata_key",
        ),
        (
            lambda: extractors({"titel": True}, Echo()),
            ValueError,
            "extract must name some of title, summary, questions, keywords, schema, got 'titel'",
        ),
        *[
            (
                lambda extract=extract: extractors(extract, Echo()),
                TypeError,
                "extract must be a mapping of names to True or options, as {'title': True}, "
                f"got {extract!r}; the names are title, summary, questions, keywords, schema",
            )
            for extract in (["title"], "title")
        ],
        (
            lambda: extractors({"title": 3}, Echo()),
            TypeError,
            f"extract={{'title': …}} must be True, False or the options of title, got 3; {HAS}",
        ),
        (
            lambda: extractors({"title": {"foo": 1}}, Echo()),
            TypeError,
            f"extract={{'title': …}} has no option 'foo' (got 1): {HAS}",
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
