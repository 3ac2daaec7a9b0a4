"""What a build leaves beside the pages: records for verify, the chapters' JavaScript modules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.files import write_atomic
from bookcode.numbers.formats import format_value
from bookcode.numbers.records import ModuleRecord, NumberRecord, Record
from bookcode.sphinxext.checks import shown_text, source_of
from bookcode.sphinxext.exercises_site import exported_exercises
from bookcode.sphinxext.state import Page, library_of, pages
from bookcode.sphinxext.translations import messages_by_page

RECORDS = "bookcode-records.json"


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the records and modules; a build with errors of ours does not succeed."""
    if exception is not None:
        return
    language = app.config.language or "en"
    write_atomic(Path(app.doctreedir) / RECORDS, json.dumps(exported(app, language), indent=1))
    if app.builder.format == "html":
        for docname, entry in pages(app.env).items():
            if module := module_of(entry):
                path = Path(app.outdir) / "_static" / "bookcode" / module_name(docname)
                write_atomic(path, module.javascript)
    if getattr(app, "_bookcode_errors", 0):
        app.statuscode = 1


def module_name(docname: str) -> str:
    """The file name of a page's JavaScript module."""
    return docname.replace("/", "-") + ".js"


def module_of(entry: Page) -> ModuleRecord | None:
    """A page's module: the last one its cells gave, which holds everything."""
    found = [p.record for p in entry.records if isinstance(p.record, ModuleRecord)]
    return found[-1] if found else None


def exported(app: Sphinx, language: str) -> dict[str, Any]:
    """Everything that verify needs to know of a build, as JSON data."""
    library = library_of(app)
    result: dict[str, Any] = {"language": language, "pages": {}}
    for docname, entry in sorted(pages(app.env).items()):
        module = module_of(entry)
        records = [
            {**placed.record.to_json(), "line": placed.line, **_shown(placed.record, language)}
            for placed in entry.records
            if not isinstance(placed.record, ModuleRecord)
        ]
        uses = []
        for use in entry.uses:
            try:
                text = "" if use.role == "figure" else shown_text(library, use, language)
            except NumbersError as error:
                text = f"⟦{error}⟧"
            uses.append({**vars(use), "shown": text})
        result["pages"][docname] = {
            "source": source_of(app, docname),
            "words": entry.words,
            "messages": messages_by_page(app.env).get(docname, []),
            "records": records,
            "module": module.to_json() if module else None,
            "uses": uses,
            "exercises": exported_exercises(app.env, docname),
        }
    return result


def _shown(record: Record, language: str) -> dict[str, str]:
    """A number's shown text in its default format."""
    if not isinstance(record, NumberRecord):
        return {}
    if record.number is None:
        return {"shown": record.value}
    return {"shown": format_value(record.number, record.unit, record.spec, language=language)}
