"""What a splitter is, as plain JSON: equal for equal options, in every process."""

from __future__ import annotations

import copyreg
import hashlib
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter

_NAMED: Final = (type, FunctionType, BuiltinFunctionType)


def options(splitter: TextSplitter) -> dict[str, Any]:
    """Return the class of a splitter and its options, one key each."""
    described: dict[str, Any] = {"splitter": describe(type(splitter))}
    _, _, state, *_ = splitter.__reduce_ex__(4)
    for name, value in state.items():
        described[name.lstrip("_")] = describe(value)
    described.pop("show_progress", None)  # changes no chunk
    return described


def describe(value: Any) -> Any:
    """Take a value apart as pickling does; sets are sorted, long bytes are hashed."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((describe(item) for item in value), key=repr)
    if isinstance(value, Mapping):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, _NAMED):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, MethodType):
        return [describe(value.__func__), describe(value.__self__)]
    reduce = copyreg.dispatch_table.get(type(value))
    made = reduce(value) if reduce else value.__reduce_ex__(4)
    if isinstance(made, str):  # the name of a global
        return made
    return [describe(list(part) if hasattr(part, "__next__") else part) for part in made]
