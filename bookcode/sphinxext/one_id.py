"""No id twice on a page: what the theme wraps tables and formulas in gets their ids as well."""

from __future__ import annotations

from typing import Any, Final

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

_WRAPPERS: Final = ("table-wrapper", "math-wrapper")


class OneIdEach(SphinxPostTransform):
    """Leaves the ids to the wrappers, to which links then lead."""

    formats = ("html",)
    default_priority = 820

    def run(self, **kwargs: Any) -> None:
        for wrapper in self.document.findall(nodes.container):
            if not set(wrapper["classes"]) & set(_WRAPPERS):
                continue
            for inner in wrapper.children:
                if isinstance(inner, nodes.Element):
                    inner["ids"] = [name for name in inner["ids"] if name not in wrapper["ids"]]
