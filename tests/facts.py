"""The facts a case may state, one checker each: `FACTS[name](run, value)` raises AssertionError."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import time
from functools import cached_property
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document

from langchain_mchunk import STRATEGIES


def generated(text: Any) -> str:
    """Write out an input that is given as a generator."""
    if isinstance(text, str) and text.startswith("@repeat:"):
        pattern, _, count = text.removeprefix("@repeat:").rpartition(":")
        if "%d" in pattern:
            return "".join(pattern.replace("%d", str(i)) for i in range(int(count))).rstrip(" ")
        return pattern * int(count)
    if isinstance(text, str) and text.startswith("@json:"):
        return text.removeprefix("@json:")
    return text


def squeezed(text: str) -> str:
    """Leave all white space out."""
    return "".join(text.split())


class Run:
    """One case: its splitter and, when first asked for, its chunks."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        options = dict(case["options"])
        self.metadata = options.pop("metadata", case.get("input_metadata", {}))
        self.text = (
            eval(case["input_expr"], {"__builtins__": {"chr": chr, "range": range, "str": str}})
            if "input_expr" in case
            else generated(case["input"])
        )
        for key in ("headers", "sections"):
            if key in options:
                options[key] = [tuple(pair) for pair in options[key]]
        unit = options.pop("length_unit", "characters")
        self.makes_text = case["strategy"] in ("html", "json")
        if not self.makes_text:
            options["add_start_index"] = True
        cls = STRATEGIES[case["strategy"]]
        make = cls.from_tiktoken_encoder if unit == "tokens" else cls
        self.splitter = make(**options)
        self.source = Document(page_content=self.text, metadata=copy.deepcopy(self.metadata))

    @cached_property
    def chunks(self) -> list[Document]:
        start = time.perf_counter()
        chunks = self.splitter.split_documents([self.source])
        self.seconds = time.perf_counter() - start
        return chunks

    @property
    def texts(self) -> list[str]:
        return [chunk.page_content for chunk in self.chunks]

    @property
    def starts(self) -> list[int]:
        return [chunk.metadata["start_index"] for chunk in self.chunks]

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [
            (start, start + len(text)) for start, text in zip(self.starts, self.texts, strict=True)
        ]


def texts(run: Run, value: list[str]) -> None:
    if run.case["strategy"] in ("markdown", "html"):
        assert [" ".join(text.split()) for text in run.texts] == [
            " ".join(v.split()) for v in value
        ]
    else:
        assert run.texts == value


def slice_exact(run: Run, value: bool) -> None:
    assert all(
        run.text[start:end] == text for (start, end), text in zip(run.spans, run.texts, strict=True)
    )


def lossless(run: Run, value: bool) -> None:
    wanted = squeezed(run.case["expect"].get("lossless_text", run.text.removeprefix("\ufeff")))
    at = 0
    for text in map(squeezed, run.texts):  # overlap repeats: a chunk continues at or before `at`
        start = next((i for i in range(at, -1, -1) if wanted.startswith(text, i)), None)
        assert start is not None, f"{text!r} does not continue {wanted[:at]!r}"
        at = max(at, start + len(text))
    assert at == len(wanted)


def lossless_exact(run: Run, value: bool) -> None:
    assert "".join(run.texts) == run.text


def no_extra(run: Run, value: bool) -> None:
    assert len(squeezed("".join(run.texts))) == len(squeezed(run.text))


def increasing(run: Run, value: bool) -> None:
    assert all(a < b and c < d for (a, c), (b, d) in pairwise(run.spans))


def overlap(run: Run, value: dict[str, int]) -> None:
    shared = [max(0, end - start) for (_, end), (start, _) in pairwise(run.spans)]
    assert all(value.get("min", 0) <= size <= value.get("max", size) for size in shared)


def max_tokens(run: Run, value: int) -> None:
    from langchain_mchunk import TokenCounter

    assert max(map(TokenCounter("cl100k_base"), run.texts)) <= value


