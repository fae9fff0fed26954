"""Cases are files: `cases/<strategy>/*.jsonl`, one JSON object a line. Adding one is adding a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from facts import Run, check

from langchain_mchunk import STRATEGIES

CASES = Path(__file__).parent / "cases"


def cases(strategy: str) -> list[dict]:
    files = sorted((CASES / strategy).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


ALL = [pytest.param(case, id=case["id"]) for name in STRATEGIES for case in cases(name)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_has_cases(strategy: str) -> None:
    assert cases(strategy), f"put cases into {CASES / strategy}"


def test_every_case_is_told_apart() -> None:
    assert len({param.id for param in ALL}) == len(ALL)


@pytest.mark.parametrize("case", ALL)
def test_case(case: dict) -> None:
    check(Run(case), case["expect"])
