"""The command: what it prints, where it complains, how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_mchunk.cli import main
from langchain_mchunk.release import installed

COMMAND = [sys.executable, "-m", "langchain_mchunk"]
GUIDE = "# Chapter 1: Introduction\n\n" + "a" * 285 + "\n\n# 第二章\n\nb\n"


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, check=False)


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(GUIDE, "utf-8")
    return "guide.md"


def test_list(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([guide, "--strategy", "section"]) == 0
    assert capsys.readouterr().out == (
        "guide.md: 2 chunks\n"
        "\n"
        "  #0  Chapter 1: Introduction    312 characters\n"
        "  #1  第二章                       8 characters\n"
        "\n"
    )


def test_json(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([guide, guide, "--json", "--strategy", "section"]) == 0
    shown = capsys.readouterr().out
    assert "第二章" in shown
    entries = json.loads(shown)
    assert [entry["id"] for entry in entries] == ["chunk-1", "chunk-2", "chunk-3", "chunk-4"]
    assert entries[1] == {
        "id": "chunk-2",
        "index": 1,
        "label": "第二章",
        "headers": "第二章",
        "start_index": 314,
        "text": "# 第二章\n\nb",
        "source": "guide.md",
    }


def test_text(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([guide, "--text", "--strategy", "section"]) == 0
    assert capsys.readouterr().out.endswith("--- guide.md #1 第二章\n# 第二章\n\nb\n\n")


def test_sizes(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([guide, "--chunk-size", "100", "--chunk-overlap", "0", "--json"]) == 0
    texts = [entry["text"] for entry in json.loads(capsys.readouterr().out)]
    assert max(map(len, texts)) == 100


def test_an_empty_file_has_no_chunks(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.txt").touch()
    assert main(["empty.txt"]) == 0
    assert capsys.readouterr().out.startswith("empty.txt: 0 chunks\n")
    assert main(["empty.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_folders_and_patterns(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("deep/er").mkdir(parents=True)
    Path("deep/er/b.txt").write_text("b")
    Path("deep/a.txt").write_text("a")
    Path("deep/image.png").write_bytes(b"\x89PNG\0\0")
    Path("deep/.hidden").write_text("h")
    assert main(["deep", "--json"]) == 0
    sources = [entry["source"] for entry in json.loads(capsys.readouterr().out)]
    assert sources == ["deep/a.txt", "deep/er/b.txt"]
    assert main(["*.md", "--json", "--strategy", "section"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_errors_are_lines_and_the_others_are_done(
    guide: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("latin.txt").write_bytes("Größe".encode("latin-1"))
    Path("empty").mkdir()
    assert main(["missing.md", "latin.txt", "empty", guide, "--strategy", "section"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("guide.md: 2 chunks")
    assert shown.err.splitlines() == [
        "mchunk: missing.md: no such file or folder: check the name",
        "mchunk: latin.txt: not valid utf-8 at byte 2 (0xf6): name its encoding with --encoding",
        "mchunk: empty: no text file in this folder: name a file",
    ]
    assert main(["latin.txt", "--encoding", "latin-1"]) == 0
    assert "Größe" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--chunk-size", "5", "--chunk-overlap", "9"],
            "chunk_overlap must be smaller than chunk_size (5), got 9",
        ),
        (["--chunk-size", "0"], "chunk_size must be at least 1, got 0"),
        (["--encoding", "utf-99"], "unknown encoding 'utf-99': try utf-8 or cp1252"),
        (["--strategy", "nothing"], "invalid choice: 'nothing'"),
        (["--json", "--text"], "not allowed with argument"),
        (["--strategy", "sentence"], "--strategy sentence needs --chunk-size, as --chunk-size 500"),
        (
            ["--strategy", "latex", "--separator", "x"],
            "--strategy latex has no --separator: it has --chunk-size, --chunk-overlap, --keep-separator",
        ),
        (["--header", "#=a"], "--header needs a strategy: add --strategy markdown or html"),
        (["--separator", "x"], "--separator needs a strategy: add --strategy recursive or char"),
        (["--language", "de"], "--language needs a strategy: add --strategy recursive or sentence"),
        (["--engine", "ray"], "--engine needs --to: add that or leave --engine out"),
        (["--workers", "2"], "--workers needs --to: add that or leave --workers out"),
        (["--text-column", "text"], "--text-column needs --to: add that or leave"),
        (["-k", "4"], "-k needs --query: add that or leave -k out"),
        (["--scoring", "overlap"], "--scoring needs --query: add that or leave --scoring out"),
        *(
            (["--to", "out", *option], f"{option[0]} has no effect with --to: leave one of them")
            for option in (
                ["--json"],
                ["--text"],
                ["--view"],
                ["--html", "a.html"],
                ["--query", "a"],
                ["--encoding", "utf-8"],
            )
        ),
        (["--query", "a", "-k", "0"], "argument -k: must be a whole number from 1, got '0'"),
        (["--query", "a", "-k", "-3"], "argument -k: must be a whole number from 1, got '-3'"),
        (["--to", "a", "--workers", "0"], "argument --workers: must be a whole number from 1"),
        (["--chunk-overlap", "5000"], "chunk_overlap must be smaller than chunk_size (4000), got"),
        (["--html", "page.md"], "PAGE must end in .html or .htm, got 'page.md'"),
        (["--html", "-"], "PAGE must end in .html or .htm, got '-'"),
        (["--tokens=guide.md"], "no encoding is named 'guide.md': put --tokens behind the files"),
        (["--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_wrong_usage(
    guide: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([guide, *arguments])
    assert stopped.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mchunk: ")
    assert line.endswith("; see mchunk --help")
    assert message in line


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert not stopped.value.code
    assert capsys.readouterr().out.strip() in {
        f"mchunk {installed()}",
        "mchunk from a source tree",
    }


def test_a_page_never_replaces_an_input(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in").mkdir()
    Path("in/a.html").write_text("<p>a")
    Path("link.html").symlink_to("in/a.html")
    for page in ("in/a.html", "in/../in/a.html", "link.html"):
        for named in ("in", "in/a.html", "in/*.html"):
            with pytest.raises(SystemExit) as stopped:
                main([named, "--html", page])
            assert stopped.value.code == 2
            assert "is one of the files to split: name another page" in capsys.readouterr().err
    with open("in/a.html", "rb") as file:
        reading = subprocess.run([*COMMAND, "-", "--html", "in/a.html"], stdin=file, check=False)
    assert reading.returncode == 2
    nothing = run("--html", "in/a.html")
    assert nothing.returncode == 2
    assert b"--html needs FILE" in nothing.stderr
    assert Path("in/a.html").read_text() == "<p>a"
    assert run("-", "--html", "out.HTM", stdin=b"text").returncode == 0


def test_a_page_in_the_folder_is_written_again(guide: str) -> None:
    for _ in range(2):
        assert main([".", "--html", "page.html"]) == 0
        assert "page.html" not in Path("page.html").read_text("utf-8")


def test_a_page_that_cannot_be_written(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder.html").mkdir()
    Path("full.html").symlink_to("/dev/full")
    for page in ("no/x.html", "folder.html", "full.html"):
        assert main([guide, "--html", page]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "mchunk: cannot write no/x.html: no such file or directory: make its folder first",
        "mchunk: cannot write folder.html: is a directory: name another file",
        "mchunk: cannot write full.html: no space left on device: make room",
    ]


def test_tokens_takes_no_file(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([guide, "--tokens"], ["--tokens", "--", guide], ["--tokens", "gpt2", guide]):
        assert main(arguments) == 0
        assert capsys.readouterr().out.startswith("guide.md: ")
    with pytest.raises(SystemExit):
        main(["--tokens", guide])
    assert "no encoding is named 'guide.md': put --tokens behind" in capsys.readouterr().err


def test_an_overlap_that_is_too_large_is_known_before_any_file_is_read(
    guide: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.txt").write_bytes(b"\xff")
    with pytest.raises(SystemExit) as stopped:
        main(["a.txt", "--chunk-overlap", "4000"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("mchunk: chunk_overlap must be smaller than")


def test_what_is_no_text_is_passed_over_in_a_folder(
    guide: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("a")
    for name in ("a", "b"):
        Path(f"notes/{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert main(["notes"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("notes/a.txt: 1 chunk\n")
    assert shown.err == "mchunk: passed over 2 files without text\n"
    assert main(["notes/a.png"]) == 1
    assert "notes/a.png: not valid utf-8 at byte 0 (0x89)" in capsys.readouterr().err
    Path("notes/a.txt").unlink()
    assert main(["notes"]) == 1
    assert "notes: no text file in this folder: name a file" in capsys.readouterr().err


def test_a_name_stands_once(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d").mkdir()
    Path("d/bin.dat").write_bytes(b"\xff")
    assert main(["."]) == 1
    assert capsys.readouterr().err == (
        "mchunk: ./d/bin.dat: not valid utf-8 at byte 0 (0xff): name its encoding with --encoding\n"
    )


def test_standard_input_without_its_byte_order_mark() -> None:
    shown = run("-", "--json", "--strategy", "section", stdin=b"\xef\xbb\xbf# T\r\n\r\ntext")
    (entry,) = json.loads(shown.stdout)
    assert (entry["label"], entry["text"], entry["start_index"]) == ("T", "# T\r\n\r\ntext", 0)
    assert shown.stderr == b""


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("word " * 200_000)
    with subprocess.Popen(
        [*COMMAND, str(tmp_path), "--text"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_what_would_steer_a_terminal_is_not_printed(
    guide: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("odd.txt").write_text("\x1b[31mred\n")
    assert main(["odd.txt"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_what_is_no_plain_file(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("self").symlink_to("self")
    Path("folder").mkdir()
    Path("folder/again").symlink_to("../folder")
    Path("folder/a.txt").write_text("a")
    assert main(["self", "", "x" * 5000, "/dev/null", "folder", "**/a.txt"]) == 1
    shown = capsys.readouterr()
    assert [line for line in shown.out.splitlines() if line.endswith((" chunk", " chunks"))] == [
        "/dev/null: 0 chunks",
        "folder/a.txt: 1 chunk",
        "folder/a.txt: 1 chunk",
    ]
    assert [line.split(": ", 2)[2] for line in shown.err.splitlines()] == [
        "too many levels of symbolic links: check the file",
        "no such file or folder: check the name",
        "file name too long: check the file",
    ]


def test_wide_encodings_in_folders(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("wide").mkdir()
    Path("wide/a.txt").write_text("wide", "utf-16")
    assert main(["wide"]) == 1
    assert "wide/a.txt: not valid utf-8 at byte 0 (0xff)" in capsys.readouterr().err
    for encoding in ("utf-16", "utf-16-le" if sys.byteorder == "little" else "utf-16-be"):
        assert main(["wide", "--json", "--encoding", encoding]) == 0
        (entry,) = json.loads(capsys.readouterr().out)
        assert (entry["text"], entry["start_index"]) == ("wide", 0)


@pytest.mark.parametrize("name", ["rot13", "base64", "undefined", "utf-99"])
def test_no_encoding_of_text(guide: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([guide, "--encoding", name])
    assert stopped.value.code == 2
    assert f"unknown encoding '{name}'" in capsys.readouterr().err


def test_a_full_disk_is_one_line(guide: str) -> None:
    with open("/dev/full", "w") as full:
        shown = subprocess.run(
            [*COMMAND, guide, "--json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert shown.returncode == 1
    assert shown.stderr == b"mchunk: cannot write: No space left on device\n"


def test_joiners_in_labels_are_kept(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("family.md").write_text("# 👨\u200d👩\u200d👧 one\n\na\n\n# two\n\nb \u202e", "utf-8")
    assert main(["family.md", "--strategy", "section"]) == 0
    assert capsys.readouterr().out.splitlines()[2:4] == [
        "  #0  👨\u200d👩\u200d👧 one    14 characters",
        "  #1  two       10 characters",
    ]


def test_separators_on_a_command_line(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.txt").write_bytes(b"one\r\ntwo\\three")
    for separator in (r"\r\n", r"\\"):
        options = ["--strategy", "character", "--separator", separator, "--chunk-size", "9"]
        assert main(["a.txt", "--json", *options]) == 0
        assert [entry["text"] for entry in json.loads(capsys.readouterr().out)] == {
            r"\r\n": ["one", "two\\three"],
            r"\\": ["one\r\ntwo", "three"],
        }[separator]


def test_pages_views_and_queries(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([guide, "--html", "chunks.html"]) == 0
    assert "第二章" in Path("chunks.html").read_text("utf-8")
    assert main([guide, "--view", "--strategy", "section"]) == 0
    assert "── #1 第二章 · 8 characters · 第二章 ──" in capsys.readouterr().out
    assert main([guide, "--query", "第二章", "-k", "1", "--strategy", "section"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "  #1  第二章    8 characters"


def test_a_dataset(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    Path("in").mkdir()
    Path("in/a.jsonl").write_text('{"body": "# A\\n\\none"}\n{"body": "two"}\n')
    assert main(["in", "--to", "out", "--text-column", "body", "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith(
        "1 file, 2 documents, 2 chunks, 11 characters, 0 errors"
    )
    (file,) = Path("out").rglob("*.parquet")
    assert parquet.read_table(file)["label"].to_pylist() == ["# A", "two"]
    Path("in/broken.jsonl").write_text('{"body": 7\n')
    assert main(["in", "--to", "out", "--text-column", "body", "--workers", "1"]) == 1
    assert ", 1 error " in capsys.readouterr().out
    assert main(["in", "--to", "out", "--text-column", "body", "--chunk-size", "9"]) == 1
    assert "name another target, or use --again to" in capsys.readouterr().err
    assert main(["in", "--to", "other"]) == 1
    assert capsys.readouterr().err == (
        "mchunk: there is no column 'text': name one of 'body' with --text-column\n"
    )
    assert main(["in", "--to", "in"]) == 1
    assert "target must not be the folder of the source (in)" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["in", guide, "--to", "out"])
    assert "--to takes one file, folder or pattern to split" in capsys.readouterr().err
