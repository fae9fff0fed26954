"""The XPath of an element, counting the children of each parent once."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_HTML_NAME = re.compile(r"[a-z][a-z0-9-]*")  # an XPath name test finds these; others it may not


class XPaths:
    """Makes XPaths such as `/html/body/div[2]/p[1]`, as `document.evaluate` takes them."""

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}
        self._steps: dict[int, str] = {}

    def of(self, node: LexborNode) -> str:
        """Return the XPath of an element."""
        missing = []
        above: LexborNode | None = node
        while above is not None and above.is_element_node and above.mem_id not in self._paths:
            missing.append(above)
            above = above.parent
        path = self._paths.get(above.mem_id, "") if above is not None else ""
        for element in reversed(missing):
            path += self._step(element)
            self._paths[element.mem_id] = path
        return path

    def _step(self, element: LexborNode) -> str:
        parent = element.parent
        if element.mem_id not in self._steps and parent is not None:
            self._count(parent)
        return self._steps[element.mem_id]

    def _count(self, parent: LexborNode) -> None:
        """Number the children of an element, each among those of its name."""
        seen: Counter[str] = Counter()
        for child in parent.iter():
            name = child.tag or ""
            seen[name] += 1
            self._steps[child.mem_id] = f"/{_name_test(name)}[{seen[name]}]"


def _name_test(name: str) -> str:
    """Write a name test that finds elements of SVG and MathML, and names that XPath knows not."""
    return name if _HTML_NAME.fullmatch(name) else f'*[name()="{name}"]'
