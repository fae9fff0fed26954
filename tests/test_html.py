"""html: cover, order, limit and isolation over any tree; titles, keys, XPaths; nothing slow or run."""

from __future__ import annotations

import copy
import pickle
import re
import time
import warnings

import pytest
import reading
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pages_at_hand import pages, source
from selectolax.lexbor import LexborHTMLParser

from langchain_mchunk import HTMLSplitter
from langchain_mchunk.splitters._html_nesting import DEPTH, flattened
from langchain_mchunk.splitters._html_tags import uncrowded

law = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))

INLINE = ("b", "i", "span", "code", "a", "x-y", "q", "label", "sub")
BLOCK = (
    "div",
    "p",
    "section",
    "article",
    "ul",
    "li",
    "dl",
    "dd",
    "pre",
    "h1",
    "h2",
    "h3",
    "h6",
    "td",
)
GLUE = ("", " ", "\n", "<br>", "&nbsp;", "<!-- no -->", "<hr>", "<img>")
UNSEEN = ("script", "style", "template", "noscript", "iframe", "object", "p hidden", "dialog")


@st.composite
def trees(draw: st.DrawFn) -> str:
    """Write a well-formed page whose words are w0, w1, … in order; `no` is never seen."""
    count = iter(range(10_000))
    text = st.sampled_from(GLUE).map(lambda glue: (glue, None))
    deep = st.recursive(
        text,
        lambda inner: st.tuples(
            st.sampled_from((*INLINE, *BLOCK[:-1], *UNSEEN)),
            st.lists(inner, min_size=1, max_size=4),
        ),
        max_leaves=25,
    )

    def written(node: tuple) -> str:
        tag, inner = node
        if inner is None:
            return f"{tag}w{next(count)} "
        name = tag.split()[0]
        if tag in UNSEEN:
            return f"<{tag}>no</{name}>"
        return f"<{tag}>{''.join(map(written, inner))}</{name}>"

    return "".join(written(node) for node in draw(st.lists(deep, min_size=1, max_size=6)))


SOUP = st.lists(
    st.one_of(
        st.sampled_from(
            [*(f"<{tag}>" for tag in (*INLINE, *BLOCK, "table", "tr", "select", "svg"))]
        ),
        st.sampled_from(
            [*(f"</{tag}>" for tag in (*INLINE, *BLOCK, "table", "tr", "select", "svg"))]
        ),
        st.sampled_from(
            ["<", ">", "&", "&lt;", "&#0;", '<a b="', "'", "<!--", "-->", "]]>", "\x00"]
        ),
        st.sampled_from(
            ["word ", "two words", "  ", "\n", "漢字。", "e\u0301", "\u00a0", "x" * 30]
        ),
    ),
    max_size=40,
).map("".join)


def squeezed(text: str) -> str:
    return "".join(text.split())


@law
@given(page=trees())
@example("<p>w0 <p>w1 <object>no</object>")
def test_cover_and_order(page: str) -> None:
    chunks = HTMLSplitter().create_documents([page])
    seen = re.findall(r"w\d+", re.sub(r"<(\S+)[^>]*>no</\1>", "", page))
    assert re.findall(r"w\d+|no", " ".join(reading.words(chunks))) == seen
    assert [chunk.metadata["index"] for chunk in chunks] == list(range(len(chunks)))


@law
@given(page=SOUP, size=st.integers(12, 60), overlap=st.integers(0, 11))
def test_limit_and_cover_of_any_input(page: str, size: int, overlap: int) -> None:
    whole = HTMLSplitter().create_documents([page])
    packed = HTMLSplitter(chunk_size=size, chunk_overlap=overlap).create_documents([page])
    assert all(len(chunk.page_content) <= size for chunk in packed)
    assert all(chunk.page_content.strip() for chunk in packed)
    for lines in (False, True):
        again = HTMLSplitter(chunk_size=size, chunk_overlap=0, return_each_line=lines)
        texts = again.split_text(page)
        assert squeezed("".join(texts)) == squeezed("".join(c.page_content for c in whole))
    assert {c.metadata["headers"] for c in packed} == {c.metadata["headers"] for c in whole}


