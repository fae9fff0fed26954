"""An extractor asks a model about chunks and adds the answers to copies of them as metadata.

What is asked and what becomes of the answers is one generator, `work`; whether the model runs in
threads or as coroutines is decided around it.
"""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self, TypedDict

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables.config import merge_configs
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Hashable, Sequence

    from langchain_core.runnables import Runnable, RunnableConfig

CONTEXT: Final = "context"  # the placeholder of a chunk's text

Answers = list[Any]  # an exception stands where an answer should be


class Questions(NamedTuple):
    """Inputs for one chain, asked together."""

    chain: Runnable[dict[str, Any], Any]
    inputs: list[dict[str, Any]]


class ExtractorOptions(TypedDict, total=False):
    """The options that all extractors with a model share."""

    max_concurrency: int
    on_error: Literal["raise", "skip"]
    config: RunnableConfig | None
    show_progress: bool


class Extractor(BaseDocumentTransformer):
    """The base of all extractors.

    Args:
        llm: Any LangChain chat model.
        max_concurrency: How many requests are under way at once.
        on_error: `"raise"` stops at the first failure; `"skip"` leaves the key out where the model
            failed or said nothing, and warns once with the count.
        config: Callbacks, tags and so on for every request.
        show_progress: A progress bar over requests, on stderr.

    Raises:
        TypeError: `llm` is no model.
        ValueError: An option's value breaks its rule.
    """

    def __init__(
        self,
        llm: Any,
        *,
        max_concurrency: int = 8,
        on_error: Literal["raise", "skip"] = "raise",
        config: RunnableConfig | None = None,
        show_progress: bool = False,
    ) -> None:
        if llm is not None and not callable(getattr(llm, "batch", None)):
            raise TypeError(f"llm must be a LangChain chat model, got {llm!r}")
        if not isinstance(max_concurrency, int) or max_concurrency < 1:
            raise ValueError(f"max_concurrency must be at least 1, got {max_concurrency!r}")
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error must be 'raise' or 'skip', got {on_error!r}")
        self.llm = llm
        self._on_error = on_error
        self._config = merge_configs(config, {"max_concurrency": max_concurrency})
        self._show_progress = show_progress

    @override
    def transform_documents(
        self, documents: Sequence[Document], config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return copies of the documents, in order, with the answers in their metadata."""
        return self.transform_groups(documents, self.groups(documents), config)

    @override
    async def atransform_documents(
        self, documents: Sequence[Document], config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return copies of the documents, as `transform_documents` does, without threads."""
        work = self.work(documents, self.groups(documents))
        answers: Any = None  # what starts a generator
        try:
            while True:
                chain, inputs = work.send(answers)
                with _Bar(self._show_progress, len(inputs)) as bar:
                    answers = await chain.abatch(
                        inputs, self._merged(config, bar), return_exceptions=self._skips
                    )
        except StopIteration as done:
            return self._copies(documents, done.value)

    def transform_groups(
        self,
        documents: Sequence[Document],
        groups: Sequence[Hashable],
        config: RunnableConfig | None = None,
    ) -> list[Document]:
        """Do what `transform_documents` does; chunks with equal groups are of one document."""
        work = self.work(documents, groups)
        answers: Any = None  # what starts a generator
        try:
            while True:
                chain, inputs = work.send(answers)
                with _Bar(self._show_progress, len(inputs)) as bar:
                    answers = chain.batch(
                        inputs, self._merged(config, bar), return_exceptions=self._skips
                    )
        except StopIteration as done:
            return self._copies(documents, done.value)

    def groups(self, documents: Sequence[Document]) -> list[Hashable]:
        """Say of what document each chunk is: `doc_id`, else `source`, else the chunk alone."""
        return [
            document.metadata.get("doc_id") or document.metadata.get("source") or (i,)
            for i, document in enumerate(documents)
        ]

    @property
    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """The metadata keys that it adds."""

    @abstractmethod
    def work(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        """Yield what to ask, receive the answers, and return the new metadata of each chunk."""

    def chain(self, template: str) -> Runnable[dict[str, Any], str]:
        """Make the chain that fills a template, asks the model and returns its text."""
        prompt = ChatPromptTemplate.from_messages([("human", template)])
        chain: Runnable[dict[str, Any], str] = prompt | self.llm | StrOutputParser()
        return chain

    def each(
        self, documents: Sequence[Document], template: str, **variables: Any
    ) -> Generator[Questions, Answers, list[str | None]]:
        """Ask about each chunk that is not blank; None where there is no answer."""
        chunks = [i for i, document in enumerate(documents) if document.page_content.strip()]
        inputs = [{CONTEXT: documents[i].page_content, **variables} for i in chunks]
        answers = yield Questions(self.chain(template), inputs)
        told: list[str | None] = [None] * len(documents)
        for i, answer in zip(chunks, answers, strict=True):
            told[i] = self.told(answer)
        return told

    def told(self, answer: Any) -> str | None:
        """Strip an answer; one that failed or says nothing is None, or an error."""
        text = "" if isinstance(answer, BaseException) else str(answer).strip()
        if not text and not self._skips:
            raise ValueError(
                f"{type(self).__name__}: the model gave an empty answer: ask again, "
                "or leave such chunks out with on_error='skip'"
            )
        return text or None

    @property
    def _skips(self) -> bool:
        return self._on_error == "skip"

    def _merged(self, config: RunnableConfig | None, bar: _Bar) -> RunnableConfig:
        return merge_configs(self._config, config, {"callbacks": bar.callbacks})

    def _copies(
        self, documents: Sequence[Document], added: Sequence[dict[str, Any]]
    ) -> list[Document]:
        wanted = sum(bool(document.page_content.strip()) for document in documents)
        given = sum(bool(new) for new in added)
        if given < wanted and self._skips and self.keys:
            warnings.warn(
                f"{type(self).__name__}: the model failed for {wanted - given} of {wanted} chunks; "
                f"they have no {', '.join(self.keys)}",
                stacklevel=4,
            )
        return [
            document.model_copy(update={"metadata": {**copy.deepcopy(document.metadata), **new}})
            for document, new in zip(documents, added, strict=True)
        ]


class _Bar:
    """A progress bar that counts finished requests; nothing at all if not shown."""

    def __init__(self, shown: bool, total: int) -> None:  # noqa: FBT001 - private
        self.callbacks: list[Any] = []
        self._bar: Any = None
        if shown:
            from tqdm import tqdm  # noqa: PLC0415 - only who asks for a bar pays for it

            self._bar = tqdm(total=total, unit="request")
            self.callbacks.append(_counter(self._bar))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _counter(bar: Any) -> Any:
    from langchain_core.callbacks import BaseCallbackHandler  # noqa: PLC0415 - for a bar only

    class Counter(BaseCallbackHandler):
        def on_llm_end(self, *_: Any, **__: Any) -> None:
            bar.update()

        def on_llm_error(self, *_: Any, **__: Any) -> None:
            bar.update()

    return Counter()


def check_template(option: str, template: str, required: Collection[str]) -> None:
    """Refuse a template that lacks a placeholder or has one that nothing fills."""
    if not isinstance(template, str):
        raise TypeError(f"{option} must be a str, got {type(template).__name__}")
    found = set(PromptTemplate.from_template(template).input_variables)
    if found != set(required):
        wanted = ", ".join(f"{{{name}}}" for name in sorted(required))
        got = ", ".join(f"{{{name}}}" for name in sorted(found)) or "none"
        raise ValueError(
            f"{option} must have the placeholders {wanted}, got {got}; write other braces twice"
        )


def check_count(option: str, value: Any) -> None:
    """Refuse what is not an integer of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{option} must be an integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{option} must be at least 1, got {value}")


def added(key: str, answers: Sequence[str | None]) -> list[dict[str, Any]]:
    """Return the new metadata of each chunk: the answer under a key, or nothing."""
    return [{key: answer} if answer else {} for answer in answers]
