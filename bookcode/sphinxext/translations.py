"""Translated pages: which messages a page has, where each translation stands, what lacks one.

Sphinx's own transform puts the translations in. Those here stand right before and after it: the
first notes the English messages, the second marks every node with the place of its translation,
so that a problem is reported there, or shows the reader that a text is still English.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import ConfigError
from sphinx.transforms import SphinxTransform
from sphinx.transforms.i18n import Locale
from sphinx.util import logging
from sphinx.util.i18n import docname_to_domain
from sphinx.util.nodes import clean_astext, extract_messages

from bookcode.sphinxext.quick_messages import install_quick_messages
from bookcode.translation.catalogue import Catalogue, Entry, read_catalogue
from bookcode.translation.editions import SOURCE, STILL_ENGLISH, tag
from bookcode.translation.errors import CatalogueError
from bookcode.translation.extraction import CELLS

logger = logging.getLogger(__name__)
PLACE: Final = "said_at"
"""Attribute of a translated node: "path:line" of its translation."""
UNTRANSLATED: Final = "bk-untranslated"
"""Class, and attribute, of a node that is still English."""
_WITHOUT_MARK: Final = (nodes.title, nodes.term, nodes.field_name, nodes.image, nodes.meta)
"""Where a mark would get into contents, anchors or attributes; their colour and language tell."""

Messages = list[tuple[str, int]]


def messages_by_page(env: BuildEnvironment) -> dict[str, Messages]:
    """The English messages of all pages, each with its line."""
    if not hasattr(env, "bookcode_messages"):
        env.bookcode_messages = {}  # type: ignore[attr-defined]
    return env.bookcode_messages  # type: ignore[attr-defined,no-any-return]


class MessageCollector(EnvironmentCollector):
    """Forgets a page's messages before it is read again, and merges what parallel readers found."""

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        messages_by_page(env).pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        found = messages_by_page(other)
        messages_by_page(env).update({name: found[name] for name in docnames if name in found})

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Nothing: :class:`NoteMessages` noted them before they were translated."""


class NoteMessages(SphinxTransform):
    """Notes the messages that Sphinx is about to look up, exactly as it will."""

    default_priority = Locale.default_priority - 1

    def apply(self, **kwargs: Any) -> None:
        pairs = [
            (node, text)
            for node, text in extract_messages(self.document)
            if text.strip() and not _is_about_the_file(node)
        ]
        noted = [(text, _line_of(node)) for node, text in pairs]
        docname = self.env.current_document.docname
        messages_by_page(self.env)[docname] = noted
        kept = dict(self.env.metadata[docname])
        self.document._bookcode_messages = pairs, kept  # type: ignore[attr-defined]


class MarkTranslations(SphinxTransform):
    """Marks what was translated with the place of the translation, and what was not as English."""

    default_priority = Locale.default_priority + 1

    def apply(self, **kwargs: Any) -> None:
        docname = self.env.current_document.docname
        pairs, kept = vars(self.document).pop("_bookcode_messages")
        catalogue = catalogue_of(self.env, docname)
        if catalogue is None:
            return
        # MyST reads each translation as a document of its own, whose data it takes for the page's
        self.env.metadata[docname] = kept
        _rename_anchors(kept, self.document)
        for node, text in pairs:
            if isinstance(node, addnodes.translatable):
                continue  # contents: their titles are those of the pages
            entry = catalogue.by_message.get(text)
            if entry is not None and entry.shown:
                node[PLACE] = _place(entry)
                if _refused(node, entry):
                    said = (
                        f"the translation {entry.msgstr[:40]!r} was not taken: it begins like a "
                        r"list, a heading or a table; escape what makes it one, as in 1\. Title"
                    )
                    logger.error(said, location=node[PLACE], type="bookcode", subtype="i18n")
            elif not _is_made_of_roles(node):
                mark(node, self.config.language or SOURCE)


def _refused(node: nodes.Element, entry: Entry) -> bool:
    """Whether Sphinx left a translation out, as it does with what is no running text.

    It says so of what it put in place; pictures and data it changes without a word.
    """
    silent = isinstance(node, nodes.image | nodes.meta)
    return not silent and entry.msgstr != entry.msgid and node.get("translated") is not True


def _rename_anchors(metadata: dict[str, Any], document: nodes.document) -> None:
    """Links without words to a heading show the translated one; its anchor stays."""
    slugs = metadata.get("myst_slugs", {})
    for slug, (line, anchor, _) in list(slugs.items()):
        section = document.ids.get(anchor)
        title = section.next_node(nodes.title) if section is not None else None
        if title is not None:
            slugs[slug] = (line, anchor, clean_astext(title))


def catalogue_of(env: BuildEnvironment, docname: str) -> Catalogue | None:
    """The catalogue of a page; None in the source language, and in one nobody translates into.

    An empty one where the language has catalogues, but not of this page.
    """
    language = env.config.language or SOURCE
    if tag(language).partition("-")[0] == SOURCE:
        return None
    return _read(env, language, docname_to_domain(docname, env.config.gettext_compact))


def place_in_cells(app: Sphinx, docname: str, english: str) -> str:
    """ "path:line" of the translation of a text that a page's cells give; "" if there is none."""
    found = _read(app.env, app.config.language or SOURCE, f"{CELLS}{docname}")
    entry = found.by_message.get(english) if found else None
    return _place(entry) if entry else ""


