"""A browser is the oracle: a reader of our chunks reads the words that Chromium's `innerText` has."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import reading
from pages_at_hand import pages, source

from langchain_mchunk import HTMLSplitter

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--virtual-time-budget=600000",
]

# Neither scripts nor style sheets nor anything else is loaded, but a style attribute counts.
POLICY = """<meta http-equiv="Content-Security-Policy"
    content="default-src 'none'; style-src-attr 'unsafe-inline'">"""
DRIVER = """<!doctype html><meta charset="utf-8"><body>
<script type="application/json" id="pages">PAGES</script>
<script>
const pages = JSON.parse(document.getElementById("pages").textContent);
const answers = [];
function read(page, view) {
  const found = page.xpaths.map(path => view.evaluate(
    path, view, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue?.textContent ?? "");
  // hidden or shown by us alone, see HTMLSplitter
  view.querySelectorAll('[aria-hidden="true" i], textarea, object').forEach(e => e.remove());
  view.querySelectorAll("svg :is(desc, metadata, defs, symbol)").forEach(e => e.remove());
  view.querySelectorAll("details").forEach(e => e.open = true);
  return {text: view.body.innerText, found};
}
function next() {
  if (answers.length === pages.length) {
    document.body.innerHTML = "<pre></pre>";
    document.body.firstChild.textContent = JSON.stringify(answers);
    return;
  }
  const page = pages[answers.length], frame = document.createElement("iframe");
  frame.onload = () => { answers.push(read(page, frame.contentDocument)); frame.remove(); next(); };
  frame.srcdoc = page.html;
  document.body.append(frame);
}
next();
</script>"""

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium is installed: apt-get install chromium"
)


def asked(questions: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """Show pages to the browser, one after another, and return what it reads."""
    data = json.dumps([{**q, "html": POLICY + q["html"]} for q in questions])
    driver = folder / "driver.html"
    driver.write_text(DRIVER.replace("PAGES", data.replace("<", "\\u003c")), "utf-8")
    command = [
        BROWSER,
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
        driver.as_uri(),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    return json.loads(html.unescape(run.stdout.partition("<pre>")[2].partition("</pre>")[0]))


def without_textareas(page: str) -> str:
    """The browser's `innerText` leaves them out, so does this: a template is never shown."""
    return page.replace("<textarea", "<template").replace("</textarea", "</template")


def test_words_and_xpaths(tmp_path: Path) -> None:
    paths = pages(30)
    sources = [without_textareas(source(path)) for path in paths]
    splitter = HTMLSplitter(add_xpath=True)
    split = [splitter.create_documents([page]) for page in sources]
    questions = [
        {"html": page, "xpaths": [chunk.metadata["xpath"] for chunk in chunks]}
        for page, chunks in zip(sources, split, strict=True)
    ]
    for path, chunks, answer in zip(paths, split, asked(questions, tmp_path), strict=True):
        assert reading.words(chunks) == answer["text"].split(), path
        for chunk, text in zip(chunks, answer["found"], strict=True):
            word = chunk.page_content.split()[0]  # which may go on in the next element
            assert any(word in part or word.startswith(part) for part in text.split()), word
