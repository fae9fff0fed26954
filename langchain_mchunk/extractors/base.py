"""An extractor asks a model about chunks and adds the answers to copies of them as metadata.

What is asked and what becomes of the answers is one generator, `work`; whether the model runs in
threads or as coroutines is decided around it.
"""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    NoReturn,
    Self,
)

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable
from langchain_core.runnables.config import merge_configs
from typing_extensions import override

from langchain_mchunk.checks import check_flag, check_integer, checked_documents
from langchain_mchunk.extractors.options import checked_config, option_names

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence

    from langchain_core.runnables import RunnableConfig

CONTEXT: Final = "context"  # the placeholder of a chunk's text
CONCURRENCY: Final = 8  # requests under way at once, if nothing else is said

Answers = list[Any]  # None stands where a request failed


class Questions(NamedTuple):
    """Inputs for one chain, asked together, and what makes a value of the answer to the i-th.

    `read` raises ValueError for an answer that is as bad as none.
    """

    chain: Runnable[dict[str, Any], Any]
    inputs: list[dict[str, Any]]
    read: Callable[[int, Any], Any]


class Extractor(BaseDocumentTransformer):
    """The base of all extractors.

    Args:
        llm: Any LangChain chat model.
        max_concurrency: How many requests are under way at once; not given: what `config` says,
            else 8.
        on_error: `"raise"` stops at the first failure; `"skip"` leaves the key out where a request
            failed or its answer says nothing, and warns once with the count.
        config: Callbacks, tags and so on for every request.
        show_progress: A progress bar over requests, on stderr.

    Raises:
        TypeError: `llm` is no model, `config` no mapping, or there is no such option.
        ValueError: An option's value breaks its rule.
    """

    needs_model: ClassVar[bool] = True

    def __init__(
        self,
        llm: Any,
        *,
        max_concurrency: int | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        config: RunnableConfig | None = None,
        show_progress: bool = False,
        **unknown: Any,
    ) -> None:
        for option in unknown:
            having = f"it has {', '.join(sorted(option_names(type(self))))}"
            raise TypeError(f"{type(self).__name__} has no option {option!r}: {having}")
        if not isinstance(llm, Runnable) and (llm is not None or self.needs_model):
            raise TypeError(f"llm must be a LangChain chat model, got {llm!r}")
        if max_concurrency is not None:
            check_integer("max_concurrency", max_concurrency, 1)
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error must be 'raise' or 'skip', got {on_error!r}")
        check_flag("show_progress", show_progress)
        self.llm: Any = llm
        self._on_error = on_error
        self._config = merge_configs(
            {"max_concurrency": CONCURRENCY},
            checked_config(config),
            {"max_concurrency": max_concurrency},
        )
        self._show_progress = show_progress

    @override
    def transform_documents(
        self, documents: Sequence[Document], config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return copies of the documents, in order, with the answers in their metadata."""
        documents = checked_documents("documents", documents)
        return self.transform_groups(documents, self.groups(documents), config)

    @override
    async def atransform_documents(
        self, documents: Sequence[Document], config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return copies of the documents, as `transform_documents` does, without threads."""
        documents = checked_documents("documents", documents)
        work = self._judged(documents, self.groups(documents))
        answers: Any = None  # what starts a generator
        try:
            while True:
                chain, inputs, _ = work.send(answers)
                with self.asking(len(inputs)) as bar:
                    answers = await chain.abatch(
                        inputs, self._merged(config, bar), return_exceptions=self._skips
                    )
        except StopIteration as done:
            return _copies(documents, done.value)

    def transform_groups(
        self,
        documents: Sequence[Document],
        groups: Sequence[Hashable],
        config: RunnableConfig | None = None,
    ) -> list[Document]:
        """Do what `transform_documents` does; chunks with equal groups are of one document."""
        work = self._judged(documents, groups)
        answers: Any = None  # what starts a generator
        try:
            while True:
                chain, inputs, _ = work.send(answers)
                with self.asking(len(inputs)) as bar:
                    answers = chain.batch(
                        inputs, self._merged(config, bar), return_exceptions=self._skips
                    )
        except StopIteration as done:
            return _copies(documents, done.value)

    def groups(self, documents: Sequence[Document]) -> list[Hashable]:
        """Say of what document each chunk is: `doc_id`, else `source`, else the chunk alone."""
        return [document_of(document.metadata) or (i,) for i, document in enumerate(documents)]

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
        answers = yield Questions(self.chain(template), inputs, self.text)
        told: list[str | None] = [None] * len(documents)
        for i, answer in zip(chunks, answers, strict=True):
            told[i] = answer
        return told

    def text(self, _: int, answer: str) -> str:
        """Strip an answer; one that says nothing is a ValueError."""
        return answer.strip() or self.refuse("the model gave an empty answer: ask again")

    def refuse(self, reason: str, cause: Exception | None = None) -> NoReturn:
        """Raise the ValueError for a bad answer."""
        raise ValueError(
            f"{type(self).__name__}: {reason}, or leave such chunks out with on_error='skip'"
        ) from cause

    @contextmanager
    def asking(self, requests: int) -> Iterator[_Bar]:
        """Surround so many requests that are under way; here with a progress bar."""
        with _Bar(self._show_progress, requests) as bar:
            yield bar

    def _judged(
        self, documents: Sequence[Document], groups: Sequence[Hashable]
    ) -> Generator[Questions, Answers, list[dict[str, Any]]]:
        """Do the work with None for what failed, and warn of how many requests that was."""
        work = self.work(documents, groups)
        answers: Any = None  # what starts a generator
        asked = failed = 0
        try:
            while True:
                questions = work.send(answers)
                raw = yield questions
                answers = [self._judge(questions, i, answer) for i, answer in enumerate(raw)]
                asked += len(answers)
                failed += sum(answer is None for answer in answers)
        except StopIteration as done:
            if failed:
                warnings.warn(
                    f"{type(self).__name__}: the model failed for {failed} of {asked} requests; "
                    f"what they were for is left out ({', '.join(self.keys) or 'all fields'})",
                    stacklevel=4,
                )
            result: list[dict[str, Any]] = done.value
            return result

    def _judge(self, questions: Questions, i: int, answer: Any) -> Any:
        if isinstance(answer, BaseException):
            return None
        try:
            return questions.read(i, answer)
        except ValueError:
            if not self._skips:
                raise
            return None

    @property
    def _skips(self) -> bool:
        return self._on_error == "skip"

    def _merged(self, config: RunnableConfig | None, bar: _Bar) -> RunnableConfig:
        return merge_configs(self._config, checked_config(config), {"callbacks": bar.callbacks})


def _copies(documents: Sequence[Document], added: Sequence[dict[str, Any]]) -> list[Document]:
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


def document_of(metadata: Mapping[str, Any]) -> Hashable | None:
    """Return the name of a chunk's document: its `doc_id`, else its `source`, and which it is."""
    for key in ("doc_id", "source"):
        name = metadata.get(key)
        if name is not None:
            try:
                hash(name)
            except TypeError:
                return (key, "repr", repr(name))
            return (key, name)
    return None


def added(key: str, answers: Sequence[str | None]) -> list[dict[str, Any]]:
    """Return the new metadata of each chunk: the answer under a key, or nothing."""
    return [{key: answer} if answer else {} for answer in answers]
