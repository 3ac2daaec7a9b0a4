"""The reader's page: puts scripts, styles, data, head and foot of every page together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from bookcode.numbers.files import write_atomic
from bookcode.numbers.records import ParameterRecord
from bookcode.sphinxext import colophon
from bookcode.sphinxext.chapter_head import add_chapter_head
from bookcode.sphinxext.code_pages import code_links
from bookcode.sphinxext.exercises_site import draws_all
from bookcode.sphinxext.html_head import description_of, head_tags, plain_title, policy_of
from bookcode.sphinxext.languages import addresses
from bookcode.sphinxext.mathml import to_mathml, without_annotation
from bookcode.sphinxext.number_changes import add_number_changes
from bookcode.sphinxext.output import module_name, module_of
from bookcode.sphinxext.page_data import Collector, shown_on
from bookcode.sphinxext.provenance import Explainer
from bookcode.sphinxext.reader_words import tell
from bookcode.sphinxext.site_files import sitemap, write_card
from bookcode.sphinxext.state import library_of, pages
from bookcode.sphinxext.whatif import add_parameter_role, parameters_of
from bookcode.translation.editions import tag

SITE = Path(__file__).parents[1] / "site"
STYLES = "site.css"
SCRIPTS, DATA, CARDS = "_static/js", "_static/bookcode", "_static/cards"


def settings(app: Sphinx, config: Config) -> None:
    """Check the settings of the page and fill in those left out."""
    try:
        colophon.Repository(config.bookcode_repository, config.bookcode_revision)
        colophon.build_date()
    except colophon.ColophonError as error:
        raise ConfigError(str(error)) from None
    if not config.html_favicon:
        config.html_favicon = str(SITE / "favicon.svg")
    config.templates_path.append(str(SITE / "templates"))


def copy_scripts(app: Sphinx, builder: Any) -> None:
    """The scripts as they are: browsers load modules one by one."""
    if builder.format == "html":
        folder = Path(app.outdir) / SCRIPTS
        folder.mkdir(parents=True, exist_ok=True)
        for script in sorted((SITE / "js").glob("*.js")):
            shutil.copyfile(script, folder / script.name)
        write_atomic(Path(app.outdir) / "_static" / STYLES, styles())


def styles() -> str:
    """All our style sheets as one, in the order of their names: one request instead of several."""
    sheets = sorted((SITE / "static").glob("*.css"))
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets)


def repository_of(app: Sphinx) -> colophon.Repository:
    """Where the book's source lives."""
    return colophon.Repository(app.config.bookcode_repository, app.config.bookcode_revision)


# data of pages -----------------------------------------------------------------------------------
def data_name(docname: str) -> str:
    """The file name of a page's data."""
    return module_name(docname) + "on"


def has_data(app: Sphinx, docname: str, markup: str) -> bool:
    """Whether anything on a page can be asked about or changed."""
    entry = pages(app.env).get(docname)
    return bool(shown_on(markup)) or (entry is not None and bool(parameters_of(entry)))


def follows(app: Sphinx, docname: str, markup: str) -> bool:
    """Whether anything on a page depends on a parameter that a reader may set."""
    if draws_all(app.env, docname):
        return False
    library = library_of(app)
    entry = pages(app.env).get(docname)
    known = [
        library.numbers.get(key) or library.claims.get(key)
        for role, key in shown_on(markup)
        if role in ("num", "formula", "holds")
    ]
    own = entry is not None and bool(parameters_of(entry))
    return own or any(record and record.parameters for record in known)


def write_data(app: Sphinx, exception: Exception | None) -> None:
    """Write the data of every page: of all, since a page may show another's numbers."""
    if exception is not None or app.builder.format != "html":
        return
    explainer, module_names = _explainer(app)
    links_of = code_links(app, explainer.link_of)
    for docname, entry in sorted(pages(app.env).items()):
        path = Path(app.builder.get_outfilename(docname))  # type: ignore[attr-defined]
        markup = path.read_text("utf-8") if path.exists() else ""
        if not has_data(app, docname, markup):
            continue
        own = module_name(docname) if module_of(entry) else ""
        records = [placed.record for placed in entry.records]
        linked = replace(explainer, link_of=links_of(docname))
        data = Collector(linked, records, module_names, own).collect(entry.uses, shown_on(markup))
        text = json.dumps(vars(data), ensure_ascii=False, separators=(",", ":"))
        write_atomic(Path(app.outdir) / DATA / data_name(docname), text)