def _read(env: BuildEnvironment, language: str, name: str) -> Catalogue | None:
    for folder in env.config.locale_dirs:
        messages = Path(env.srcdir, folder, language, "LC_MESSAGES")
        if messages.is_dir():
            try:
                return read_catalogue(messages / f"{name}.po", Path(env.app.confdir).resolve())
            except CatalogueError:
                return Catalogue(f"{name}.po", ())
    return None


def mark(node: nodes.Element, language: str) -> None:
    """Show that a node's text is still English, to readers, their browsers and the lint."""
    node[UNTRANSLATED] = True
    if isinstance(node, nodes.image | nodes.meta):
        return
    node["classes"] = [*node.get("classes", []), UNTRANSLATED, f"language-{tag(SOURCE)}"]
    if isinstance(node, _WITHOUT_MARK):
        return
    said = STILL_ENGLISH.get(language, STILL_ENGLISH[SOURCE])
    classes = ["bk-untranslated-mark", f"language-{tag(language)}"]
    node.insert(0, [nodes.inline("", said, classes=classes), nodes.Text(" ")])


def _is_about_the_file(node: nodes.Node) -> bool:
    """Whether a node is an entry of the page's front matter, which no reader sees."""
    above: nodes.Node | None = node
    while above is not None:
        if isinstance(above, nodes.field_list) and isinstance(above.parent, nodes.document):
            return True
        above = above.parent
    return False


def _is_made_of_roles(node: nodes.Element) -> bool:
    """Whether there is nothing to translate: no letter outside of roles, code and math."""
    made = (nodes.literal, nodes.math, addnodes.pending_xref)
    for text in node.findall(nodes.Text):
        above: nodes.Node | None = text.parent
        while above is not None and above is not node:
            if isinstance(above, made) or "bookcode" in above.attributes:  # type: ignore[attr-defined]
                break
            above = above.parent
        else:
            if any(character.isalpha() for character in text.astext()):
                return False
    return not isinstance(node, nodes.image | nodes.meta)


def _place(entry: Entry) -> str:
    return f"{entry.path}:{entry.said}"


def _line_of(node: nodes.Node) -> int:
    above: nodes.Node | None = node
    while above is not None and not above.line:
        above = above.parent
    return above.line or 1 if above is not None else 1


def place_of(node: nodes.Node) -> tuple[str, int]:
    """File and line of the translation that a node belongs to; ("", 0) if it is of none."""
    above: nodes.Node | None = node
    while above is not None:
        if isinstance(above, nodes.Element) and PLACE in above:
            path, _, line = above[PLACE].rpartition(":")
            return path, int(line)
        above = above.parent
    return "", 0


def choose_words(app: Sphinx, config: Any) -> None:
    """Settings that differ from one language to another take this edition's value."""
    for name, values in config.bookcode_by_language.items():
        if name not in config:
            raise ConfigError(f"bookcode_by_language: there is no setting {name!r}")
        if config.language in values:
            setattr(config, name, values[config.language])


def add_translations(app: Sphinx) -> None:
    """Register everything; setting: ``bookcode_by_language`` (setting to language to value)."""
    install_quick_messages()
    app.add_config_value("bookcode_by_language", {}, "env", dict)
    app.add_env_collector(MessageCollector)
    app.add_transform(NoteMessages)
    app.add_transform(MarkTranslations)
    app.connect("config-inited", choose_words, priority=50)
