"""tiktoken's encodings from files of this package: their first use needs no network.

Patterns, special tokens and the sums of the files are those of tiktoken_ext/openai_public.py.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from difflib import get_close_matches
from importlib.resources import files
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import tiktoken
from tiktoken import model, registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Definition(NamedTuple):
    """What makes an encoding, but for the ranks: these are in the file of its vocabulary."""

    vocabulary: str
    pattern: str
    special_tokens: Mapping[str, int]


SHA256: Final = MappingProxyType(
    {
        "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    }
)

_R50K: Final = (
    r"'(?:[sdmt]|ll|ve|re)"  # an English contraction
    r"| ?\p{L}++"  # a word, or a number, or signs, with the blank before it
    r"| ?\p{N}++"
    r"| ?[^\s\p{L}\p{N}]++"
    r"|\s++$"  # white space: all of it at the end, else all but what goes with the next word
    r"|\s+(?!\S)"
    r"|\s"
)
_CL100K: Final = (
    r"'(?i:[sdmt]|ll|ve|re)"
    r"|[^\r\n\p{L}\p{N}]?+\p{L}++"  # a word and any one sign before it
    r"|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+"  # signs and the line breaks after them
    r"|\s++$"
    r"|\s*[\r\n]"
    r"|\s+(?!\S)"
    r"|\s"
)
_UPPER: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K: Final = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}"  # Word, word
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}"  # WORD
    r"|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"|\s+"
)

_HARMONY: Final = MappingProxyType(
    {
        "<|startoftext|>": 199998,
        "<|endoftext|>": 199999,
        "<|return|>": 200002,
        "<|constrain|>": 200003,
        "<|channel|>": 200005,
        "<|start|>": 200006,
        "<|end|>": 200007,
        "<|message|>": 200008,
        "<|call|>": 200012,
        "<|endofprompt|>": 200018,
    }
)
_HARMONY_RESERVED: Final = (200000, 200001, 200004, *range(200009, 200012), *range(200013, 201088))

BUNDLED: Final = MappingProxyType(
    {
        "gpt2": Definition("r50k_base", _R50K, {"<|endoftext|>": 50256}),
        "r50k_base": Definition("r50k_base", _R50K, {"<|endoftext|>": 50256}),
        "p50k_base": Definition("p50k_base", _R50K, {"<|endoftext|>": 50256}),
        "p50k_edit": Definition(
            "p50k_base",
            _R50K,
            {
                "<|endoftext|>": 50256,
                "<|fim_prefix|>": 50281,
                "<|fim_middle|>": 50282,
                "<|fim_suffix|>": 50283,
            },
        ),
        "cl100k_base": Definition(
            "cl100k_base",
            _CL100K,
            {
                "<|endoftext|>": 100257,
                "<|fim_prefix|>": 100258,
                "<|fim_middle|>": 100259,
                "<|fim_suffix|>": 100260,
                "<|endofprompt|>": 100276,
            },
        ),
        "o200k_base": Definition(
            "o200k_base", _O200K, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
        ),
        "o200k_harmony": Definition(
            "o200k_base",
            _O200K,
            {**{f"<|reserved_{token}|>": token for token in _HARMONY_RESERVED}, **_HARMONY},
        ),
    }
)

_loaded: dict[str, tiktoken.Encoding] = {}
_loading = RLock()


def load(name: str) -> tiktoken.Encoding:
    """Return an encoding: tiktoken's own if it is in memory, else from this package's file.

    Without a sound file here, tiktoken looks into its cache and downloads. Loaded once a process.

    Raises:
        RuntimeError: Neither way worked.
    """
    if name not in _loaded:
        with _loading:
            if name not in _loaded:
                _loaded[name] = registry.ENCODINGS.get(name) or _bundled(name) or _downloaded(name)
    return _loaded[name]


def checked_name(encoding_name: str, model_name: str | None = None) -> str:
    """Return the name of an encoding, that of the model if one is given, without loading it.

    Raises:
        TypeError: A name is not a `str`.
        ValueError: There is no such encoding, or tiktoken knows no such model.
    """
    for option, name in (("encoding_name", encoding_name), ("model_name", model_name or "")):
        if not isinstance(name, str):
            raise TypeError(f"{option} must be a str, got {name!r}")
    if model_name is not None:
        return _encoding_of(model_name)
    known = {*BUNDLED, *tiktoken.list_encoding_names()}
    if encoding_name not in known:
        raise ValueError(
            f"encoding_name must be one of tiktoken's encodings, got {encoding_name!r}: "
            f"{_near(encoding_name, known)}"
        )
    return encoding_name


def _encoding_of(model_name: str) -> str:
    try:
        return model.encoding_name_for_model(model_name)
    except KeyError:
        known = {*model.MODEL_TO_ENCODING, *model.MODEL_PREFIX_TO_ENCODING}
        raise ValueError(
            f"model_name must be a model of tiktoken's table, got {model_name!r}: "
            f"{_near(model_name, known)}, or give encoding_name instead"
        ) from None


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, sorted(known), n=4, cutoff=0.4)
    return f"use one like {', '.join(map(repr, near or sorted(known)[:4]))}"


def _bundled(name: str) -> tiktoken.Encoding | None:
    """Make an encoding of a file of this package, if there is one and it is sound."""
    definition = BUNDLED.get(name)
    content = _vocabulary(definition.vocabulary) if definition else None
    if definition is None or content is None:
        return None
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in content.splitlines())
    }
    return tiktoken.Encoding(
        name,
        pat_str=definition.pattern,
        mergeable_ranks=ranks,
        special_tokens=dict(definition.special_tokens),
    )


def _vocabulary(vocabulary: str) -> bytes | None:
    """Read a file of this package; `None` if it is missing or its sum is not the published one."""
    try:
        content = gzip.decompress((files(__name__) / f"{vocabulary}.tiktoken.gz").read_bytes())
    except (OSError, EOFError, zlib.error):
        return None
    return content if hashlib.sha256(content).hexdigest() == SHA256[vocabulary] else None


def _downloaded(name: str) -> tiktoken.Encoding:
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:
        raise RuntimeError(
            f"the encoding {name!r} could not be loaded: langchain_mchunk has no sound file of it, "
            f"and tiktoken failed to download it ({error}): reinstall langchain-mchunk, or set "
            "TIKTOKEN_CACHE_DIR to a folder that tiktoken has filled on a machine with a network"
        ) from error
