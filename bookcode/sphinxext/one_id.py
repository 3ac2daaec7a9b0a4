"""No id twice on a page: what the theme wraps tables and formulas in gets their ids as well."""

from __future__ import annotations

from typing import Any, Final

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

_WRAPPERS: Final = ("table-wrapper", "math-wrapper")


class OneIdEach(SphinxPostTransform):
    """Leaves the ids to what is wrapped, by which Sphinx also numbers tables."""

    formats = ("html",)
    default_priority = 820

    def run(self, **kwargs: Any) -> None:
        for wrapper in self.document.findall(nodes.container):
            if set(wrapper["classes"]) & set(_WRAPPERS):
                inner = {
                    name
                    for child in wrapper.children
                    if isinstance(child, nodes.Element)
                    for name in child["ids"]
                }
                wrapper["ids"] = [name for name in wrapper["ids"] if name not in inner]
