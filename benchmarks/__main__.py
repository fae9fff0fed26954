"""`python benchmarks [NAME …]` prints the rows of all benchmarks, or of those named."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

names = sys.argv[1:] or sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
for name in names:
    module = import_module(name if name.startswith("bench_") else f"bench_{name}")
    print(f"\n{module.__doc__}")
    for what, value in module.rows():
        print(f"  {what:<88} {value}", flush=True)
