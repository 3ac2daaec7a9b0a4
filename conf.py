"""Sphinx configuration of the book: sources in ``book/``, this file at the project's root."""

from __future__ import annotations

import os

from bookcode.translation.editions import LANGUAGES

project = "Operators and kernels"
author = "The book's maintainers"
project_copyright = "The book's maintainers; text CC BY 4.0, code MIT"
html_title = "Operators and kernels"

extensions = ["myst_nb", "sphinx_design", "bookcode.sphinxext"]
root_doc = "index"
language = "en"
locale_dirs = ["locale"]
gettext_compact = False
bookcode_editions = dict(LANGUAGES)
bookcode_by_language = {
    "html_title": {"zh_CN": "算子与 kernel"},
}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_merge_streams = True
bookcode_time_limit = 300  # seconds a page's cells may take; wide, for machines under load

html_theme = "furo"
html_math_renderer = "bookcode"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}

# Where this build is going to be read, and where its sources are kept: whoever publishes says so.
html_baseurl = os.environ.get("BOOKCODE_BASEURL", "")
bookcode_repository = os.environ.get("BOOKCODE_REPOSITORY", "")
bookcode_revision = os.environ.get("BOOKCODE_REVISION", "")

linkcheck_retries = 2
linkcheck_timeout = 20
