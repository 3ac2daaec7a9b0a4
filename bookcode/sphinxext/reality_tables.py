"""Tables of the pages that hold the ledger against reality, out of the committed record.

The record is plain data that ``verify`` makes anew and compares where the pinned sources are at
hand; so a count in one of these tables is a count of that check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from docutils import nodes

from bookcode.numbers.formats import format_value
from bookcode.reality.errors import RealityError
from bookcode.reality.evidence import evidence_text, read_evidence
from bookcode.reality.record import RECORD, PageRecord, read, sizes
from bookcode.reality.sizes import ends
from bookcode.sphinxext.cells import cell, code, group_row, row
from bookcode.sphinxext.reality_words import tell
from bookcode.sphinxext.tables import KINDS, Kind, Setting, TableError

SHARES: Final = ("middle", "good", "best")
DIGITS: Final = 4
SMALL: Final = 0.1


def record_of(setting: Setting) -> PageRecord:
    """The project's record.

    Raises:
        TableError: when there is none or it cannot be read.
    """
    try:
        return read(setting.root / RECORD)
    except RealityError as error:
        raise TableError(str(error)) from None


def _table(setting: Setting, name: str) -> list[dict[str, Any]]:
    try:
        return record_of(setting).table(name)
    except RealityError as error:
        raise TableError(str(error)) from None


def _shown(setting: Setting, value: Any, spec: str) -> nodes.entry:
    text = format_value(Fraction(str(value)), "1", spec, language=setting.language)
    return cell(text, classes=["bk-number-cell"])


def _say(setting: Setting, key: str, /, **parts: object) -> str:
    return tell(key, setting.language, **parts)


# what kernels reach -----------------------------------------------------------------------------
def expectations(setting: Setting) -> list[nodes.row]:
    """What to expect: operator and size against what the middle, a good and the best row reach."""
    made, last = [], ""
    for entry in _table(setting, "expect"):
        if entry["operator"] != last:
            last = entry["operator"]
            made.append(group_row(_say(setting, last), 5))
        made.append(_reached(setting, _size(setting, entry["size"]), entry))
    return made


def _size(setting: Setting, name: str) -> str:
    """A class of size in words."""
    low, high = ends(name, setting.language)
    key = "size-between" if low and high else "size-above" if low else "size-below"
    return _say(setting, key, low=low, high=high)


def _reached(setting: Setting, head: str, entry: Mapping[str, Any]) -> nodes.row:
    shares = (_share(setting, entry[name]) for name in SHARES)
    return row(head, _shown(setting, entry["rows"], "int"), *shares)


def _share(setting: Setting, value: float) -> nodes.entry:
    """A share in percent; small ones with a digit more, or they would all be nothing."""
    return _shown(setting, value, "pct0" if value >= SMALL else "pct1")


def machines(setting: Setting) -> list[nodes.row]:
    """The same by machine, for long calls only."""
    made, last = [], ""
    for entry in _table(setting, "machines"):
        if entry["operator"] != last:
            last = entry["operator"]
            made.append(group_row(_say(setting, last), 5))
        made.append(_reached(setting, entry["machine"].upper(), entry["long"]))
    return made


def roofs(setting: Setting) -> list[nodes.row]:
    """How many rows are faster than each calibrated roof allows, and by how much."""
    return [
        row(
            code(entry["roof"]),
            _say(setting, entry["operator"]),
            _shown(setting, entry["rows"], "int"),
            _shown(setting, entry["beaten"], "int"),
            _shown(setting, entry["most"], "fix2"),
        )
        for entry in _table(setting, "roofs")
    ]


# rows that beat the bound -----------------------------------------------------------------------
def classes(setting: Setting) -> list[nodes.row]:
    """Classes of rows that beat the bound: how many, and what each means."""
    return [
        row(
            _say(setting, entry["class"]),
            _shown(setting, entry["rows"], "int"),
            _say(setting, f"means {entry['class']}"),
        )
        for entry in _table(setting, "classes")
    ]


def beaten(setting: Setting) -> list[nodes.row]:
    """Every group with rows that beat the bound and are explained, with the evidence."""
    return [
        row(
            code(entry["group"]),
            _shown(setting, entry["explained"], "int"),
            _shown(setting, entry["rows"], "int"),
            _say(setting, entry["class"]),
            _evidence(setting, entry["evidence"]),
        )
        for entry in _table(setting, "beaten")
    ]


def _evidence(setting: Setting, data: list[dict[str, str]]) -> str:
    try:
        return evidence_text(read_evidence(data), setting.language, setting.library.data)
    except RealityError as error:
        raise TableError(str(error)) from None


def unexplained(setting: Setting) -> list[nodes.row]:
    """The rows that nothing explains, by place."""
    made, last = [], ""
    for entry in _table(setting, "unexplained"):
        if entry["group"] != last:
            last = entry["group"]
            made.append(group_row(code(last), 1))
        made.append(row(code(entry["place"])))
    return made


def data_sets(setting: Setting) -> list[nodes.row]:
    """What was measured: folder, operators, rows, and how many beat the bound."""
    made = []
    for entry in _table(setting, "data-sets"):
        operators = _say(setting, "listed").join(_say(setting, name) for name in entry["operators"])
        again = [text.partition(": ") for text in entry["repeats"]]
        repeats = [_say(setting, "repeats", kind=kind, other=other) for kind, _, other in again]
        figures = (_shown(setting, entry[n], "int") for n in ("rows", "beaten", "unexplained"))
        said = _say(setting, "join").join([operators, *repeats])
        made.append(row(code(entry["data set"]), said, *figures))
    return made


# other people's figures -------------------------------------------------------------------------
def counters(setting: Setting) -> list[nodes.row]:
    """The ledger's figure, theirs, and why they differ."""
    made = []
    for name, entries in record_of(setting).parts["counters"].items():
        last = ""
        for entry in entries:
            if entry["place"] != last:
                last = entry["place"]
                head = _say(setting, "counter", name=name, place=last)
                made.append(group_row(head, 4))
            figures = (_exact(setting, entry[side], entry["unit"]) for side in ("ledger", "theirs"))
            told = map(setting.library.data, sizes(entry["inputs"]))
            inputs = [
                code(entry["operator"]),
                nodes.Text(f": {_say(setting, 'listed').join(told)}"),
            ]
            made.append(row(cell(inputs), *figures, _why(setting, entry["why"])))
    return made