def path(titles: list[str]) -> str:
    return " > ".join(titles)


def headers(run: Run, value: list[list[str]]) -> None:
    assert [chunk.metadata["headers"] for chunk in run.chunks] == [path(v) for v in value]


def path_of(run: Run, value: dict[str, list[str]]) -> None:
    for needle, titles in value.items():
        found = [c.metadata["headers"] for c in run.chunks if needle in c.page_content]
        assert found, needle
        assert set(found) == {path(titles)}, needle


def not_a_header(run: Run, value: list[str]) -> None:
    for title in value:
        assert all(title not in c.metadata["headers"].split(" > ") for c in run.chunks)


def kept_somewhere(run: Run, value: list[str]) -> None:
    for needle in value:
        assert any(needle in c.page_content or needle in c.metadata["headers"] for c in run.chunks)


def labels(run: Run, value: list[str]) -> None:
    assert [chunk.metadata["label"] for chunk in run.chunks] == value


def metadata_has(run: Run, value: dict[str, Any]) -> None:
    assert all(chunk.metadata[key] == v for chunk in run.chunks for key, v in value.items())


def input_metadata_unchanged(run: Run, value: bool) -> None:
    assert run.chunks
    assert run.source.metadata == run.metadata


def metadata_isolated(run: Run) -> None:
    mutable = [v for c in run.chunks for v in c.metadata.values() if isinstance(v, (list, dict))]
    mutable += [v for v in run.source.metadata.values() if isinstance(v, (list, dict))]
    assert len({id(value) for value in mutable}) == len(mutable)


def same_on_second_call(run: Run, value: bool) -> None:
    assert run.splitter.split_documents([run.source]) == run.chunks


def contains_all(run: Run, value: list[str]) -> None:
    for needle in value:
        assert any(needle in text for text in run.texts), needle


def not_contains(run: Run, value: list[str]) -> None:
    for needle in value:
        assert not any(needle in text for text in run.texts), needle


def same_chunk(run: Run, value: list[list[str]]) -> None:
    for group in value:
        assert any(all(needle in text for needle in group) for text in run.texts), group


def separate_chunks(run: Run, value: list[list[str]]) -> None:
    for group in value:
        assert not any(all(needle in text for needle in group) for text in run.texts), group


def occurs_once(run: Run, value: list[str]) -> None:
    for needle in value:
        assert sum(text.count(needle) for text in run.texts) == 1, needle


def order(run: Run, value: list[str]) -> None:
    joined, at = "\n".join(run.texts), 0
    for needle in value:
        at = joined.find(needle, at)
        assert at >= 0, needle


def chunk_starts(run: Run, value: list[str]) -> None:
    for needle in value:
        assert any(text.startswith(needle) for text in run.texts), needle


def not_starts_with(run: Run, value: list[str]) -> None:
    for needle in value:
        assert not any(text.startswith(needle) for text in run.texts), needle


def balanced_env(run: Run, value: list[str]) -> None:
    for name in value:
        for text in run.texts:
            assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}")


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def merged(left: Any, right: Any) -> Any:
    """Join two JSON values: objects merge, lists and strings concatenate in order."""
    if isinstance(left, dict) and isinstance(right, dict):
        result = dict(left)
        for key, value in right.items():
            result[key] = merged(result[key], value) if key in result else value
        return result
    return left + right


def as_lists(value: Any) -> Any:
    """Read objects whose keys are 0, 1, 2 … as lists, everywhere."""
    if isinstance(value, dict):
        value = {key: as_lists(item) for key, item in value.items()}
        if value and set(value) == {str(i) for i in range(len(value))}:
            return [value[str(i)] for i in range(len(value))]
        return value
    return [as_lists(item) for item in value] if isinstance(value, list) else value


def json_valid(run: Run, value: bool) -> None:
    for text in run.texts:
        json.loads(text, parse_constant=refuse_constant)


