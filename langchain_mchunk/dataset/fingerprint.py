"""What a splitter is, as plain JSON: equal for equal options, in every process."""

from __future__ import annotations

import copyreg
import hashlib
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter


def options(splitter: TextSplitter) -> dict[str, Any]:
    """Return the class of a splitter and its options, one key each."""
    state = splitter.__getstate__()
    if not isinstance(state, dict):
        state = {"state": state}
    own = {name.lstrip("_"): describe(value) for name, value in state.items()}
    own.pop("show_progress", None)  # changes no chunk
    return {"splitter": describe(type(splitter)), **own}


def describe(value: Any) -> Any:
    """Take a value apart as pickling does; sets are sorted, bytes are hashed."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return hashlib.sha256(value).hexdigest()
        case Mapping():
            return {str(key): describe(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted(map(describe, value), key=repr)
        case list() | tuple() | Iterator():
            return list(map(describe, value))
    return describe(_parts(value))


def _parts(value: Any) -> Any:
    """Return what pickling would write of an object: a name, or how to make it."""
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, [*map(_constant, value.co_consts)]
    if isinstance(value, type | FunctionType | BuiltinFunctionType):
        name = f"{value.__module__}.{value.__qualname__}"
        if not isinstance(value, FunctionType) or "<" not in name:
            return name
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        what = describe([value.__code__, value.__defaults__, value.__kwdefaults__, cells])
        return f"{name} {describe(repr(what).encode())[:12]}"  # its name says too little
    reduce = copyreg.dispatch_table.get(type(value))
    return reduce(value) if reduce else value.__reduce_ex__(4)


def _constant(value: Any) -> Any:
    return value if isinstance(value, CodeType) else repr(value)
