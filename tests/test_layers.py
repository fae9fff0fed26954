"""Imports point down one list, and only `splitters/base.py` makes Documents in the splitters."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import langchain_mchunk
from langchain_mchunk import STRATEGIES

PACKAGE = Path(langchain_mchunk.__file__).parent
LAYERS = [
    "checks",
    "release",
    "terminal",
    "parts",
    "labels",
    *[
        "spans",
        "words",
        "sizes",
        "encodings",
        "abbreviations",
        "stops",
        "boundaries",
        "further_ends",
        "plain_ends",
        "proposals",
        "sentences",
        "packing",
        "headings",
        "breaks",
        "separators",
        "merging",
        "token_ruler",
        "tokens",
    ],
    *[
        "options",
        "splitters.base",
        "splitters.*",
        "splitters",
        "files",
        "document_types",
        "auto",
        "extras",
        "batches",
        "dataset.fragments",
        "dataset.fingerprint",
        "dataset.manifest",
        "dataset.lines",
        "dataset.reading",
        "dataset.writing",
        "dataset.engines",
        "dataset",
        "arguments",
        "asked",
        "cli",
        "__main__",
    ],
]
STANDALONE = {"retriever", "extractors", "documents", "views"}


def imported(path: Path) -> set[str]:
    """Name the package's modules that a module imports, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("langchain_mchunk"):
            names.add(node.module.removeprefix("langchain_mchunk").lstrip("."))
        elif isinstance(node, ast.Import):
            names |= {a.name for a in node.names if a.name.startswith("langchain_mchunk")}
    return names - {""}


def module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def layer(name: str) -> int:
    if name in LAYERS:
        return LAYERS.index(name)
    for i, pattern in enumerate(LAYERS):
        if pattern.endswith(".*") and name.startswith(pattern[:-1]):
            return i
    return -1


MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or path.stem != "__init__"
]


@pytest.mark.parametrize("path", MODULES, ids=module)
def test_imports_point_down(path: Path) -> None:
    name = module(path)
    for other in imported(path):
        if other.startswith(name + "."):
            continue  # a package and its own parts
        if layer(name) >= 0 and layer(other) >= 0:
            within = name.startswith("splitters.") and other.startswith("splitters._")
            assert layer(other) < layer(name) or within, f"{name} imports {other}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "splitters").glob("*.py")), ids=module)
def test_only_the_base_makes_documents(path: Path) -> None:
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert ("Document" in calls) == (path.stem == "base")


def test_every_strategy_is_one_file_of_its_name() -> None:
    files = {p.stem for p in (PACKAGE / "splitters").glob("[!_]*.py")} - {"base"}
    assert files == {name.replace("-", "_") for name in STRATEGIES}


def test_public_names_exist() -> None:
    assert set(langchain_mchunk.__all__) == set(langchain_mchunk._HOMES)
    for name in langchain_mchunk.__all__:
        assert getattr(langchain_mchunk, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = langchain_mchunk.nothing


@pytest.mark.parametrize(
    ("peer", "statement", "unwanted"),  # what LangChain itself loads is not ours to spare
    [
        ("", "import langchain_mchunk", ["numpy", "tiktoken", "regex", "langchain_core"]),
        (
            "import langchain_text_splitters",
            "import langchain_mchunk.cli",
            ["numpy", "tiktoken", "tqdm", "langchain_mchunk.retriever"],
        ),
        (
            "import langchain_text_splitters",
            "from langchain_mchunk import SectionSplitter; SectionSplitter()",
            ["numpy", "tiktoken", "tqdm"],
        ),
    ],
)
def test_heavy_parts_load_on_use(peer: str, statement: str, unwanted: list[str]) -> None:
    program = f"import sys\n{peer}\nbefore = {{*sys.modules}}\n{statement}"
    program += f"\nprint(*[n for n in {unwanted} if n in sys.modules and n not in before])"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []
