"""What a calibration leaves behind: a profile that the ledger can load, and a record.

The record holds everything that was measured with its conditions. The page on measured times reads
it when a reader drops it there: that page trusts none of it, and checks every field again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from bookcode.numbers.files import write_atomic
from bookcode.reality.calibrate import Calibration, machine
from bookcode.reality.errors import MeasureError
from bookcode.reality.utilization import Tried

KIND: Final = "bookcode measurement"
FORMAT: Final = 1


def profile_text(found: Calibration, name: str) -> str:
    """The machine as a profile in the ledger's own format; its facts name the record beside it."""
    made, fact = machine(found, name), f"measured.{name}"
    lines = [f"# Measured on this machine; the record is {record_file(name)}.", "", f"[{name}]"]
    lines += [f"title = {json.dumps(found.device)}", 'default_roof = "measured"']
    lines += [f"bandwidth = {_entry(made.bandwidth, fact)}", "", f"[{name}.peaks]"]
    lines += [f"{dtype} = {_entry(value, fact)}" for dtype, value in made.peaks.items()]
    lines += ["", f"[{name}.roofs.measured]", 'title = "median of the repetitions"']
    lines += [f"conditions = {json.dumps(made.conditions)}", "", f"[{name}.roofs.measured.peaks]"]
    lines += [f"{dtype} = {_entry(value, fact)}" for dtype, value in made.peak_factors.items()]
    lines += ["", f"[{name}.roofs.measured.mixes]"]
    lines += [f"{mix} = {_entry(value, fact)}" for mix, value in made.bandwidth_factors.items()]
    return "\n".join(lines) + "\n"


def _entry(value: Any, fact: str) -> str:
    exact = Fraction(value)
    shown = str(exact.numerator) if exact.denominator == 1 else f"{float(exact):.4f}"
    return f'{{ value = "{shown}", fact = "{fact}" }}'


def record_file(name: str) -> str:
    """The name of the record beside a profile."""
    return f"{name}.record.json"


def record(found: Calibration, name: str, tried: Sequence[Tried] = ()) -> dict[str, Any]:
    """Everything that was measured, with its conditions, and a summary in words.

    ``roofs`` are the best repetitions, against which a utilization is formed; ``operators`` are
    those of ``tried``, each with what the ledger counts and what was measured.
    """
    made = machine(found, name)
    rates = [
        {
            "what": rate.what,
            "unit": rate.unit,
            "best": rate.best,
            "median": rate.median,
            "spread": round(rate.spread, 4),
            "repetitions": len(rate.rates),
            "rates": list(rate.rates),
        }
        for rate in found.rates
    ]
    summary = [f"{found.device}, {found.conditions['threads']} threads"]
    summary += [
        f"{rate.what}: {rate.median / 1e9:.2f} G{rate.unit} in the middle, {rate.best / 1e9:.2f}"
        f" at best, spread {rate.spread:.0%} of {len(rate.rates)}"
        for rate in found.rates
    ]
    summary += [f"not steady: {warning}" for warning in found.warnings]
    return {
        "kind": KIND,
        "format": FORMAT,
        "name": name,
        "when": found.when,
        "device": found.device,
        "conditions": found.conditions,
        "steady": not found.disturbed,
        "warnings": found.warnings,
        "roofs": {
            "bandwidth": float(made.bandwidth),
            "peaks": {dtype: rate.best for dtype, rate in found.peaks.items()},
        },
        "operators": [asdict(one) for one in tried],
        "rates": rates,
        "summary": summary,
    }


def paths_of(folder: Path, name: str, *, force: bool = False) -> tuple[Path, Path]:
    """Where profile and record go.

    Raises:
        MeasureError: when one of them is there already and ``force`` is not given, or when the
            name is not a plain one.
    """
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise MeasureError(f"{name!r} is no name for a profile: letters, digits, - and _ only")
    paths = folder / f"{name}.toml", folder / record_file(name)
    if not force and (there := [path for path in paths if path.exists()]):
        raise MeasureError(f"{there[0]} is there already; overwrite it with --force")
    return paths


def write_profile(
    found: Calibration,
    folder: Path,
    name: str,
    tried: Sequence[Tried] = (),
    *,
    force: bool = False,
) -> tuple[Path, Path]:
    """Write profile and record into ``folder``.

    Raises:
        MeasureError: when one of them is there already and ``force`` is not given, when the name
            is not a plain one, or when the folder cannot be written.
    """
    paths = paths_of(folder, name, force=force)
    try:
        write_atomic(paths[0], profile_text(found, name))
        write_atomic(paths[1], json.dumps(record(found, name, tried), indent=1) + "\n")
    except OSError as error:
        raise MeasureError(f"{folder}: {error.strerror}") from None
    return paths
