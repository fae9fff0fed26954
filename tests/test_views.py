"""The picture of the chunks: in place, escaped, complete."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_mchunk import SectionSplitter, view
from langchain_mchunk.views import by_source, painted, parts

TEXT = (
    "# A\n\n"
    + "one two three four five. " * 6
    + "\n\n# B\n\nsix & seven <b>eight</b>\n\n# C\n\nnine"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ALLOWED = {"html", "head", "meta", "title", "style", "body", "div", "section", "h2", "p"} | {
    "svg",
    "rect",
    "line",
    "span",
    "bdi",
}
HOSTILE = "</span><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def chunks(text: str = TEXT, **options: int) -> list[Document]:
    splitter = SectionSplitter(
        add_start_index=True, **{"chunk_size": 60, "chunk_overlap": 12, **options}
    )
    return splitter.create_documents([text], [{"source": "a & b.md"}])


def shown(html: str) -> str:
    body = re.search(r'<div class="text">(.*)</div></section>', html, re.DOTALL)[1]
    return unescape(
        re.sub(r"<[^>]*>", "", re.sub(r'<span class="mark".*?</span></span>', "", body))
    )


def test_the_text_is_shown_whole_and_once() -> None:
    assert shown(view(chunks(), TEXT)._repr_html_()) == TEXT


def test_without_the_source_the_chunks_are_shown() -> None:
    text = shown(view(chunks())._repr_html_())
    assert "".join(text.split()) == "".join(TEXT.split())


def test_without_offsets_each_chunk_is_shown() -> None:
    documents = SectionSplitter(chunk_size=60).create_documents([TEXT])
    text = shown(view(documents)._repr_html_())
    assert text == "".join(f"{document.page_content}\n\n" for document in documents)


def test_every_chunk_has_a_mark_with_its_facts() -> None:
    found = chunks()
    html = view(found, TEXT, limit=60)._repr_html_()
    notes = re.findall(r'role="note">(.*?)</span>', html)
    notes = [unescape(re.sub("</?bdi>", "", note)) for note in notes]
    assert len(notes) == len(found) > 3
    assert notes[0] == f"#0 A · {len(found[0].page_content)} characters · A"
    assert html.count('tabindex="0"') == len(found)
    assert html.count("<rect") == len(found)
    assert "<line" in html
    assert "a &amp; b.md" in html


def test_overlaps_are_marked() -> None:
    shared = [part for part in parts(chunks(), TEXT) if len(part.chunks) > 1]
    assert shared
    assert all(0 < len(part.text) <= 12 for part in shared)


def test_documents_are_grouped_by_their_source() -> None:
    found = chunks()
    assert list(by_source([*found, *found])) == [found, found]
    assert view([*found, *found])._repr_html_().count("<section>") == 2


def test_one_chunk_is_counted_so() -> None:
    html = view(chunks("one", chunk_size=60))._repr_html_()
    assert "<p>1 chunk, sizes 3 to 3</p>" in html


@pytest.mark.parametrize("start", ["0", 0.0, True, None, -1])
def test_a_start_that_is_no_place_counts_as_missing(start: object) -> None:
    odd = Document("one", metadata={"start_index": start, "index": "first", "headers": ["a"]})
    assert shown(view([odd], "another")._repr_html_()) == "one\n\n"


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (TEXT.replace("\n", "\r\n"), r"chunks\[0\] differs from it at offset 3"),
        ("\ufeff" + TEXT, r"chunks\[0\] differs from it at offset 0"),
        (TEXT[:-2], rf"chunks\[\d+\] differs from it at offset {len(TEXT) - 2}"),
        ("", r"chunks\[0\] differs from it at offset 0"),
    ],
)
def test_another_source_is_refused(source: str, place: str) -> None:
    with pytest.raises(ValueError, match=f"{place}: give the very text, or leave source out"):
        view(chunks(), source)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((None,), {}, TypeError, "chunks must be a list of Documents, got None"),
        (("text",), {}, TypeError, "chunks must be a list of Documents, got str"),
        ((["a"],), {}, TypeError, "chunks must be a list of Documents, got str at position 0"),
        ((Document("a"),), {}, TypeError, "chunks must be a list of Documents, got one Document"),
        (([], Path("a")), {}, TypeError, "source must be .* a str, got .*Path: give the text"),
        (([], b"x"), {}, TypeError, "source must be .* a str, got bytes: give the text"),
        (([], Document("a")), {}, TypeError, "source must be .* a str, got Document: give"),
        (([],), {"limit": "x"}, TypeError, "limit must be an integer, got 'x'"),
        (([],), {"limit": -5}, ValueError, "limit must be at least 1, got -5"),
        (([],), {"length_function": 5}, TypeError, "length_function must be a function"),
    ],
)
def test_arguments_are_checked_at_once(
    arguments: tuple, options: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        view(*arguments, **options)


def test_chunks_in_the_order_of_their_rank() -> None:
    plain = list(painted(chunks(), TEXT, colour=False))
    assert list(painted(chunks()[::-1], TEXT, colour=False)) == plain


def test_text_runs_in_its_own_direction() -> None:
    html = view(chunks("# שלום\n\nעולם"))._repr_html_()
    assert ".text { unicode-bidi: plaintext; }" in html
    assert "<bdi>#0 שלום</bdi>" in html


def test_joiners_and_blanks_are_text_in_a_terminal_too() -> None:
    text = "👨\u200d👩 1\u00a0kg\ta"
    assert text in "".join(painted(chunks(text), None, colour=False))


def test_nothing_to_show() -> None:
    assert "no chunks" in view([])._repr_html_()


def test_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    page = view(chunks(HOSTILE), HOSTILE).save(tmp_path / "chunks.html").read_text("utf-8")
    assert "<script" not in page
    tags = re.findall(r"<[a-zA-Z][^>]*>", page)
    assert {re.match(r"<(\w+)", tag)[1] for tag in tags} <= ALLOWED
    assert not [tag for tag in tags if re.search(r"\s(src|href|on\w+)=", re.sub('".*?"', "", tag))]
    assert "url(" not in page


def test_in_a_terminal() -> None:
    found = chunks()
    plain = "".join(painted(found, TEXT, colour=False))
    assert "\x1b" not in plain
    assert f"── #0 A · {len(found[0].page_content)} characters · A ──" in plain
    coloured = "".join(painted(found, TEXT, colour=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    assert "\x1b[31m" not in "".join(painted(chunks("\x1b[31mred"), None, colour=True))


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium to render the page")
@pytest.mark.parametrize("width", [400, 1400])
def test_in_a_browser_it_fits_and_nothing_runs(tmp_path: Path, width: int) -> None:
    text = f"{TEXT}\n\n# {HOSTILE}\n\n{HOSTILE} {'x' * 400}"
    page = view(chunks(text), text, limit=60).save(tmp_path / "chunks.html")
    probe = "<script>document.body.setAttribute('data-width', document.documentElement.scrollWidth)</script>"
    page.write_text(page.read_text("utf-8").replace("</body>", f"{probe}</body>"), "utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars"
    flags += " --disable-background-networking --disable-component-update --disable-sync --dump-dom"
    command = [
        CHROMIUM,
        *flags.split(),
        f"--window-size={width},900",
        f"--user-data-dir={tmp_path}/profile",
    ]
    dom = subprocess.run(
        [*command, page.as_uri()], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    assert "<title>chunks</title>" in dom
    assert int(re.search(r'data-width="(\d+)"', dom)[1]) <= max(width, 500)  # its narrowest window
