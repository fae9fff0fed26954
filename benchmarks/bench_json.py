"""json against LangChain's RecursiveJsonSplitter, parsing included: it takes values, not text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pydoc_data.topics import topics
from typing import Any

from harness import Row, faster, seconds
from langchain_text_splitters import RecursiveJsonSplitter

from langchain_mchunk import JSONSplitter

WORDS = topics["with"].split()


def order(number: int) -> dict[str, Any]:
    """What an interface of a shop answers: some nesting, some text, numbers and nothing."""
    words = [WORDS[(number * 7 + i) % len(WORDS)] for i in range(12)]
    return {
        "id": f"order-{number:08x}",
        "placed": "2024-05-17T09:30:00Z",
        "customer": {"name": " ".join(words[:2]), "address": {"street": words[2], "zip": "12345"}},
        "items": {
            w: {"price": number / 7, "count": i, "note": None} for i, w in enumerate(words[:3])
        },
        "tags": words[3:6],
        "remark": " ".join(words),
        "paid": number % 3 == 0,
    }


def orders(count: int) -> dict[str, Any]:
    return {"count": count, "orders": {str(number): order(number) for number in range(count)}}


def small_values() -> dict[str, int]:
    return {f"key{number}": number for number in range(100_000)}


def records() -> list[dict[str, Any]]:
    return [{"id": i, "name": f"item number {i}", "value": 2 * i} for i in range(20_000)]


def row(what: str, document: Any, *, convert_lists: bool = False, indent: int | None = None) -> Row:
    text = json.dumps(document, indent=indent)
    ours = JSONSplitter(ensure_ascii=True, convert_lists=convert_lists)
    peer = RecursiveJsonSplitter(2000)
    return faster(
        f"json, split_text, {what}",
        lambda: peer.split_text(json.loads(text), convert_lists=convert_lists),
        lambda: ours.split_text(text),
        rounds=5,
    )


def growth(what: str, make: Callable[[int], str], sizes: tuple[int, ...]) -> Row:
    texts = [make(size) for size in sizes]
    split = JSONSplitter().split_text
    rates = [len(text) / seconds(lambda text=text: split(text)) for text in texts]
    shares = ", ".join(f"{rate / rates[0]:.2f}" for rate in rates)
    millions = ", ".join(f"{len(text) / 1e6:.0f}" for text in texts)
    return Row(f"json, {what} of {millions} MB: speed as a share of the first", shares)


def rows() -> Iterator[Row]:
    yield row("2,000 orders, nested objects", orders(2000))
    yield row("the same, indented", orders(2000), indent=2)
    yield row("the same, lists converted", orders(2000), convert_lists=True)
    yield row("an object of 100,000 small values", small_values())
    yield row("a list of 20,000 records, converted", records(), convert_lists=True)
    yield growth("orders", lambda size: json.dumps(orders(2500 * size)), (1, 4, 16, 64))
    yield growth("a list of numbers", lambda size: str(list(range(140_000 * size))), (1, 4, 16))
    yield growth("one string", lambda size: json.dumps("some words " * 90_000 * size), (1, 4, 16))
    yield growth(
        "a nest of lists", lambda size: "[" * 500_000 * size + "]" * 500_000 * size, (1, 4)
    )
