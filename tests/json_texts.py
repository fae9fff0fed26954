"""JSON for tests: texts, not values, since white space, escapes and numbers are the reader's business."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

TEXT = st.one_of(
    st.text(st.sampled_from('ab c\n"\\é漢🦄\u0301\u200d\x00\x1f\x7f/ \t'), max_size=30),
    st.lists(st.sampled_from(["word", "two", "a-long-word", "漢字"]), max_size=20).map(" ".join),
    st.text(max_size=10),
)
STRINGS = st.builds(
    lambda text, ascii_, end: json.dumps(text, ensure_ascii=ascii_)[:-1] + end + '"',
    TEXT,
    st.booleans(),
    st.sampled_from(
        [
            "",
            "",
            "",
            r"\ud83e",
            r"\/",
            r"\u0041\u000A",
            r"\ud83e\udd84",
            r"\udd84\u0007",
            r"\uD83E",
            r"\ud8AB",
        ]
    ),
)
ATOMS = st.sampled_from(
    ["0", "-0", "1.50", "1e400", "-12E+3", "9" * 30, "true", "false", "null", "7"]
)
BLANK = st.sampled_from(["", "", " ", "\n  ", "\t", "\r\n"])
KEYS = (
    st.sampled_from(["a", "b", "0", "1", "2", "", " ", "root", "__proto__", "a > b", "key é"])
    | TEXT
)


def a_list(items: list[str], blank: str) -> str:
    return f"[{blank}{f'{blank},{blank}'.join(items)}{blank}]"


def an_object(items: dict[str, str], blank: str, ascii_: bool) -> str:
    entries = [
        f"{json.dumps(key, ensure_ascii=ascii_)}{blank}:{blank}{value}"
        for key, value in items.items()
    ]
    return f"{{{blank}{f'{blank},{blank}'.join(entries)}{blank}}}"


DOCUMENTS = st.recursive(
    STRINGS | ATOMS,
    lambda inner: st.one_of(
        st.builds(a_list, st.lists(inner, max_size=6), BLANK),
        st.builds(an_object, st.dictionaries(KEYS, inner, max_size=6), BLANK, st.booleans()),
    ),
    max_leaves=25,
)

fuzzed = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