def _explainer(app: Sphinx) -> tuple[Explainer, dict[str, str]]:
    """What makes hints, and key to the file name of the module that computes it."""
    parameters: dict[str, Mapping[str, ParameterRecord]] = {}
    module_names: dict[str, str] = {}
    for docname, entry in sorted(pages(app.env).items()):
        own = parameters_of(entry)
        module = module_name(docname) if module_of(entry) else ""
        for placed in entry.records:
            parameters.setdefault(placed.record.key, own)
            module_names.setdefault(placed.record.key, module)
    explainer = Explainer(
        library=library_of(app),
        parameters=parameters,
        language=app.config.language or "en",
        set_math=lambda latex: without_annotation(to_mathml(latex, False)),
        link_of=repository_of(app).line,
    )
    return explainer, module_names


# head and foot of pages ---------------------------------------------------------------------------
def complete_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Fill in what our templates show, and drop the files that the page does not need."""
    title, book = plain_title(context), app.config.html_title
    url = context.get("pageurl") or ""
    data = ""
    body = context.get("body") or ""
    if has_data(app, pagename, body):
        data = context["pathto"](f"{DATA}/{data_name(pagename)}", 1)
    context["metatags"] = context.get("metatags", "") + head_tags(
        policy_of(app),
        title=title or book,
        description=description_of(doctree),
        url=url,
        card=_card(app, pagename, title),
        data=data,
        site=book,
        follows=follows(app, pagename, body),
    )
    _drop_unused(context)
    for part in ("body", "furo_navigation_tree"):
        context[part] = _with_levels(context.get(part) or "")
    context["bookcode"] = _foot(app, pagename, title, url)


def _card(app: Sphinx, pagename: str, title: str) -> str:
    """The absolute address of the page's picture; services do not follow relative ones."""
    base = app.config.html_baseurl
    if not base or pagename not in app.env.found_docs:
        return ""
    name = write_card(Path(app.outdir) / CARDS, title, app.config.html_title)
    return f"{base.rstrip('/')}/{CARDS}/{name}"


def _with_levels(markup: str) -> str:
    """Captions of contents are headings to screen readers; Sphinx leaves out their level."""
    return markup.replace(
        'class="caption" role="heading">', 'class="caption" role="heading" aria-level="2">'
    )


def _drop_unused(context: dict[str, Any]) -> None:
    body = context.get("body") or ""
    if 'class="sd-' not in body and " sd-" not in body:
        for name in ("css_files", "script_files"):
            kept = [f for f in context[name] if "design" not in _name(f)]
            context[name] = kept
    parts = {sheet.name for sheet in (SITE / "static").glob("*.css")}
    context["css_files"] = [f for f in context["css_files"] if Path(_name(f)).name not in parts]


def _name(file: Any) -> str:
    return str(getattr(file, "filename", file))


def _foot(app: Sphinx, pagename: str, title: str, url: str) -> dict[str, Any]:
    """What the foot of the page says."""
    language = app.config.language or "en"
    date = colophon.build_date()
    edition = app.config.bookcode_edition
    about: dict[str, Any] = {
        "author": app.config.author,
        "title": title,
        "book": app.config.html_title,
        "edition": edition,
        "date": date,
        "url": url,
    }
    is_page = pagename in app.env.found_docs
    return {
        "edition": colophon.edition_text(edition, date, language),
        "report": repository_of(app).report(pagename) if is_page else None,
        "report_words": tell("report", language),
        "cite_words": tell("cite", language),
        "citation": colophon.citation_text(**about) if is_page else "",
        "bibtex": colophon.bibtex(**about) if is_page else "",
    }


def write_site_files(app: Sphinx, exception: Exception | None) -> None:
    """Write the sitemap, if the site's address is known."""
    base = app.config.html_baseurl
    if exception is not None or app.builder.format != "html" or not base:
        return
    editions: Mapping[str, str] = app.config.bookcode_editions
    listed = []
    for docname in sorted(app.env.found_docs):
        found = addresses(app, docname) if len(editions) > 1 else {}
        others = {tag(editions[folder]): address for folder, address in found.items()}
        listed.append((f"{base.rstrip('/')}/{app.builder.get_target_uri(docname)}", others))
    write_atomic(Path(app.outdir) / "sitemap.xml", sitemap(listed))


def add_reader(app: Sphinx) -> None:
    """Register everything; settings: ``bookcode_repository`` (address of the project, "" for
    none), ``bookcode_revision`` (commit or tag of this build), ``bookcode_edition``."""
    app.add_config_value("bookcode_repository", "", "html", str)
    app.add_config_value("bookcode_revision", "", "html", str)
    app.add_config_value("bookcode_edition", version("bookcode"), "html", str)
    add_parameter_role(app)
    add_chapter_head(app)
    add_number_changes(app)
    app.add_css_file(STYLES, priority=600)
    app.add_js_file("js/page.js", type="module")
    app.connect("config-inited", settings, priority=100)
    app.connect("write-started", copy_scripts)
    app.connect("html-page-context", complete_page, priority=900)
    app.connect("build-finished", write_data)
    app.connect("build-finished", write_site_files)
