"""Splitters that make trouble for who runs them; in a module of their own, for workers to import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from langchain_mchunk import SectionSplitter


class Slow(SectionSplitter):
    """Takes some milliseconds a document."""

    def split_documents(self, documents):
        time.sleep(0.004)
        return super().split_documents(documents)


class Deadly(SectionSplitter):
    """Kills its process over a text with `deadly` in it; with a `mark`, only once."""

    mark = ""

    def split_documents(self, documents):
        if "deadly" in documents[0].page_content and not (self.mark and Path(self.mark).exists()):
            if self.mark:
                Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().split_documents(documents)
