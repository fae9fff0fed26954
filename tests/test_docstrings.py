"""Examples in docstrings are run."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import langchain_mchunk

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(langchain_mchunk.__path__, "langchain_mchunk.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
