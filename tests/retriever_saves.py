"""Kill a process in the middle of `save_local`, many times: arguments are a folder and how often.

Each child saves the retriever, grown by a few documents each time, until it is killed; then the
folder must hold one of these states, whole, and no more than one save's leftovers.
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


def child(retriever: KeywordRetriever, folder: Path, started: int) -> None:
    while True:
        grow(retriever)
        os.write(started, b".")
        retriever.save_local(folder)


def killed(retriever: KeywordRetriever, folder: Path, patience: float) -> None:
    """Start a child and kill it some time, at most `patience` seconds, after its first save begins."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        child(retriever, folder, write)
    os.read(read, 1)
    time.sleep(random.uniform(0, patience))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(read)
    os.close(write)


def check(folder: Path) -> KeywordRetriever:
    """Load what the folder holds, which must be one of the states saved, with few leftovers."""
    retriever = KeywordRetriever.load_local(folder)
    size = len(retriever.documents)
    assert size % STEP == 0, size
    texts = [document.page_content for document in retriever.invoke("kills", k=size)]
    assert texts == [f"document {number} about kills" * 20 for number in range(size)]
    names = [path.name for path in folder.iterdir()]
    for stem, most in (("documents", 2), ("index", 2), ("retriever.json", 2)):
        assert sum(stem in name for name in names) <= most, names
    return retriever


def kill_first_saves(retriever: KeywordRetriever, folder: Path, kills: int) -> None:
    """Kill saves to a new folder: what is left of them does not keep the next ones from it."""
    for number in range(kills):
        new = folder / f"new-{number}"
        start = time.perf_counter()
        retriever.save_local(folder / "whole")
        killed(retriever, new, patience=time.perf_counter() - start)
        retriever.save_local(new)
        check(new)
        assert len(list(new.iterdir())) == 3, "the next save must remove the leftovers"


def main(folder: Path, kills: int) -> None:
    retriever = KeywordRetriever()
    grow(retriever)
    kill_first_saves(retriever, folder, kills // 4)
    seen = set()
    folder /= "old"
    for _ in range(kills):
        start = time.perf_counter()
        retriever.save_local(folder)
        killed(retriever, folder, patience=2 * (time.perf_counter() - start))
        retriever = check(folder)
        seen.add(len(retriever.documents))
    retriever.save_local(folder)
    assert len(list(folder.iterdir())) == 3, "the next save must remove the leftovers"
    sys.stdout.write(str(len(seen)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
