"""What folds a cell in and out says so in the edition's language, unless ``conf.py`` says it."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from bookcode.sphinxext.reader_words import tell

PROMPTS = {"nb_code_prompt_show": "show-cell", "nb_code_prompt_hide": "hide-cell"}
"""Setting of myst-nb to our words."""
BUTTON = '<summary aria-label="Toggle hidden content">'
"""What myst-nb writes, in English always."""


def set_prompts(app: Sphinx, config: Config) -> None:
    """Fill in the prompts; before myst-nb reads its settings, when the builder is made."""
    for setting, key in PROMPTS.items():
        if setting not in config._raw_config:
            config[setting] = tell(key, config.language or "en")


def rename_cells(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Say in the page's language what myst-nb calls the button of a hidden cell."""
    body = context.get("body")
    if body:
        told = tell("toggle-cell", app.config.language or "en")
        context["body"] = body.replace(BUTTON, f'<summary aria-label="{told}">')


def add_prompts(app: Sphinx) -> None:
    """Register the words."""
    app.connect("config-inited", set_prompts)
    app.connect("html-page-context", rename_cells)
