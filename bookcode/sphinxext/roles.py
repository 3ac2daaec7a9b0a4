"""The roles: ``num``, ``fact``, ``holds``, ``formula`` and ``lit``."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from bookcode.sphinxext.nodes import literal_number, pending_shown

_WITH_KEY = re.compile(r"^(?P<words>.*?)\s*<(?P<key>[^<>]+)>$", re.DOTALL)
Returned = tuple[list[nodes.Node], list[nodes.system_message]]


def split_key(text: str) -> tuple[str, str]:
    """ "key:spec" as key and spec; the spec is empty where none is given."""
    key, _, spec = text.strip().partition(":")
    return key.strip(), spec.strip()


class ShownRole(SphinxRole):
    """``{num}`key``` or ``{num}`key:spec```; also ``fact`` and ``formula`` (spec: a view)."""

    def run(self) -> Returned:
        key, spec = split_key(self.text)
        return [self._pending(key, spec)], []

    def _pending(self, key: str, spec: str) -> nodes.Node:
        node = pending_shown(self.rawtext, "", bookcode=self.name, key=key, spec=spec)
        self.set_source_info(node)
        return node


class HoldsRole(ShownRole):
    """``{holds}`claim-key``` or ``{holds}`words <claim-key>```."""

    def run(self) -> Returned:
        match = _WITH_KEY.match(self.text)
        words, key = (match["words"], match["key"]) if match else ("", self.text.strip())
        return [self._pending(key, words)], []


class LitRole(SphinxRole):
    """``{lit}`text``` or ``{lit}`text <kind>```: typed on purpose; counted by kind."""

    def run(self) -> Returned:
        match = _WITH_KEY.match(self.text)
        text, kind = (match["words"], match["key"]) if match else (self.text, "given")
        node = literal_number(self.rawtext, text, bookcode="lit", key=kind, spec=text)
        self.set_source_info(node)
        return [node], []


def add_roles(app: Sphinx) -> None:
    """Register the roles."""
    for name in ("num", "fact", "formula"):
        app.add_role(name, ShownRole())
    app.add_role("holds", HoldsRole())
    app.add_role("lit", LitRole())
