"""The bundled encodings are tiktoken's own, and load once, without a network, writing nothing."""

import gzip
import hashlib
import os
import subprocess
import sys
import threading
from importlib.resources import files

import pytest
import tiktoken
from tiktoken import registry
from tiktoken_ext import openai_public

from langchain_mchunk import encodings

OFFLINE = """
import sys

def refuse(event, arguments):
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    if event.startswith(("socket.", "tempfile.", "os.mkdir")) or writes:
        raise PermissionError(f"{event} {arguments}")

sys.addaudithook(refuse)
from langchain_mchunk import TokenCounter
from langchain_mchunk.encodings import BUNDLED
print([(name, TokenCounter(name)("hello world")) for name in BUNDLED])
"""

CONSTRUCTION = """
import sys

opened = []
from langchain_mchunk import TokenSplitter, TokenCounter, encodings

def note(event, arguments):
    if event == "open":
        opened.append(str(arguments[0]))

sys.addaudithook(note)
TokenCounter("o200k_base"), TokenSplitter(), TokenSplitter(model_name="gpt-4o")
assert not encodings._loaded
assert not [path for path in opened if not path.endswith((".py", ".pyc"))], opened
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def unloaded(monkeypatch):
    monkeypatch.setattr(encodings, "_loaded", {})
    monkeypatch.setattr(registry, "ENCODINGS", {})


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    def refuse(*args, **options):
        raise OSError("no network")

    monkeypatch.setattr("socket.socket", refuse)
    monkeypatch.setattr("tiktoken.load.read_file", refuse)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))


def test_every_encoding_loads_offline_with_an_empty_cache_and_a_read_only_temporary_folder(
    tmp_path,
):
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    cache.mkdir()
    temporary.mkdir(mode=0o500)
    ran = run(OFFLINE, TIKTOKEN_CACHE_DIR=str(cache), TMPDIR=str(temporary))
    assert ran.stdout.strip() == str([(name, 2) for name in encodings.BUNDLED]), ran.stderr
    assert not ran.stderr
    assert not [*cache.iterdir(), *temporary.iterdir()]


def test_construction_reads_no_vocabulary():
    assert run(CONSTRUCTION).stderr == ""


@pytest.mark.parametrize("name", encodings.BUNDLED)
def test_definition_is_tiktokens(name, monkeypatch, tmp_path):
    sums = []

    def bundled_file(url, expected_hash):
        vocabulary = url.rsplit("/", 1)[1].removesuffix(".tiktoken")
        sums.append((vocabulary, expected_hash))
        path = tmp_path / vocabulary
        path.write_bytes(content(vocabulary))
        return tiktoken.load.load_tiktoken_bpe(str(path))

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", bundled_file)
    monkeypatch.setattr(
        openai_public,
        "data_gym_to_mergeable_bpe_ranks",
        lambda **_: openai_public.r50k_base()["mergeable_ranks"],  # gpt2 in another format
    )
    theirs = tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())
    ours = encodings.load(name)
    assert ours.name == theirs.name == name
    assert ours._pat_str == theirs._pat_str
    assert ours._special_tokens == theirs._special_tokens
    assert ours._mergeable_ranks == theirs._mergeable_ranks
    vocabulary = encodings.BUNDLED[name].vocabulary
    assert set(sums) == {(vocabulary, encodings.SHA256[vocabulary])}


def test_every_encoding_of_tiktoken_is_bundled():
    assert set(openai_public.ENCODING_CONSTRUCTORS) <= set(encodings.BUNDLED)


@pytest.mark.parametrize("vocabulary", encodings.SHA256)
def test_file_is_what_openai_publishes(vocabulary):
    assert hashlib.sha256(content(vocabulary)).hexdigest() == encodings.SHA256[vocabulary]


def content(vocabulary):
    return gzip.decompress((files(encodings) / f"{vocabulary}.tiktoken.gz").read_bytes())


def test_loaded_once_by_many_threads(unloaded, monkeypatch):
    made = []

    def make(name):
        made.append(name)
        return bundled(name)

    bundled = encodings._bundled
    monkeypatch.setattr(encodings, "_bundled", make)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(encodings.load("r50k_base"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["r50k_base"]
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_what_tiktoken_has_loaded_is_shared(unloaded):
    theirs = registry.ENCODINGS["cl100k_base"] = object()
    assert encodings.load("cl100k_base") is theirs


def test_nothing_of_tiktoken_is_changed(unloaded):
    before = dict(os.environ)
    encodings.load("r50k_base")
    assert not registry.ENCODINGS
    assert dict(os.environ) == before


@pytest.mark.parametrize("damage", [b"", b"not gzip", gzip.compress(b"IQ== 0\n")])
def test_damaged_file_is_not_used(unloaded, no_network, monkeypatch, tmp_path, damage):
    (tmp_path / "r50k_base.tiktoken.gz").write_bytes(damage)
    monkeypatch.setattr(encodings, "files", lambda package: tmp_path)
    with pytest.raises(
        RuntimeError, match=r"'r50k_base' could not be loaded.*no network.*reinstall"
    ):
        encodings.load("r50k_base")


def test_without_a_file_tiktoken_loads(unloaded, monkeypatch, tmp_path):
    theirs = object()
    monkeypatch.setattr(encodings, "files", lambda package: tmp_path)
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: theirs)
    assert encodings.load("r50k_base") is theirs


def test_model_wins():
    assert encodings.checked_name("no such", "gpt-4o") == "o200k_base"
    assert encodings.checked_name("no such", "gpt-4-0613") == "cl100k_base"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("cl100k",), "encoding_name must be one of .* got 'cl100k': use one like 'cl100k_base'"),
        (("",), "encoding_name must be one of .* got '': use one like 'cl100k_base', 'gpt2'"),
        (("", "gpt4o"), "model_name must be a model of .* got 'gpt4o': use one like 'gpt-4o'"),
        (
            ("", "llama"),
            "model_name .* got 'llama': use one like .*, or give encoding_name instead",
        ),
    ],
)
def test_unknown_name_lists_near_ones(names, message):
    with pytest.raises(ValueError, match=message):
        encodings.checked_name(*names)


@pytest.mark.parametrize("names", [(None,), (7,), ("cl100k_base", 7)])
def test_name_is_a_str(names):
    with pytest.raises(TypeError, match="_name must be a str"):
        encodings.checked_name(*names)
