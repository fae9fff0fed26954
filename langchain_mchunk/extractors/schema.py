"""schema: the fields of a pydantic model or a JSON schema, filled in by a model."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel, ValidationError
from typing_extensions import Unpack, override

from langchain_mchunk.checks import RESERVED
from langchain_mchunk.extractors.base import (
    CONTEXT,
    Answers,
    Extractor,
    Questions,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence

    from langchain_core.documents import Document

    from langchain_mchunk.extractors.options import ExtractorOptions

INSTRUCTIONS: Final = "Fill in the fields from this text alone; leave out what it does not say."
TEMPLATE: Final = """{instructions}

{context}"""
FORM: Final = "Answer with one JSON object that follows this JSON schema, and nothing else:"
# Where a JSON object or an array of strings, objects or arrays begins; "{x}" and "[1]" are prose.
_START: Final = re.compile(r'\{\s*+["}]|\[\s*+["{\[]')
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class SchemaExtractor(Extractor):
    """Adds the fields of a schema, or one key that holds them all.

    The model's own structured output is used if it has any, else its answer is parsed as JSON. Of
    the answer the fields that the schema declares are kept, or all if it declares none; `required`
    and the types of a JSON schema's own properties are checked. What a chunk has already is never
    replaced: a field or `metadata_key` of that name is a failure. The values are what the schema
    makes them, where other extractors add a str; stores such as Chroma take scalars only, so give
    them a flat schema of strings, numbers and booleans, without `metadata_key`.

    Args:
        llm: Any LangChain chat model.
        schema: A pydantic model class or a JSON schema.
        instructions: What to look for, in words.
        metadata_key: Puts all fields under this key; not given: each field is a key.
        **options: See `Extractor`.

    Raises:
        TypeError: `schema` is neither, or `metadata_key` no str.
        ValueError: A field or `metadata_key` is named as the splitters' own metadata.
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
        if metadata_key is None:
            _check_fields(self._fields)
        else:
            _check_key(metadata_key)
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
        answers = yield Questions(
            chain, inputs, lambda i, answer: self._added(documents[chunks[i]].metadata, answer)
        )
        result: list[dict[str, Any]] = [{} for _ in documents]
        for i, answer in zip(chunks, answers, strict=True):
            result[i] = answer or {}
        return result

    @contextmanager
    @override
    def asking(self, requests: int) -> Iterator[Any]:
        """Refuse, too, an answer that the model's own structured output finds bad."""
        with super().asking(requests) as bar:
            try:
                yield bar
            except (ValidationError, OutputParserException) as error:
                self.refuse(f"{_reason(error)}: ask again", error)

    def _filler(self) -> tuple[Any, str]:
        """Make the chain, and the instructions that its way of answering needs."""
        prompt = ChatPromptTemplate.from_messages([("human", TEMPLATE)])
        try:
            return prompt | self.llm.with_structured_output(self._schema), self._instructions
        except (NotImplementedError, AttributeError):
            chain = prompt | self.llm | StrOutputParser()
        return chain, f"{self._instructions}\n{FORM}\n{json.dumps(_json_schema(self._schema))}"

    def _added(self, metadata: Mapping[str, Any], answer: Any) -> dict[str, Any]:
        """Return the new metadata of a chunk that has `metadata`."""
        fields = self._filled(answer)
        new = fields if self._metadata_key is None else {self._metadata_key: fields}
        taken = sorted(key for key in new if key in metadata or key in RESERVED)
        if taken:
            cure = "another metadata_key" if self._metadata_key else "a metadata_key"
            self.refuse(f"the chunk has {', '.join(map(repr, taken))} already: give {cure}")
        return new

    def _filled(self, answer: Any) -> dict[str, Any]:
        """Return the declared fields of an answer that meets the schema."""
        found = self._parsed(answer) if isinstance(answer, str) else answer
        if isinstance(found, dict):
            found = self._checked(found)
        if isinstance(found, BaseModel):
            found = found.model_dump()
        told = found if isinstance(found, dict) else {}
        kept = {name: told[name] for name in self._fields or told if name in told}
        return kept or self.refuse("the model gave an empty answer: ask again")

    def _parsed(self, text: str) -> dict[str, Any]:
        """Read the one JSON object in an answer; one that is cut off is an error."""
        start = _START.search(text)
        try:
            found, end = json.JSONDecoder().raw_decode(text, start.start() if start else 0)
        except (ValueError, RecursionError):
            found, end = None, 0
        if not isinstance(found, dict) or text[end:].lstrip().startswith((",", "]")):
            self.refuse(f"no JSON object in the answer {text[:80]!r}: ask again")
        return found

    def _checked(self, found: dict[str, Any]) -> Any:
        if not isinstance(self._schema, dict):
            try:
                return self._schema.model_validate(found)
            except ValidationError as error:
                self.refuse(f"{_reason(error)}: ask again", error)
        required = self._schema.get("required", ())
        for name in required:
            if name not in found:
                self.refuse(f"the answer lacks {name!r}, which the schema requires: ask again")
        for name, rule in self._schema.get("properties", {}).items():
            unsaid = name not in found or (found[name] is None and name not in required)
            if not unsaid and not _is_of_type(found[name], rule):
                self.refuse(
                    f"{name} must be of type {rule['type']}, got {found[name]!r}: ask again"
                )
        return found


def _reason(error: ValidationError | OutputParserException) -> str:
    """Say what is wrong with an answer, by the first of what was found."""
    if isinstance(error, OutputParserException):
        return str(error).partition("\n")[0]
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"])) or "the answer"
    if first["type"] == "missing":
        return f"the answer lacks {name!r}, which the schema requires"
    return f"{name}: {first['msg']}, got {first['input']!r:.80}"


def _fields(schema: Any) -> list[str]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return list(schema.model_fields)
    if isinstance(schema, dict) and isinstance(schema.get("properties", {}), dict):
        return list(schema.get("properties", ()))
    raise TypeError(f"schema must be a pydantic model class or a JSON schema, got {schema!r}")


def _check_fields(fields: list[str]) -> None:
    taken = ", ".join(sorted(set(RESERVED).intersection(fields)))
    if taken:
        raise ValueError(
            f"schema has a field that the chunks have already ({taken}): give a metadata_key"
        )


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise TypeError(f"metadata_key must be a str, got {key!r}")
    if not key or key in RESERVED:
        raise ValueError(
            f"metadata_key must be a name other than {', '.join(RESERVED)}, got {key!r}"
        )


def _is_of_type(value: Any, rule: Any) -> bool:
    """Say whether a value is of the type or types that a property names, if it names any."""
    named = rule.get("type", []) if isinstance(rule, dict) else []
    names = [named] if isinstance(named, str) else named
    if not names or not set(names) <= set(_TYPES):
        return True
    if isinstance(value, bool):  # which Python counts among the integers
        return "boolean" in names
    whole = isinstance(value, float) and value.is_integer() and "integer" in names
    return whole or any(isinstance(value, _TYPES[name]) for name in names)


def _json_schema(schema: type[BaseModel] | dict[str, Any]) -> dict[str, Any]:
    return schema if isinstance(schema, dict) else schema.model_json_schema()
