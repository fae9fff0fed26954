"""What is done with chunks once they are cut: the headings into the text, a key for an index."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from langchain_core.documents import Document

from langchain_mchunk.checks import checked_documents

if TYPE_CHECKING:
    from collections.abc import Iterable


def with_headers(
    documents: Iterable[Document], template: str = "{headers}\n\n{text}"
) -> list[Document]:
    r"""Return copies of chunks whose text begins with their header path, for embedding.

    The path is what `metadata["headers"]` says. A chunk without one is copied as it is, and so is
    one whose text begins with it already.

    Args:
        documents: Chunks of any splitter.
        template: The new text; `{headers}` and `{text}` stand for the path and the old one.

    Raises:
        TypeError: `documents` are no Documents, or `template` is no str.
        ValueError: `template` names another field, or does not end with `{text}`.

    Example:
        >>> from langchain_core.documents import Document
        >>> chunk = Document(page_content="Press Save.", metadata={"headers": "Guide > Use"})
        >>> with_headers([chunk])[0].page_content
        'Guide > Use\n\nPress Save.'
    """
    if not isinstance(template, str):
        raise TypeError(f"template must be a str, got {template!r}")
    beginning = template.removesuffix("{text}")
    if beginning == template:
        raise ValueError(f"template must end with {{text}}, got {template!r}")
    try:
        beginning.format(headers="")
    except (AttributeError, IndexError, KeyError, ValueError) as error:
        raise ValueError(
            f"template must hold no field but {{headers}} and {{text}}, got {template!r}"
        ) from error
    return [_headed(document, beginning) for document in checked_documents("documents", documents)]


def chunk_key(document: Document) -> str:
    """Return a key of a chunk's source and text alone, for `index(..., key_encoder=chunk_key)`.

    A chunk keeps its key when others are put in before it. It has 64 characters (SHA-256).

    Args:
        document: A chunk; its source is `metadata["source"]`, if it has one.

    Raises:
        TypeError: `document` is no Document.

    Example:
        >>> from langchain_core.documents import Document
        >>> chunk_key(Document(page_content="Press Save.", metadata={"source": "a.md"}))[:16]
        '176d856adfdb2656'
    """
    if not isinstance(document, Document):
        raise TypeError(
            f"document must be a Document, got {document!r}: "
            "give one chunk, or chunk_key itself to index(..., key_encoder=chunk_key)"
        )
    source = str(document.metadata.get("source", ""))
    content = f"{len(source)} {source}{document.page_content}"  # no two pairs give the same
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _headed(document: Document, beginning: str) -> Document:
    copied = document.model_copy(deep=True)
    headers, text = document.metadata.get("headers", ""), document.page_content
    beginning = beginning.format(headers=headers)
    if headers and not text.startswith(beginning) and text.partition("\n")[0].rstrip() != headers:
        copied.page_content = beginning + text
    return copied
