"""What an option may be: each check names the option, its rule, the value and the cure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.documents import Document

# The metadata keys that chunks have of their own.
RESERVED: Final = ("label", "index", "headers", "start_index", "xpath", "token_count")


def checked_text(text: str) -> str:
    """Return `text` if it is a `str`."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    return text


def checked_documents(name: str, value: object) -> list[Document]:
    """Return the Documents of an iterable as a list, if it is one and holds nothing else."""
    from langchain_core.documents import Document  # noqa: PLC0415 - heavy, and loaded by then

    must = f"{name} must be a list of Documents"
    if isinstance(value, Document):  # which can be gone through, field by field
        raise TypeError(f"{must}, got one Document: put it into a list")
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{must}, got {_kind(value)}: give the chunks of a splitter")
    members = list(value)
    for i, member in enumerate(members):
        if not isinstance(member, Document):
            raise TypeError(f"{must}, got {_kind(member)} at position {i}: split texts first")
    return members


def check_integer(option: str, value: Any, least: int) -> None:
    """Refuse what is not an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{option} must be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"{option} must be at least {least}, got {value}")


def check_flag(option: str, value: Any) -> None:
    """Refuse what is neither `True` nor `False`."""
    if not isinstance(value, bool):
        raise TypeError(f"{option} must be True or False, got {value!r}")


def check_choice(option: str, value: Any, choices: Sequence[Any]) -> None:
    """Refuse what is not one of `choices`."""
    if not any(
        value is choice or (isinstance(value, str) and value == choice) for choice in choices
    ):
        raise ValueError(f"{option} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_length_function(value: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise TypeError(
            "length_function must be a function from a text to its size, "
            f"got {value!r}: use len or TokenCounter(...)"
        )


def key_pairs(option: str, value: Any) -> list[tuple[str, str]]:
    """Refuse what is not a list of pairs of `str` whose second one may be a metadata key."""
    pairs = list(value) if isinstance(value, Iterable) else [value]
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or [type(item) for item in pair] != [str, str]:
            raise TypeError(
                f'{option} must be a list of pairs such as ("h2", "part"), got {value!r}'
            )
    for _, key in pairs:
        if key in RESERVED:
            raise ValueError(
                f"{option} must not use {key!r} as a metadata key, got {value!r}: "
                "chunks have one of that name, take another"
            )
    return [(first, key) for first, key in pairs]


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
