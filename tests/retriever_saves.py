"""Kill a process in the middle of `save_local`, many times: `python retriever_saves.py FOLDER KILLS`.

Each child saves the retriever it found, grown by a few documents, until it is killed; then the folder must
hold one of the states that the child saved, whole, and no more than one save's leftovers.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from langchain_mchunk.retriever import KeywordRetriever

STEP = 40  # documents that a save adds


def grow(retriever: KeywordRetriever) -> None:
    start = len(retriever.documents)
    texts = [f"document {number} about kills" * 20 for number in range(start, start + STEP)]
    retriever.add_documents(KeywordRetriever.from_texts(texts).documents)


def child(folder: Path) -> None:
    retriever = KeywordRetriever.load_local(folder)
    while True:
        grow(retriever)
        retriever.save_local(folder)


def check(folder: Path) -> int:
    """Return how many documents the folder holds."""
    retriever = KeywordRetriever.load_local(folder)
    size = len(retriever.documents)
    assert size % STEP == 0, size
    texts = [document.page_content for document in retriever.invoke("kills", k=size)]
    assert texts == [f"document {number} about kills" * 20 for number in range(size)]
    names = [path.name for path in folder.iterdir()]
    for stem in ("documents", "index", "retriever.json."):
        allowed = 1 if stem == "retriever.json." else 2
        assert sum(name.startswith(stem) for name in names) <= allowed, names
    return size


def main(folder: Path, kills: int) -> None:
    retriever = KeywordRetriever()
    grow(retriever)
    retriever.save_local(folder)
    seen = {check(folder)}
    for _ in range(kills):
        pid = os.fork()
        if not pid:
            child(folder)
        time.sleep(random.uniform(0.005, 0.06))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        seen.add(check(folder))
    KeywordRetriever.load_local(folder).save_local(folder)
    assert len(list(folder.iterdir())) == 3, "the next save must remove the leftovers"
    print(len(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
