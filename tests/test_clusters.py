"""Cuts between grapheme clusters: a look at the neighbourhood finds what a look at all finds."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from langchain_mchunk.boundaries import between_clusters, grapheme_ceil, grapheme_floor

# One of each kind that the rules of UAX 29 speak of, and what is like it but is not.
KINDS = (
    *("a", "\u5b57", "\r", "\n", " ", "\u200d", "\u200c", "\u200b", "\u0301", "\u0903", "\ufe0f"),
    *("\U0001f469", "\U0001f3fd", "\u2764", "\U0001f1e9", "\U0001f1ea", "\U000e0067", "\uff9e"),
    *("\u0600", "\u0915", "\u094d", "\u093f", "\u0e01", "\u0e33", "\u1100", "\u1161", "\u11a8"),
    *("\uac00", "\uac01", "\u0d4e"),
)


@given(st.text(st.sampled_from(KINDS), min_size=1, max_size=12), st.data())
def test_floor_and_ceil(text, data):
    borders = [match.end() for match in regex.finditer(r"\X", text)]
    start = data.draw(st.sampled_from([0, *borders[:-1]]))
    at = data.draw(st.integers(start + 1, len(text)))
    inside = [border for border in borders if start < border <= at]
    assert grapheme_floor(text, start, at) == (inside[-1] if inside else None)
    assert between_clusters(text, start, at) == (at in borders)
    end = data.draw(st.integers(at, len(text)))
    behind = [border for border in borders if at <= border <= end]
    assert grapheme_ceil(text, start, at, end) == (behind[0] if behind else end)


def test_long_runs_of_flags_keep_their_pairs():
    text = "a" + "\U0001f1e9\U0001f1ea" * 300
    for at in range(2, len(text)):
        assert grapheme_floor(text, 0, at) == at - (at - 1) % 2
        assert between_clusters(text, 0, at) == (at % 2 == 1)