@law
@given(page=trees(), selectors=st.lists(st.sampled_from((*BLOCK, "span")), min_size=1, max_size=4))
def test_sections_lose_nothing(page: str, selectors: list[str]) -> None:
    chunks = HTMLSplitter(
        sections=[(s, f"k{i}") for i, s in enumerate(selectors)]
    ).create_documents([page])
    text = " ".join(f"{c.metadata['headers']} {c.page_content}" for c in chunks)
    body = [word for c in chunks for word in re.findall(r"w\d+", c.page_content)]
    seen = re.findall(r"w\d+", re.sub(r"<(\S+)[^>]*>no</\1>", "", page))
    assert set(re.findall(r"w\d+", text)) == set(seen)
    assert body == sorted(set(body), key=seen.index)


def test_isolation() -> None:
    chunks = HTMLSplitter().create_documents(["<h1>A</h1>a<h2>B</h2>b"], [{"tags": ["x"]}])
    chunks[0].metadata["tags"].append("y")
    assert chunks[1].metadata == {
        "tags": ["x"],
        "label": "B",
        "index": 1,
        "headers": "A > B",
        "h1": "A",
        "h2": "B",
    }


@pytest.mark.parametrize(
    "options",
    [{}, {"headers": [("h2", "part")]}, {"sections": [("p", "p")], "add_xpath": True}],
    ids=["default", "headers", "sections"],
)
def test_process(options: dict) -> None:
    splitter = HTMLSplitter(**options)
    page = "<h1>A</h1><p>a<h2>B</h2>b"
    chunks = splitter.create_documents([page])
    for twin in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter)):
        assert twin.create_documents([page]) == chunks