def _exact(setting: Setting, text: str, unit: str) -> nodes.entry:
    return cell(f"{_in_full(setting, text)} {unit}", classes=["bk-number-cell"])


def _in_full(setting: Setting, text: str) -> str:
    value = Fraction(text)
    spec = "int" if value.denominator == 1 else f"fix{DIGITS}"
    return format_value(abs(value), "1", spec, language=setting.language)


def _why(setting: Setting, reasons: list[dict[str, str]]) -> str:
    if not reasons:
        return _say(setting, "same")
    said = []
    for reason in reasons:
        sign = _say(setting, "minus" if Fraction(reason["amount"]) < 0 else "plus")
        amount = _in_full(setting, reason["amount"])
        said.append(
            _say(
                setting,
                "amount",
                sign=sign,
                amount=amount,
                why=setting.library.data(reason["reason"]),
            )
        )
    return _say(setting, "join").join(said)


def published(setting: Setting) -> list[nodes.row]:
    """Published numbers: as printed, as recomputed, from what, and what is wrong if anything is."""
    made = []
    for table in record_of(setting).parts["published"]:
        source = table["source"]
        made.append(group_row(_say(setting, "read", date=table["date"], **source), 5))
        for entry in table["rows"]:
            inputs = _say(setting, "listed").join(
                f"{name} = {value}" for name, value in entry["inputs"].items()
            )
            given = [nodes.Text(f" {_say(setting, 'from', inputs=inputs)}")] if inputs else []
            key = "follows" if entry["follows"] else "not"
            made.append(
                row(
                    _named(setting, entry["what"], entry["unit"]),
                    cell(entry["printed"], classes=["bk-number-cell"]),
                    cell(entry["recomputed"], classes=["bk-number-cell"]),
                    cell([code(entry["formula"]), *given]),
                    _say(setting, key, why=setting.library.data(entry["why"])),
                )
            )
    return made


