"""Processes, Ray and Dask on two cores: the same rows as a plain loop, whoever started the cluster."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pytest
from test_dataset import by_a_loop, documents, write_lines, write_parquet
from workers import Deadly

import langchain_mchunk
from langchain_mchunk import ArrowChunker, JSONSplitter, TokenSplitter, split_dataset
from langchain_mchunk.batches import DocumentError
from langchain_mchunk.dataset.engines import ENGINES

# What the engines themselves warn of.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

FOLDERS = os.pathsep.join(
    map(str, [Path(langchain_mchunk.__file__).parent.parent, Path(__file__).parent])
)
SPLITTER = TokenSplitter(chunk_size=50, chunk_overlap=5, add_start_index=True)
split = functools.partial(split_dataset, workers=2, show_progress=False)


@pytest.fixture(scope="module")
def ray() -> Iterator:
    ray = pytest.importorskip("ray")
    ray.init(
        num_cpus=2,
        object_store_memory=100_000_000,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": FOLDERS}},
    )
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def dask() -> Iterator:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """An engine, on a cluster that all tests share."""
    if request.param != "process":
        request.getfixturevalue(request.param)
    return request.param


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A megabyte of text in 12 files."""
    folder = tmp_path_factory.mktemp("source")
    for number in range(12):
        write_parquet(folder / f"{number:02}.parquet", documents(120, f"{number} "))
    return folder


@pytest.fixture(scope="module")
def expected(source: Path) -> list[dict]:
    return [
        row for number in range(12) for row in by_a_loop(documents(120, f"{number} "), SPLITTER)
    ]


def rows(target: Path) -> list[dict]:
    return pads.dataset(target).to_table().to_pylist()


def test_the_rows_are_those_of_a_plain_loop(
    engine: str, source: Path, expected: list[dict], tmp_path: Path
) -> None:
    report = split(source, tmp_path / "out", SPLITTER, engine=engine)
    assert rows(tmp_path / "out") == expected
    assert (report.documents, report.chunks, report.files) == (1440, len(expected), 12)
    (tmp_path / "out/03.parquet").unlink()
    again = split(source, tmp_path / "out", SPLITTER, engine=engine)
    assert rows(tmp_path / "out") == expected
    assert again._replace(seconds=0) == report._replace(seconds=0)


def test_an_error_stops_with_its_file_and_row(engine: str, tmp_path: Path) -> None:
    given = [{"text": "[1]"}] * 5 + [{"text": "["}]
    path = write_lines(tmp_path / "in/a.jsonl", given)
    write_lines(tmp_path / "in/b.jsonl", given[:2])
    with pytest.raises(DocumentError, match=rf"^{path}, row 5: ValueError: ") as raised:
        split(tmp_path / "in", tmp_path / "out", JSONSplitter(), engine=engine, on_error="raise")
    assert raised.value.row == 5
    report = split(tmp_path / "in", tmp_path / "out", JSONSplitter(), engine=engine)
    assert (report.chunks, report.errors) == (7, 1)


def test_a_worker_that_dies_twice_costs_its_file(engine: str, tmp_path: Path) -> None:
    write_lines(tmp_path / "in/a.jsonl", [{"text": "deadly", "id": 1}])
    for name in "bcd":
        write_lines(tmp_path / f"in/{name}.jsonl", documents(10, name))
    report = split(tmp_path / "in", tmp_path / "out", Deadly(chunk_size=100), engine=engine)
    assert report.errors == 1
    first, *others = rows(tmp_path / "out")
    assert "two workers died over this file" in first["error"]
    assert others == [row for name in "bcd" for row in by_a_loop(documents(10, name))]


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_a_cluster_is_started_and_stopped(engine: str, source: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from langchain_mchunk import TokenSplitter, split_dataset\n"
        "if __name__ == '__main__':\n"
        "    source, target, engine = sys.argv[1:]\n"
        "    splitter = TokenSplitter(chunk_size=50, chunk_overlap=5, add_start_index=True)\n"
        "    print(split_dataset(source, target, splitter, engine=engine, workers=2))\n"
        "    import ray\n"
        "    assert not ray.is_initialized()\n"
    )
    (tmp_path / "run.py").write_text(program)
    run = subprocess.run(
        [sys.executable, "run.py", str(source / "0*.parquet"), "out", engine],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": FOLDERS},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("10 files, 1,200 documents, ")
    assert "10/10" in run.stderr
    assert "INFO" not in run.stderr


@pytest.mark.parametrize(
    ("engine", "package", "needed"),
    [("ray", "ray", "Ray Data"), ("dask", "distributed", "distributed")],
)
def test_without_an_engine(engine: str, package: str, needed: str, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from langchain_mchunk import SectionSplitter, split_dataset\n"
        f"split_dataset('.', 'out', SectionSplitter(), engine={engine!r})"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stderr.splitlines()[-1] == (
        f'ImportError: engine="{engine}" needs {needed}: pip install "langchain-mchunk[{engine}]"'
    )


class TestArrowChunker:
    """The function itself in the engines that map it over their own batches."""

    chunker = ArrowChunker(SPLITTER, metadata=["id"])

    @pytest.fixture
    def chunks(self) -> list[dict]:
        return by_a_loop(documents(120, "0 "), SPLITTER)

    def test_ray(self, ray, source: Path, chunks: list[dict]) -> None:
        dataset = ray.data.read_parquet(str(source / "00.parquet"))
        mapped = dataset.map_batches(self.chunker, batch_format="pyarrow", batch_size=50)
        assert _sorted(mapped.take_all()) == _sorted(chunks)
        empty = dataset.limit(0).map_batches(self.chunker, batch_format="pyarrow")
        assert empty.take_all() == []

    def test_dask(self, dask, source: Path, chunks: list[dict]) -> None:
        frame = pytest.importorskip("dask.dataframe").read_parquet(source / "00.parquet")

        def chunk(part):
            return self.chunker(pa.Table.from_pandas(part, preserve_index=False)).to_pandas(
                types_mapper=_arrow_types
            )

        mapped = frame.repartition(npartitions=3).map_partitions(chunk, meta=chunk(frame._meta))
        found = pa.Table.from_pandas(mapped.compute(), preserve_index=False).to_pylist()
        assert _sorted(found) == _sorted(chunks)

    def test_spark_passes_an_iterator_of_record_batches(self, chunks: list[dict]) -> None:
        batches = pa.Table.from_pylist(documents(120, "0 ")).to_batches(max_chunksize=50)
        mapped = pa.Table.from_batches(self.chunker.stream(iter(batches))).to_pylist()
        assert mapped == chunks


def _arrow_types(kind: pa.DataType):
    import pandas as pd

    return pd.ArrowDtype(kind)


def _sorted(chunks: list[dict]) -> list[dict]:
    return sorted(chunks, key=lambda chunk: (chunk["id"], chunk["index"]))
