"""The options that extractors share, and what an option of theirs may be."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Collection

    from langchain_core.runnables import RunnableConfig


class ExtractorOptions(TypedDict, total=False):
    """The options that all extractors with a model share."""

    max_concurrency: int | None
    on_error: Literal["raise", "skip"]
    config: RunnableConfig | None
    show_progress: bool


def option_names(cls: type[Any]) -> set[str]:
    """Name the options of an extractor, its own and the shared ones."""
    own = inspect.signature(cls).parameters.values()
    return {p.name for p in own if p.kind is not p.VAR_KEYWORD} | set(
        ExtractorOptions.__annotations__
    )


def checked_config(config: Any) -> RunnableConfig | None:
    """Return `config` if it is a mapping, or not given."""
    if config is not None and not isinstance(config, Mapping):
        raise TypeError(f"config must be a mapping such as {{'tags': ['mine']}}, got {config!r}")
    return cast("RunnableConfig | None", config)


def check_template(option: str, template: str, required: Collection[str]) -> None:
    """Refuse a template that lacks a placeholder or has one that nothing fills."""
    if not isinstance(template, str):
        raise TypeError(f"{option} must be a str, got {type(template).__name__}")
    wanted = ", ".join(f"{{{name}}}" for name in sorted(required))
    try:
        found = _placeholders(template)
    except ValueError as error:
        got = f"{template!r} ({error})"
    else:
        if found == set(required):
            return
        got = ", ".join(f"{{{name}}}" for name in sorted(found)) or "none"
    raise ValueError(
        f"{option} must have the placeholders {wanted}, got {got}; write other braces twice"
    )


def _placeholders(template: str) -> set[str]:
    """Name what is to be filled in; a placeholder inside of another's format is told with it."""
    parts = Formatter().parse(template)
    return {
        f"{name}:{form}" if "{" in (form or "") else name
        for _, name, form, _ in parts
        if name is not None
    }