def _named(setting: Setting, what: str, unit: str) -> str:
    told = (setting.library.data(text) for text in (what, unit))
    return _say(setting, "named", **dict(zip(("what", "unit"), told, strict=True)))


# mistakes -----------------------------------------------------------------------------------------
def mistakes(setting: Setting) -> list[nodes.row]:
    """Every mistake, under the function it was made in, with the checks that catch it.

    Mistakes with the same fate share a row: one of each its own would weigh on the page.
    """
    made, last = [], ""
    for (function, checks), changes in _fates(record_of(setting).parts["mutants"]).items():
        if function != last:
            last = function
            made.append(group_row(code(function), 2))
        told = [setting.library.data(check) for check in checks] or [_say(setting, "nobody")]
        made.append(row(_say(setting, "join").join(told), code("; ".join(changes))))
    return made


def _fates(mutants: Mapping[str, list[str]]) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """Function and checks to the changes that they catch, functions in the order of the source."""
    functions = dict.fromkeys(words.partition(": ")[0] for words in mutants)
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in functions:
        for words, checks in mutants.items():
            function, _, change = words.partition(": ")
            if function == name:
                found.setdefault((name, tuple(checks)), []).append(change)
    return found


def by_check(setting: Setting) -> list[nodes.row]:
    """Each outside check with how many mistakes it catches, and how many only it does."""
    caught, alone = _tally(record_of(setting).parts["mutants"])
    return [
        row(
            setting.library.data(name),
            _shown(setting, count, "int"),
            _shown(setting, alone[name], "int"),
        )
        for name, count in sorted(caught.items())
    ]


def _tally(mutants: Mapping[str, list[str]]) -> tuple[Counter[str], Counter[str]]:
    caught: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for checks in mutants.values():
        caught.update(checks)
        if len(checks) == 1:
            alone.update(checks)
    return caught, alone


def frontier(setting: Setting) -> list[nodes.row]:
    """Functions with mistakes that nothing outside catches, and how many of how many."""
    return [
        row(code(name), _shown(setting, left, "int"), _shown(setting, every, "int"))
        for name, left, every in _left(record_of(setting).parts["mutants"])
    ]


def _left(mutants: Mapping[str, list[str]]) -> Iterator[tuple[str, int, int]]:
    every = Counter(words.partition(": ")[0] for words in mutants)
    left = Counter(words.partition(": ")[0] for words, checks in mutants.items() if not checks)
    for name, count in left.items():
        yield name, count, every[name]


REACHED: Final = ("Bound of the call", "Rows", "The middle row", "One in ten", "The best")
KINDS["reality-expectations"] = Kind(REACHED, expectations)
KINDS["reality-machines"] = Kind(("Machine", *REACHED[1:]), machines)
KINDS["reality-roofs"] = Kind(
    ("Calibrated roof", "Operator", "Rows", "Faster", "At most, as a factor"), roofs
)
KINDS["reality-classes"] = Kind(("Class", "Rows", "What it means"), classes)
KINDS["reality-beaten"] = Kind(
    ("Data set, operator, label", "Rows of the class", "Of", "Class", "Evidence"), beaten
)
KINDS["reality-unexplained"] = Kind(("File and line in the wheel",), unexplained)
KINDS["reality-data-sets"] = Kind(
    ("Folder", "Operators", "Rows", "Beat the bound", "Unexplained"), data_sets
)
KINDS["reality-counters"] = Kind(
    ("Operator and sizes", "Ledger", "Theirs", "Ledger less theirs, and why"), counters
)
KINDS["reality-published"] = Kind(
    ("What, unit", "Printed", "Recomputed", "From", "Verdict"), published
)
KINDS["reality-mistakes"] = Kind(("Caught by", "Mistakes"), mistakes)
KINDS["reality-checks"] = Kind(("Check", "Mistakes caught", "By it alone"), by_check)
KINDS["reality-frontier"] = Kind(("Function", "Not caught", "Of"), frontier)
