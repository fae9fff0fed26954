"""README is true: its Python runs and prints what stands below it, its commands exist."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from langchain_mchunk import STRATEGIES, cli
from langchain_mchunk.arguments import parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = [
    (code, following[1] if following[0] == "text" else None)
    for (language, code), following in zip(BLOCKS, [*BLOCKS[1:], ("", "")], strict=True)
    if language == "python"
]


@pytest.mark.parametrize(("code", "output"), PYTHON, ids=range(len(PYTHON)))
def test_python(
    code: str, output: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
    if output is not None:
        assert printed.getvalue() == output


def test_commands_exist() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    lines = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines()]
    for line in filter(None, lines):
        program, *arguments = shlex.split(line, comments=True)
        if program == "make":
            assert set(arguments) <= set(targets), line
        elif program == "mchunk":
            parser().parse_args(arguments)
        else:
            assert program in ("pip", "git"), line


def test_demo_prints_what_readme_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    cli.main(["--chunk-size", "600", "notebooks/data/guide.md"])
    printed = capsys.readouterr().out
    (shown,) = (code for language, code in BLOCKS if language == "text" and "guide.md" in code)
    assert printed.startswith(shown)


def test_every_strategy_is_in_the_table() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+Splitter)` \| \w", README, re.MULTILINE)
    assert rows == [(name, cls.__name__) for name, cls in STRATEGIES.items()]
