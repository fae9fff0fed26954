"""Datasets: RecursiveSplitter, 512 tokens, over the standard library's text in 50 Parquet files."""

from __future__ import annotations

import hashlib
import json
import random
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from harness import Row

from langchain_mchunk import ArrowChunker, RecursiveSplitter, split_dataset

FILES = 50
SMALL, LARGE = 50, 200  # MB


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for megabytes in (SMALL, LARGE):
            make(folder / str(megabytes), megabytes)
        yield from _same_rows(folder)
        yield from _memory(folder)
        yield from _speed(folder)


def _same_rows(folder: Path) -> Iterator[Row]:
    expected = hashed(loop(folder / str(LARGE)))
    for engine in ("process", "ray", "dask"):
        measure(folder, LARGE, engine, 2)
        same = hashed(written(folder / "out")) == expected
        yield Row(f"{LARGE} MB, {engine}: rows of a plain loop", "the same" if same else "OTHERS")


def _memory(folder: Path) -> Iterator[Row]:
    for engine in ("process", "ray", "dask"):
        peaks = [measure(folder, megabytes, engine, 2)[1] for megabytes in (SMALL, LARGE)]
        small, large = (f"{peak / 1e6:.0f} MB" for peak in peaks)
        yield Row(
            f"{engine}: peak memory of the parent over {SMALL} and {LARGE} MB", f"{small}, {large}"
        )


def _speed(folder: Path, rounds: int = 3) -> Iterator[Row]:
    """Interleaved rounds, by the clock: the work is in other processes."""
    runs = {"loop": [], "process 1": [], "process 2": [], "ray 2": [], "dask 2": []}
    for _ in range(rounds):
        for run, spent in runs.items():
            engine, _, workers = run.partition(" ")
            spent.append(measure(folder, SMALL, engine, int(workers or 1))[0])
    for run, other in (
        ("process 2", "process 1"),
        ("process 1", "loop"),
        ("process 2", "loop"),
        ("ray 2", "process 2"),
        ("dask 2", "process 2"),
    ):
        ratio = statistics.median(b / a for a, b in zip(runs[run], runs[other], strict=True))
        yield Row(f"{SMALL} MB, {run} to {other}", f"{ratio:.2f} times as fast")


def make(folder: Path, megabytes: int) -> None:
    """Write files of the modules of the standard library in a random order, from a fixed seed."""
    folder.mkdir()
    shuffler = random.Random(0)
    modules = [
        {"text": path.read_text("utf-8", "replace"), "source": path.name}
        for path in sorted(Path(sysconfig.get_path("stdlib")).glob("**/*.py"))
        if "site-packages" not in path.parts
    ]
    for number in range(FILES):
        documents, size = [], 0
        while size < megabytes * 1_000_000 // FILES:
            documents.append(shuffler.choice(modules))
            size += len(documents[-1]["text"])
        pq.write_table(pa.Table.from_pylist(documents), folder / f"{number:02}.parquet")


def splitter() -> RecursiveSplitter:
    return RecursiveSplitter.from_tiktoken_encoder(chunk_size=512)


def loop(source: Path) -> Iterator[pa.Table]:
    chunker = ArrowChunker(splitter(), metadata=["source"])
    for path in sorted(source.iterdir()):
        yield from map(chunker, pq.ParquetFile(path).iter_batches(batch_size=256))


def written(target: Path) -> Iterator[pa.Table]:
    return map(pq.read_table, sorted(target.glob("*.parquet")))


def hashed(tables: Iterator[pa.Table]) -> str:
    """Hash rows, however they are spread over tables."""
    digest = hashlib.sha256()
    for table in tables:
        for row in table.to_pylist():
            digest.update(json.dumps(row).encode())
    return digest.hexdigest()


def measure(folder: Path, megabytes: int, engine: str, workers: int) -> tuple[float, int]:
    """Return the seconds of a run and the peak memory of its parent process, in bytes."""
    arguments = [str(folder / str(megabytes)), str(folder / "out"), engine, str(workers)]
    run = subprocess.run(
        [sys.executable, __file__, *arguments], capture_output=True, check=True, text=True
    )
    seconds, peak = run.stdout.split()
    return float(seconds), int(peak)


def main(source: str, target: str, engine: str, workers: str) -> None:
    start = time.perf_counter()
    if engine == "loop":
        for table in loop(Path(source)):
            table.validate()
    else:
        options = {"engine": engine, "workers": int(workers), "metadata": ["source"]}
        split_dataset(source, target, splitter(), resume=False, show_progress=False, **options)
    print(time.perf_counter() - start, peak())


def peak() -> int:
    """Return the peak memory of this process: getrusage would count what it was forked from."""
    (line,) = (x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x)
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
