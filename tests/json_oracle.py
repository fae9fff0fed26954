"""What `json` itself says of the chunks of a document: are they strict JSON, and what do they merge to."""

import json


class Literal(str):
    """A number or literal as it is written."""

    __slots__ = ()


def strictly(text):
    """Read JSON; constants, duplicate keys and lone surrogates in the text are refused."""
    text.encode()
    return json.loads(
        text,
        parse_int=Literal,
        parse_float=Literal,
        parse_constant=_refuse,
        object_pairs_hook=_object,
    )


def _refuse(constant):
    raise ValueError(constant)


def _object(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def merged(chunks):
    """Merge chunks: objects merge, lists and strings at one path are joined in order."""
    whole, *rest = map(strictly, chunks)
    for chunk in rest:
        whole = _joined(whole, chunk)
    return as_lists(whole)


def _joined(left, right):
    assert type(left) is type(right), (left, right)
    if isinstance(left, dict):
        for key, value in right.items():
            left[key] = _joined(left[key], value) if key in left else value
        return left
    assert type(left) in (list, str), left
    return left + right


def as_lists(value):
    """Read objects whose keys are 0, 1, 2 … as lists."""
    if isinstance(value, dict):
        value = {key: as_lists(item) for key, item in value.items()}
        if value and list(value) == list(map(str, range(len(value)))):
            return list(value.values())
    elif isinstance(value, list):
        return [as_lists(item) for item in value]
    return value


def may_be_too_large(chunk, size, limit):
    """Tell whether a chunk holds one thing only that cannot be made smaller, or had no room.

    Follows the path of the only entries, and measures it without what stands under it.
    """
    value, before, after = strictly(chunk), "", ""
    while True:
        if size(before + after) >= limit:
            return True
        if type(value) is str:
            return len(value) <= 1
        if not isinstance(value, dict | list) or not value:
            return True
        if len(value) > 1:
            return False
        if isinstance(value, list):
            (value,), before, after = value, before + "[", "]" + after
        else:
            ((key, value),) = value.items()
            before, after = before + "{" + _key(chunk, len(before) + 1), "}" + after


def _key(chunk, start):
    """Return the text of the key that starts at an offset of a written chunk."""
    _, end = json.decoder.scanstring(chunk, start + 1)
    return chunk[start:end] + ": "
