"""Tells myst-nb how to render our records: not at all; the readable table beside them is shown."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from myst_nb.core.render import MimeData, MimeRenderPlugin, NbElementRenderer

from bookcode.numbers.display import records_html
from bookcode.numbers.edition import Edition
from bookcode.numbers.records import MIME, load
from bookcode.sphinxext.state import edition_of


class RecordsRenderer(MimeRenderPlugin):  # type: ignore[misc]
    """A myst-nb plug-in for :data:`bookcode.numbers.records.MIME`."""

    mime_priority_overrides: Any = ()

    @staticmethod
    def handle_mime(
        renderer: NbElementRenderer, data: MimeData, inline: bool
    ) -> list[nodes.Element] | None:
        """A mark by which the lint knows that the output's numbers are published."""
        if data.mime_type != MIME:
            return None
        env = renderer.renderer.sphinx_env
        edition = Edition() if env is None else edition_of(env.config, env.srcdir)
        table = records_html(load(data.content), edition.language, edition.data_text)
        return [nodes.comment("", "", bookcode="records", table=table)]


def mark_published(document: nodes.document) -> None:
    """Drop the mark from outputs that carry records; a builder picks from the rest.

    Their table is marked as ours, so that the lint does not read it, if it shows these records and
    nothing else. The numbers of a traceback are nobody's claim: the lint leaves it alone.
    """
    for block in document.findall(nodes.literal_block):
        if "traceback" in block["classes"]:
            block["bookcode"] = "failure"
    for bundle in list(document.findall(nodes.container)):
        if bundle.get("nb_element") != "mime_bundle":
            continue
        containers = [c for c in bundle.children if isinstance(c, nodes.Element)]
        kinds = {container.get("mime_type") for container in containers}
        if MIME not in kinds:
            continue
        tables = [mark["table"] for mark in bundle.findall(nodes.comment) if "table" in mark]
        for container in containers:
            if container.get("mime_type") == "text/html" and container.astext() in tables:
                container["bookcode"] = "records"
            if container.get("mime_type") == MIME:
                bundle.remove(container)
        if not bundle.children and bundle.parent is not None:
            bundle.parent.remove(bundle)