def json_merge_equals_input(run: Run, value: bool) -> None:
    parts = [json.loads(text) for text in run.texts]
    whole = parts[0]
    for part in parts[1:]:
        whole = merged(whole, part)
    assert as_lists(whole) == as_lists(json.loads(run.text))


def behaviour(run: Run, value: list[str]) -> None:
    checks = {
        "pickle": lambda: pickle.loads(pickle.dumps(run.splitter)).split_documents([run.source]),
        "async_equal": lambda: asyncio.run(run.splitter.atransform_documents([run.source])),
        "repeat_equal": lambda: run.splitter.split_documents([run.source]),
    }
    for name in value:
        if name == "metadata_isolated":
            metadata_isolated(run)
        else:
            assert checks[name]() == run.chunks, name


def any_of(run: Run, value: list[dict[str, Any]]) -> None:
    failures = []
    for facts in value:
        try:
            check(run, facts)
        except Exception as failure:  # noqa: BLE001 - any way to fail is one
            failures.append(failure)
        else:
            return
    raise AssertionError(failures)


def raises(run: Run, value: list[str]) -> None:
    try:
        _ = run.chunks
    except Exception as error:  # noqa: BLE001 - its class is what is checked
        raised = {cls.__name__ for cls in type(error).__mro__}
    else:
        raised = set()
    assert raised & set(value)


def time_limit_s(run: Run, value: float) -> None:
    assert run.chunks
    assert run.seconds < value


FACTS = {
    "texts": texts,
    "start_index": lambda run, value: texts_equal(run.starts, value),
    "n_chunks": lambda run, value: texts_equal(len(run.chunks), value),
    "n_chunks_min": lambda run, value: at_least(len(run.chunks), value),
    "min_chunks": lambda run, value: at_least(len(run.chunks), value),
    "n_chunks_max": lambda run, value: at_least(value, len(run.chunks)),
    "max_chunks": lambda run, value: at_least(value, len(run.chunks)),
    "slice_exact": slice_exact,
    "slices": slice_exact,
    "lossless": lossless,
    "lossless_text": lambda run, value: None,  # read by lossless
    "lossless_exact": lossless_exact,
    "no_extra": no_extra,
    "increasing": increasing,
    "no_contained_chunk": increasing,
    "overlap": overlap,
    "max_len": lambda run, value: at_least(value, max(map(len, run.texts))),
    "max_tokens": max_tokens,
    "headers": headers,
    "path_of": path_of,
    "not_a_header": not_a_header,
    "kept_somewhere": kept_somewhere,
    "labels": labels,
    "metadata_has": metadata_has,
    "input_metadata_unchanged": input_metadata_unchanged,
    "distinct_header_lists": lambda run, value: metadata_isolated(run),
    "same_on_second_call": same_on_second_call,
    "no_empty": lambda run, value: at_least(all(text.strip() for text in run.texts), True),
    "contains_all": contains_all,
    "exact_contains": contains_all,
    "not_contains": not_contains,
    "same_chunk": same_chunk,
    "separate_chunks": separate_chunks,
    "occurs_once": occurs_once,
    "order": order,
    "chunk_starts": chunk_starts,
    "chunk_starts_raw": chunk_starts,
    "not_starts_with": not_starts_with,
    "balanced_env": balanced_env,
    "json_valid": json_valid,
    "json_merge_equals_input": json_merge_equals_input,
    "raises": raises,
    "any_of": any_of,
    "time_limit_s": time_limit_s,
    "no_crash": lambda run, value: run.chunks,
    "behaviour": behaviour,
}


def texts_equal(found: Any, wanted: Any) -> None:
    assert found == wanted


def at_least(found: Any, least: Any) -> None:
    assert found >= least


def check(run: Run, facts: dict[str, Any]) -> None:
    """Check all facts of a case; a fact nobody knows is a KeyError."""
    for name, value in facts.items():
        FACTS[name](run, value)