def test_headers_win_over_sections() -> None:
    with pytest.warns(UserWarning, match="headers is used"):
        splitter = HTMLSplitter(headers=[("h1", "title")], sections=[("p", "part")])
    chunk = splitter.create_documents(["<h1>A</h1><p id=b>c"])[0]
    assert chunk.metadata == {"label": "A", "index": 0, "headers": "A", "title": "A"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"headers": [("h7", "x")]},
            ValueError,
            "headings from h1 to h6, got 'h7': sections takes",
        ),
        ({"headers": [("p", "x")]}, ValueError, "headings from h1 to h6, got 'p'"),
        ({"headers": [("h1", "a"), ("H1", "b")]}, ValueError, "each heading once"),
        ({"headers": [("h1", "label")]}, ValueError, "'label' as a metadata key"),
        ({"sections": [("p", "xpath")]}, ValueError, "'xpath' as a metadata key"),
        ({"sections": [("h2", "a"), ("p[", "b")]}, ValueError, "sections .* got 'p\\['"),
        ({"sections": [("", "b")]}, ValueError, "CSS selectors, got ''"),
        ({"sections": [("\ud800", "b")]}, ValueError, "CSS selectors"),
        ({"headers": "h1"}, TypeError, "list of pairs"),
        ({"headers": [("h1",)]}, TypeError, "list of pairs"),
        ({"headers": [(1, 2)]}, TypeError, "list of pairs"),
        ({"sections": 3}, TypeError, "list of pairs"),
        ({"add_xpath": 1}, TypeError, "add_xpath must be True or False"),
        ({"return_each_line": "no"}, TypeError, "return_each_line must be True or False"),
        ({"chunk_size": 0}, ValueError, "chunk_size must be at least 1"),
        ({"heading": []}, TypeError, "heading"),
    ],
)
def test_options_are_checked(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        HTMLSplitter(**options)


def test_no_headers_is_no_default() -> None:
    assert HTMLSplitter(headers=[]).split_text("<h1>A</h1>b") == ["A\nb"]


def test_sizes_in_tokens() -> None:
    splitter = HTMLSplitter.from_tiktoken_encoder(chunk_size=8, chunk_overlap=0)
    texts = splitter.split_text("<p>" + "some words " * 20)
    assert len(texts) > 4
    assert all(splitter._length_function(text) <= 8 for text in texts)


def test_a_plain_heading_stays_with_what_follows() -> None:
    splitter = HTMLSplitter(headers=[("h1", "h1")], chunk_size=24, chunk_overlap=0)
    assert splitter.split_text("<p>one two three four<h4>Five</h4><p>six seven eight") == [
        "one two three four",
        "Five\n\nsix seven eight",
    ]


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert HTMLSplitter().split_text("a\ud800b") == ["a\ufffdb"]


def test_xpaths() -> None:
    page = (
        "<p>a</p><!-- --><div><p>b</p><p><i>c</i></p></div><svg><a><text>d</text></a></svg><x:y>e"
    )
    chunks = HTMLSplitter(add_xpath=True, return_each_line=True).create_documents([page])
    assert [chunk.metadata["xpath"] for chunk in chunks] == [
        "/html[1]/body[1]/p[1]",
        "/html[1]/body[1]/div[1]/p[1]",
        "/html[1]/body[1]/div[1]/p[2]/i[1]",
        "/html[1]/body[1]/svg[1]/a[1]/text[1]",
        '/html[1]/body[1]/*[name()="x:y"][1]',
    ]


def test_nothing_is_run_or_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr("socket.socket", refused)
    monkeypatch.setattr("builtins.open", refused)
    page = """
        <!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
        <?php echo 1 ?><link rel=stylesheet href=http://127.0.0.1:9/a.css>
        <script src=http://127.0.0.1:9/a.js>document.title = "run"</script>
        <body onload="alert('run')"><img src=http://127.0.0.1:9/a.png onerror="alert('run')">
        <a href="javascript:alert('run')">A link</a> <object data=file:///etc/passwd>run</object>
        <iframe srcdoc="<p>run"></iframe> <p>&b;</p>"""
    text = "\n".join(HTMLSplitter().split_text(page))
    assert "A link" in text
    assert "&b;" in text
    assert not re.search("run|alert|http|passwd|ENTITY a|hahaha", text)


HOSTILE = {
    "divs": "<div>" * 100_000 + "x",
    "lists": "<ul><li>" * 100_000 + "x",
    "definitions": "<dl><dd>" * 100_000 + "x",
    "less-than": "<" * 1_000_000,
    "bold": "<b>" * 333_333 + "x",
    "entities": "&amp;" * 200_000,
    "ampersands": "&" * 1_000_000,
    "formatting": "".join(f"<b id={i}>" for i in range(4_500)) + "<p>x" * 4_500,
    "formatting in a paragraph": "<p>"
    + "".join(f"<b id={i}>" for i in range(4_500))
    + "<p>x" * 4_500,
    "headings": "<h1><a>x" * 50_000,
    "headings in spans": "<span><h1></span>" * 50_000,
    "items in items": "<li><dd>" * 50_000,
    "options": "<select>" + "<option>" * 100_000,
    "tables": "<table><tr><td>" * 50_000,
    "end tags in comments": "<div><!-- </div> -->" * 50_000,
    "comments that end at once": "<!--><!--->" + "<div>" * 100_000,
    "scripts in scripts": "<div><script><!--<script></script></div></script>" * 30_000,
    "end tags in attributes": "<div title='</div>'>" * 50_000,
    "end tags in scripts": "<div><script></div></script>" * 50_000,
    "end tags out of scope": "<div><table><tr><td></div>" * 30_000,
    "pictures": "<svg><div>" + "<div><script></div></script>" * 50_000,
    "character data": "<svg>" + "<g><![CDATA[></g>]]>" * 50_000,
    "attributes": "<div " + " ".join(f"a{i}='>'" for i in range(100_000)) + ">x",
    "tags without an end": "<a b=" * 200_000,
    "comments without an end": "<!--" * 250_000,
    "spaces": "x<p> " * 100_000 + " " * 500_000,
    "lines": "<pre>" + "\n" * 1_000_000 + "x",
    "cells": "<table><tr>" + "<td>" * 200_000,
    "hidden": "<div hidden>" * 50_000,
}


@pytest.mark.parametrize("page", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_take_no_time(page: str) -> None:
    start = time.process_time()
    HTMLSplitter(chunk_size=1000, add_xpath=True).create_documents([page])
    assert time.process_time() - start < 5


def test_time_is_linear() -> None:
    page = source(pages(1)[0])
    splitter = HTMLSplitter(chunk_size=1000)
    times = []
    for count in (200, 1600):
        start = time.process_time()
        splitter.create_documents([page * count])
        times.append(time.process_time() - start)
    assert times[1] < 8 * times[0] * 2


def test_too_deep_tags_are_dropped_and_not_their_text() -> None:
    page = "<div>un<b>believ</b>able" * 3_000 + "</div>" * 3_000 + "<h1>T</h1><p>end"
    chunks = HTMLSplitter().create_documents([page])
    assert squeezed(chunks[0].page_content) == "unbelievable" * 3_000
    assert [(c.metadata["headers"], c.page_content) for c in chunks[1:]] == [("T", "end")]
    assert chunks[0].page_content.split() == ["unbelievable"] * 3_000


def depth(page: str) -> int:
    """Return how deep the parser's tree is."""
    node = LexborHTMLParser(page, scripting=True).root
    deepest = now = 0
    while node is not None:
        following = node.first_child
        if following is not None:
            now += 1
            deepest = max(deepest, now)
        else:
            while node is not None and (following := node.next) is None:
                node = node.parent
                now -= 1
        node = following
    return deepest


@pytest.mark.parametrize(
    "unit",
    [
        "<option></dd><option><optgroup>",
        "<svg/></marquee></noscript><![CDATA[<table><summary>",
        "<th><h1><g/><br>",
        "</option><option><ul></rt>",
        "<math></summary><caption>",
        "<annotation-xml encoding=text/html><svg></rt><iframe><annotation-xml>",
        "<dd><dd></dd><x-y></table>",
        "<div><summary></option><option>",
        "</form><form></dl><x-y>",
        "<math></option><ul><dd><math>",
        "<ruby><rt><ruby><li><![CDATA[<p>",
        "<math></style><mi><rt></math><p>",
        "<p><svg><math><title><g>",
        "<label><li><svg></li></form>",
        "<desc><option></desc><img><svg>",
        "<svg><tbody></math><title></tbody><g>",
        "<input><math><mi></option><option></tbody>",
    ],
)
def test_what_the_parser_opens_is_followed(unit: str) -> None:
    assert depth(flattened(unit * 4_000)) < 2 * DEPTH + 100


def test_headings_and_items_are_not_dropped() -> None:
    page = "<div>" * (2 * DEPTH) + "<h1>T</h1>" + "<ul><li>x" * 3 + "<h2>U</h2><p>y"
    chunks = HTMLSplitter().create_documents([page])
    assert [(c.metadata["headers"], c.page_content.split()) for c in chunks] == [
        ("T", ["x", "x", "x"]),
        ("T > U", ["y"]),
    ]


def test_no_page_at_hand_is_changed() -> None:
    for path in pages(300):
        page = source(path)
        assert flattened(page) == page, path
        assert uncrowded(page) == page, path


def test_unclosed_items_are_no_nesting() -> None:
    page = "<select>" + "<option>o" * 5_000 + "</select><ul>" + "<li><span>x" * 5_000
    page += "</ul><table>" + "<tr><td><p>x<td>" * 5_000 + "</table>" + "<p>x<br>" * 5_000
    assert flattened(page) == page


def test_warnings_are_silent_by_default() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HTMLSplitter(sections=[("p", "p")])


@pytest.mark.parametrize("start", ['<?xml version="1.0"?>', "<!DOCTYPE html>\n"])
def test_in_xhtml_any_element_may_close_itself(start: str) -> None:
    page = (
        f'{start}<html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
        '<script src="a/b.js"/><style type="a>b" /></head><body><a id="x"/><p/>'
        "<h1>One</h1><p>It was<br/>dark.</p><textarea/>after</body></html>"
    )
    (chunk,) = HTMLSplitter().create_documents([page])
    assert chunk.page_content.split() == ["It", "was", "dark.", "after"]
    assert chunk.metadata["headers"] == "One"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p><![CDATA[a <b> & c]]> z</p>", "a <b> & c z"),
        ("<script>document.write(\"<script src='x'/>\")</script><p>shown</p>", "shown"),
        ("<style>/* <style/> */ p{}</style><p>shown</p>", "shown"),
        ("<textarea>a <b/> c</textarea>", "a <b/> c"),
        ("<!-- <p/> --><p>a</p>", "a"),
    ],
)
def test_what_is_no_tag_in_xhtml(body: str, text: str) -> None:
    start = '<!-- c --><?xml-stylesheet href="a"?><html xmlns="http://www.w3.org/1999/xhtml">'
    page = f"{start}<head><title/></head><body>{body}</body></html>"
    assert HTMLSplitter().split_text(page) == [text]
