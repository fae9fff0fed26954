"""schema: the fields of a pydantic model or a JSON schema, filled in by a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel
from typing_extensions import Unpack, override

from langchain_mchunk.extractors.base import (
    CONTEXT,
    Answers,
    Extractor,
    ExtractorOptions,
    Questions,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Sequence

    from langchain_core.documents import Document

INSTRUCTIONS: Final = "Fill in the fields from this text alone; leave out what it does not say."
TEMPLATE: Final = """{instructions}

{context}"""
FORM: Final = "Answer with one JSON object that follows this JSON schema, and nothing else:"
# What the splitters write themselves.
RESERVED: Final = frozenset(["label", "index", "headers", "start_index"])


class SchemaExtractor(Extractor):
    """Adds the fields of a schema, or one key that holds them all.

    The model's own structured output is used if it has any, else its answer is parsed as JSON.

    Args:
        llm: Any LangChain chat model.
        schema: A pydantic model class or a JSON schema.
        instructions: What to look for, in words.
        metadata_key: Puts all fields under this key; not given: each field is a key.
        **options: See `Extractor`.

    Raises:
        TypeError: `schema` is neither.
        ValueError: A field is named as the splitters' own metadata and `metadata_key` is not given.
    """

    def __init__(
        self,
        llm: Any,
        *,
        schema: type[BaseModel] | dict[str, Any],
        instructions: str | None = None,
        metadata_key: str | None = None,
        **options: Unpack[ExtractorOptions],
    ) -> None:
        super().__init__(llm, **options)
        self._fields = _fields(schema)
        if metadata_key is None and RESERVED & set(self._fields):
            taken = ", ".join(sorted(RESERVED & set(self._fields)))
            raise ValueError(
                f"schema has a field that the chunks have already ({taken}): give a metadata_key"
            )
        self._schema = schema
        self._instructions = INSTRUCTIONS if instructions is None else instructions
        self._metadata_key = metadata_key

    @property
    @override
    def keys(self) -> tuple[str, ...]:
        return (self._metadata_key,) if self._metadata_key else tuple(self._fields)

    @override
    def work(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        chunks = [i for i, document in enumerate(documents) if document.page_content.strip()]
        chain, instructions = self._filler()
        inputs = [
            {"instructions": instructions, CONTEXT: documents[i].page_content} for i in chunks
        ]
        answers = yield Questions(chain, inputs)
        result: list[dict[str, Any]] = [{} for _ in documents]
        for i, answer in zip(chunks, answers, strict=True):
            fields = self._filled(answer)
            if fields is not None:
                result[i] = {self._metadata_key: fields} if self._metadata_key else fields
        return result

    def _filler(self) -> tuple[Any, str]:
        """Make the chain, and the instructions that its way of answering needs."""
        prompt = ChatPromptTemplate.from_messages([("human", TEMPLATE)])
        try:
            return prompt | self.llm.with_structured_output(self._schema), self._instructions
        except (NotImplementedError, AttributeError):
            chain = prompt | self.llm | StrOutputParser() | self._parsed
        return chain, f"{self._instructions}\n{FORM}\n{json.dumps(_json_schema(self._schema))}"

    def _parsed(self, text: str) -> Any:
        """Read the JSON object in an answer strictly: one that is cut off is an error."""
        start, end = text.find("{"), text.rfind("}") + 1
        if start < 0 or end <= start:
            raise ValueError(f"{type(self).__name__}: no JSON object in the answer {text[:80]!r}")
        found = json.loads(text[start:end])
        return found if isinstance(self._schema, dict) else self._schema.model_validate(found)

    def _filled(self, answer: Any) -> dict[str, Any] | None:
        if isinstance(answer, BaseModel):
            return answer.model_dump()
        if isinstance(answer, dict) and answer:
            return answer
        self.told(None if isinstance(answer, dict) else answer)
        return None


def _fields(schema: Any) -> list[str]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return list(schema.model_fields)
    if isinstance(schema, dict):
        return list(schema.get("properties", ()))
    raise TypeError(f"schema must be a pydantic model class or a JSON schema, got {schema!r}")


def _json_schema(schema: type[BaseModel] | dict[str, Any]) -> dict[str, Any]:
    return schema if isinstance(schema, dict) else schema.model_json_schema()
