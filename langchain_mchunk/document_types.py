"""Document type -> strategy, in one table.

The type is the one that is named, else what `content_type`, `source` or `file_path` in the metadata
say; a document whose type is not known is split by `recursive`.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Choice(NamedTuple):
    """A strategy, and for code its language, a `Language` of langchain_text_splitters."""

    strategy: str
    language: str | None = None


PLAIN: Final = Choice("recursive")

# strategy or language -> file name suffixes, then MIME types
_STRATEGIES: Final = {
    "markdown": (".md .markdown .mdx", "text/markdown text/x-markdown"),
    "html": (".html .htm .xhtml", "text/html application/xhtml+xml"),
    "json": (".json .jsonl .ndjson", "application/json application/jsonl application/x-ndjson"),
    "latex": (".tex .latex", "text/x-tex application/x-tex application/x-latex"),
    "recursive": (".txt .text", "text/plain"),
}
_LANGUAGES: Final = {
    "c": (".c .h", "text/x-c"),
    "cobol": (".cob .cbl", ""),
    "cpp": (".cc .cpp .cxx .hh .hpp .hxx", "text/x-c++"),
    "csharp": (".cs", "text/x-csharp"),
    "elixir": (".ex .exs", "text/x-elixir"),
    "go": (".go", "text/x-go"),
    "haskell": (".hs", "text/x-haskell"),
    "java": (".java", "text/x-java"),
    "js": (".js .cjs .mjs .jsx", "text/javascript application/javascript"),
    "kotlin": (".kt .kts", "text/x-kotlin"),
    "lua": (".lua", "text/x-lua"),
    "php": (".php", "text/x-php application/x-httpd-php"),
    "powershell": (".ps1 .psm1", ""),
    "proto": (".proto", ""),
    "python": (".py .pyi", "text/x-python application/x-python-code"),
    "r": (".r", "text/x-r"),
    "rst": (".rst", "text/x-rst"),
    "ruby": (".rb", "text/x-ruby application/x-ruby"),
    "rust": (".rs", "text/x-rust"),
    "scala": (".scala", "text/x-scala"),
    "sol": (".sol", ""),
    "swift": (".swift", "text/x-swift"),
    "ts": (".ts .tsx", "text/typescript application/typescript"),
    "visualbasic6": (".bas .frm", ""),
}

TYPES: Final[Mapping[str, Choice]] = {
    **{
        name: Choice(strategy)
        for strategy, names in _STRATEGIES.items()
        for name in " ".join(names).split()
    },
    **{
        name: Choice("recursive", language)
        for language, names in _LANGUAGES.items()
        for name in " ".join(names).split()
    },
}


# Loaders name the file whose text they took out, too: such text shows nothing of the file's type.
_SIGNS: Final = {
    "html": re.compile(r"<[!/?a-zA-Z][^<>]*>"),
    "json": re.compile(r"\A\ufeff?\s*[\[{]"),
}


def choice(
    metadata: Mapping[str, Any], content_type: str | None = None, text: str | None = None
) -> Choice:
    """Choose the strategy for a document.

    Args:
        metadata: The document's metadata: `content_type`, `source` and `file_path` are looked at.
        content_type: A MIME type, a suffix (`".md"`, `"md"`) or a file name; it wins.
        text: The document's text: without a tag it is no HTML, and without a bracket at its start
            no JSON, whatever its source is called.

    Raises:
        TypeError: `content_type` is no `str`.
        ValueError: `content_type` is given and not known.
    """
    if content_type is not None:
        if not isinstance(content_type, str):
            raise TypeError(f"content_type must be a str such as 'text/html', got {content_type!r}")
        known = _known(content_type) or TYPES.get(f".{content_type.lower()}")
        if known is None:
            raise ValueError(
                f"content_type must be one of {', '.join(sorted(TYPES))}, got {content_type!r}"
            )
        return known
    for key in ("content_type", "source", "file_path"):
        name = metadata.get(key)
        known = _known(str(name)) if isinstance(name, str | PurePath) else None
        if known:
            sign = None if key == "content_type" else _SIGNS.get(known.strategy)
            return known if text is None or sign is None or sign.search(text) else PLAIN
    return PLAIN


def _known(name: str) -> Choice | None:
    """Look up a MIME type, with parameters or without, or the suffix of a file name or URL."""
    bare = name.split(";", maxsplit=1)[0].strip().lower()
    if bare in TYPES:
        return TYPES[bare]
    return TYPES.get(PurePath(bare.split("?")[0].split("#")[0]).suffix)
