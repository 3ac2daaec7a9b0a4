"""The Sphinx extension: roles, directives, execution and checks, thin over the cores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookcode.sphinxext import (  # noqa: F401 (their kinds of tables)
    notation,
    number_tables,
    reality_tables,
    source_tables,
)
from bookcode.sphinxext.checks import check_consistency, lint_page, pages_to_write_again
from bookcode.sphinxext.code_pages import add_code_pages
from bookcode.sphinxext.code_pages_list import add_code_list
from bookcode.sphinxext.directives import add_directives
from bookcode.sphinxext.exercises import add_exercises
from bookcode.sphinxext.languages import add_languages
from bookcode.sphinxext.listings import add_listings
from bookcode.sphinxext.mathml import add_math
from bookcode.sphinxext.measurements import add_measurements
from bookcode.sphinxext.navigation import add_navigation
from bookcode.sphinxext.nodes import add_nodes
from bookcode.sphinxext.notebooks_site import add_notebooks
from bookcode.sphinxext.one_id import OneIdEach
from bookcode.sphinxext.output import finish
from bookcode.sphinxext.own_code import code_version
from bookcode.sphinxext.own_record import add_own_record
from bookcode.sphinxext.prompts import add_prompts
from bookcode.sphinxext.quick_walk import install_quick_walk
from bookcode.sphinxext.read_errors import add_read_errors
from bookcode.sphinxext.reader import add_reader
from bookcode.sphinxext.resolve import ResolveShown
from bookcode.sphinxext.roles import add_roles
from bookcode.sphinxext.row_heads import HeadsInWords
from bookcode.sphinxext.running import install_execution, outdated
from bookcode.sphinxext.same_pages import add_same_pages
from bookcode.sphinxext.search import add_search
from bookcode.sphinxext.sources_role import add_source_role
from bookcode.sphinxext.spacing import TightenSpaces
from bookcode.sphinxext.state import PageCollector
from bookcode.sphinxext.tables import add_tables
from bookcode.sphinxext.translations import add_translations
from bookcode.sphinxext.verification_page import add_verification_page

SITE = Path(__file__).parents[1] / "site"


def _add_static(app: Sphinx) -> None:
    app.config.html_static_path.append(str(SITE / "static"))
    app.add_css_file("book.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything; options: ``bookcode_time_limit`` (s), ``bookcode_memory_limit`` (MiB),
    ``bookcode_lint``."""
    app.setup_extension("myst_nb")
    app.setup_extension("bookcode.linkcheck.builder")
    app.add_config_value("bookcode_time_limit", 60.0, "env", (float, int))
    app.add_config_value("bookcode_memory_limit", 4096, "env", int)
    app.add_config_value("bookcode_lint", True, "env", bool)
    app.add_env_collector(PageCollector)
    install_quick_walk()
    add_translations(app)
    add_languages(app)
    add_prompts(app)
    add_nodes(app)
    add_roles(app)
    add_source_role(app)
    add_directives(app)
    add_tables(app)
    add_verification_page(app)
    add_listings(app)
    add_math(app)
    add_same_pages(app)
    add_navigation(app)
    add_read_errors(app)
    add_exercises(app)
    add_measurements(app)
    add_own_record(app)
    add_reader(app)
    add_search(app)
    add_notebooks(app)
    add_code_pages(app)
    add_code_list(app)
    app.add_post_transform(ResolveShown)
    app.add_post_transform(TightenSpaces)
    app.add_post_transform(HeadsInWords)
    app.add_post_transform(OneIdEach)
    app.connect("builder-inited", _add_static)
    app.connect("builder-inited", install_execution)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-read", lint_page)
    app.connect("env-check-consistency", check_consistency)
    app.connect("env-updated", pages_to_write_again)
    app.connect("build-finished", finish)
    return {
        "version": "1",
        "env_version": code_version(),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
