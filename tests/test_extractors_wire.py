"""Extractors over the wire: langchain-openai's client against a small server on loopback.

The server answers as OpenAI's chat completions do, and, when the text asks for it, with 429, 500, a
cut-off JSON, an empty string, or late.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from langchain_core.documents import Document
from pydantic import BaseModel

from langchain_mchunk import SchemaExtractor, SummaryExtractor, chunk

openai = pytest.importorskip("langchain_openai")

PLAIN = {"prompt_template": "{context}"}


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = request["messages"][-1]["content"]
        self.server.asked[text] += 1
        status = 200
        if "busy" in text and self.server.asked[text] == 1:
            status = 429
        if "broken" in text:
            status = 500
        if "late" in text:
            time.sleep(1.5)
        self.answer(status, self.content(text, structured="response_format" in request))

    def content(self, text: str, *, structured: bool) -> str:
        if "silent" in text:
            return ""
        if structured:
            return '{"name": "Ad' if "cut off" in text else '{"name": "Ada", "year": 1815}'
        return f"about {text[:40]}"

    def answer(self, status: int, content: str) -> None:
        message = {"role": "assistant", "content": content}
        body = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "small",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        data = json.dumps(body if status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.asked = Counter()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def model(server: ThreadingHTTPServer) -> object:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return openai.ChatOpenAI(model="small", base_url=url, api_key="none", max_retries=2, timeout=20)


def summaries(found: list[Document]) -> list[str | None]:
    return [document.metadata.get("section_summary") for document in found]


def test_answers_in_order_though_some_are_late_or_asked_again(
    model: object, server: ThreadingHTTPServer
) -> None:
    texts = ["late one", "busy two", "three", "four"]
    found = SummaryExtractor(model, **PLAIN).transform_documents([Document(t) for t in texts])
    assert summaries(found) == [f"about {text}" for text in texts]
    assert server.asked["busy two"] == 2
    assert server.asked["three"] == 1


def test_failures_are_skipped_with_a_count(model: object) -> None:
    documents = [Document("one"), Document("broken"), Document("silent")]
    with pytest.warns(UserWarning, match="failed for 2 of 3 requests"):
        found = SummaryExtractor(model, on_error="skip", **PLAIN).transform_documents(documents)
    assert summaries(found) == ["about one", None, None]


async def test_coroutines(model: object) -> None:
    documents = [Document("one"), Document("busy two")]
    found = await SummaryExtractor(model, **PLAIN).atransform_documents(documents)
    assert summaries(found) == ["about one", "about busy two"]


def test_errors_are_raised(model: object) -> None:
    with pytest.raises(Exception, match="no"):
        SummaryExtractor(model, **PLAIN).transform_documents([Document("broken")])
    with pytest.raises(ValueError, match="empty answer"):
        SummaryExtractor(model, **PLAIN).transform_documents([Document("silent")])


class Facts(BaseModel):
    name: str
    year: int


@pytest.mark.filterwarnings("ignore:Pydantic serializer")  # of some versions of langchain-openai
def test_structured_output(model: object) -> None:
    extractor = SchemaExtractor(model, schema=Facts, on_error="skip")
    with pytest.warns(UserWarning, match=r"failed for 1 of 2 requests.*\(name, year\)"):
        found = extractor.transform_documents([Document("Ada"), Document("cut off")])
    assert found[0].metadata == {"name": "Ada", "year": 1815}
    assert found[1].metadata == {}


def test_a_bad_answer_by_structured_output(model: object) -> None:
    with pytest.raises(ValueError, match="^SchemaExtractor: the answer: Invalid JSON.*ask again"):
        SchemaExtractor(model, schema=Facts).transform_documents([Document("cut off")])


def test_chunk_asks_once_a_chunk_and_extractor(model: object, server: ThreadingHTTPServer) -> None:
    text = "# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree"
    extract = {"summary": {"summaries": ["self", "prev", "next"], **PLAIN}, "keywords": True}
    found = chunk(text, "section", extract=extract, llm=model)
    assert [document.metadata["label"] for document in found] == ["A", "B", "C"]
    assert found[1].metadata["prev_section_summary"] == "about # A\n\none"
    assert all(document.metadata["excerpt_keywords"] for document in found)
    assert sum(server.asked.values()) == 6
