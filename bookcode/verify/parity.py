"""The page's JavaScript against the ledger: every number, every check point, a real engine.

Values are those of the source edition; their shown texts are compared in the language of every
edition. That the other editions compute with the same JavaScript is for
:mod:`bookcode.translation.same` to see.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from bookcode.numbers.engine import Engine
from bookcode.numbers.errors import NumbersError
from bookcode.numbers.formats import format_value
from bookcode.translation.editions import LANGUAGES
from bookcode.verify.result import Result
from bookcode.words import short

TOLERANCE = 1e-12
JS = Path(__file__).parents[1] / "site" / "js"
_SPOKEN = [short(language) for language in LANGUAGES.values()]
_ENTRY = """\
import { compute } from "./chapter.js";
import { formatValue } from "./format.js";
const inLanguage = (value, [unit, spec], language) => {
  try { return formatValue(value, unit, spec, language); }
  catch (error) { return `error: ${error}`; }
};
export default ({ points, formats, languages }) => points.map((point) => {
  const values = compute(point);
  return Object.fromEntries(Object.entries(formats).map(([key, format]) => {
    const value = values[key];
    if (!format || Number.isNaN(value)) return [key, [value, []]];
    return [key, [value, languages.map((language) => inLanguage(value, format, language))]];
  }));
});
"""


def check_parity(exported: Mapping[str, Any]) -> Result:
    """Compare values to 1e-12, verdicts and shown strings exactly, over all pages."""
    result = Result("JavaScript parity", 0, "values")
    for page in exported.get("pages", {}).values():
        module = page["module"]
        if module is None:
            continue
        if not module["points"]:
            result.unchecked.append(f"{page['source']}: built without check points")
            continue
        _check_page(page, module, result)
    return result


def _check_page(page: Mapping[str, Any], module: Mapping[str, Any], result: Result) -> None:
    records = {r["key"]: r for r in page["records"] if r.get("samples")}
    formats = {
        key: None if r["kind"] == "claim" or r["unit"] == "word" else [r["unit"], r["spec"]]
        for key, r in records.items()
    }
    sources = {name: (JS / name).read_text("utf-8") for name in ("format.js", "format-table.js")}
    sources |= {"chapter.js": module["javascript"], "check.js": _ENTRY}
    hard: dict[str, Any] = {}
    for record in records.values():
        hard |= {_name(point): point for point, _ in record["hard"]}
    asked = [*module["points"], *hard.values()]
    try:
        with Engine(sources) as engine:
            answers = engine.call(
                "check.js", {"points": asked, "formats": formats, "languages": _SPOKEN}
            )
    except NumbersError as error:
        result.problems.append(f"{page['source']}: {error}")
        return
    at_hard = dict(zip(hard, answers[len(module["points"]) :], strict=True))
    for key, record in records.items():
        place = f"{page['source']}:{record['line']}"
        samples = [
            *zip(module["points"], record["samples"], answers, strict=False),
            *((point, sample, at_hard[_name(point)]) for point, sample in record["hard"]),
        ]
        for point, sample, answer in samples:
            result.checked += 1
            for problem in _differences(record, sample, answer[key]):
                result.problems.append(f"{place}: {key} at {point}: {problem}")


def _name(point: Mapping[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)


def _differences(record: Mapping[str, Any], sample: str, answer: list[Any]) -> Iterator[str]:
    value, shown = answer
    if sample == "missing":
        if isinstance(value, int | float):
            yield f"JavaScript gives {value} where the ledger has no fact"
        return
    if record["kind"] == "claim" or record["unit"] == "word":
        text = str(value).lower() if isinstance(value, bool) else value
        if text != sample:
            yield f"JavaScript gives {value!r}, Python {sample!r}"
        return
    exact = Fraction(sample)
    if not isinstance(value, int | float):
        yield f"JavaScript gives {value!r}, Python {float(exact)!r}"
        return
    if abs(Fraction(value) - exact) > Fraction(TOLERANCE) * abs(exact):
        yield f"JavaScript gives {value!r}, Python {float(exact)!r}"
    said = dict[tuple[str, str], str]()  # most units are the same in all languages
    for language, text in zip(_SPOKEN, shown, strict=True):
        expected = format_value(exact, record["unit"], record["spec"], language=language)
        said.setdefault((text, expected), language)
    for (text, expected), language in said.items():
        if text != expected:
            yield f"JavaScript shows {text!r} in {language}, Python {expected!r}"
