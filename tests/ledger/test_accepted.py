"""What every ledger function gives, as somebody last said that it is right.

Each function is called with every combination of its variants and switches, at sizes that differ
from each other. A change of any term shows here, also in functions that no page uses yet. After a
change that is meant: ``BOOKCODE_ACCEPT=1 pytest tests/ledger/test_accepted.py``, and review the
difference of ``accepted.json``.
"""

from __future__ import annotations

import inspect
import itertools
import json
import os
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pytest

from bookcode.ledger import (
    DTYPES,
    LINKS,
    MACHINES,
    MODELS,
    Cost,
    Timed,
    latent_layers,
    layers,
    memory,
    ops,
    roofline,
    stages,
    tiling,
)
from bookcode.ledger.errors import LedgerError
from bookcode.ledger.latent_models import LATENT_MODELS
from bookcode.ledger.machines import Link, Machine
from bookcode.ledger.operator import arguments

ACCEPTED = Path(__file__).with_name("accepted.json")
MOST = 16
"""With more combinations of variants than this, two are changed at a time."""
SIZES = {
    "heads": 24, "kv_heads": 6, "head_dim": 40, "m": 96, "n": 160, "k": 224, "seq": 96, "keys": 288,
    "group": 32, "groups": 4, "tokens": 36, "hidden": 112, "experts": 20, "active": 5, "ffn": 72,
    "latent": 44, "rope_dim": 12, "nope_dim": 28, "value_dim": 52, "vocab": 208, "rows": 60,
    "columns": 84, "ranks": 8, "elements": 1320, "parameters": 2310, "window": 33, "page": 16,
    "query_block": 24, "batch": 3, "queries": 2, "tile_m": 32, "tile_n": 48, "processors": 7,
    "operations": 3, "prompt": 30, "answer": 9,
}  # fmt: skip
ROWS: dict[type, Any] = {Machine: MACHINES["h200"], Link: LINKS["nvlink"]}
MODULES = (ops, tiling, layers, latent_layers, memory, stages, roofline)


def functions() -> dict[str, Callable[..., Any]]:
    """Every ledger function, by name."""
    found = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if getattr(value, "__ledger_function__", False):
                found[f"{value.__module__.removeprefix('bookcode.ledger.')}.{name}"] = value
    return dict(sorted(found.items()))


def options(function: Callable[..., Any], name: str) -> list[Any]:
    """What an argument may be; its default comes first."""
    parameter = inspect.signature(function).parameters[name]
    argument = arguments(function)[name]
    required = parameter.default is inspect.Parameter.empty
    hint = typing.get_type_hints(inspect.unwrap(function)).get(name)
    if argument.symbol is not None:
        size = SIZES.get(name, 10 + 2 * sum(map(ord, name)) % 89)
        return [size] if required else [parameter.default, size]
    if argument.row is not None:
        chosen = _row(function, argument.row)
        return [chosen] if required else [parameter.default, chosen]
    if isinstance(parameter.default, bool):
        return [parameter.default, not parameter.default]
    if hint is Cost:
        return [ops.gemm(96, 160, 224)]
    literals = [o for o in _literals(hint) if o != parameter.default]
    return literals if required else [parameter.default, *literals]


def _row(function: Callable[..., Any], row: type) -> Any:
    if row in ROWS:
        return ROWS[row]
    table = {"DType": DTYPES, "Model": MODELS, "LatentModel": LATENT_MODELS}[row.__name__]
    return table["fp32"] if row.__name__ == "DType" else next(iter(table.values()))


def _literals(hint: Any) -> list[Any]:
    if typing.get_origin(hint) is Literal:
        return list(typing.get_args(hint))
    return [value for part in typing.get_args(hint) for value in _literals(part)]


def calls(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The arguments of every call."""
    choices = {name: options(function, name) for name in inspect.signature(function).parameters}
    choices = {name: values for name, values in choices.items() if values}
    every = list(itertools.islice(itertools.product(*choices.values()), MOST + 1))
    if len(every) <= MOST:
        yield from (dict(zip(choices, values, strict=True)) for values in every)
        return
    first = {name: values[0] for name, values in choices.items()}
    changes = [{}] + [{name: v} for name, values in choices.items() for v in values[1:]]
    for one, other in itertools.combinations_with_replacement(changes, 2):
        if one is other or set(one).isdisjoint(other):
            yield first | one | other


def described(value: Any) -> Any:
    """A result as JSON data; numbers exactly."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): described(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [described(inner) for inner in value]
    if isinstance(value, Cost):
        moved = [f"{t.tensor} {t.direction} {t.channel} {t.bytes}" for t in value.traffic]
        done = [f"{w.what} {w.flops}" for w in value.work]
        return "; ".join([value.pipe, *moved, *done])
    if isinstance(value, Timed):
        times = _properties(value)
        shown = [times[name] for name in ("bound", "expected", "bound_regime", "regime")]
        return f"{described(value.cost)} | {' '.join(map(str, shown))}"
    if isinstance(value, Machine | Link) or (hasattr(value, "name") and hasattr(value, "facts")):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        own = {f.name: getattr(value, f.name) for f in fields(value)}
        return {name: described(inner) for name, inner in (own | _properties(value)).items()}
    return value if isinstance(value, str | int | bool | None) else repr(value)


def _properties(value: Any) -> dict[str, Any]:
    found = {}
    for name, member in inspect.getmembers(type(value)):
        if isinstance(member, property | cached_property) and not name.startswith("_"):
            found[name] = _tried(getattr, value, name)
    return found


def _tried(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    try:
        return call(*given, **named)
    except LedgerError as error:
        return f"{type(error).__name__}: {error}"


def _written(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={getattr(value, 'name', value)}" for name, value in given.items())


def of_function(name: str) -> dict[str, Any]:
    function = functions()[name]
    return {_written(given): described(_tried(function, **given)) for given in calls(function)}


def of_models() -> dict[str, Any]:
    tables: dict[str, Any] = {**MODELS, **LATENT_MODELS}
    shown: dict[str, Any] = {}
    for name, model in tables.items():
        own = {f.name: getattr(model, f.name) for f in fields(model)} | _properties(model)
        shown[name] = {key: described(value) for key, value in own.items()}
    return shown


def of_machine(machine: Machine) -> dict[str, Any]:
    row = {}
    for what in ("peak", "reachable_peak", "balance", "reachable_balance", "shared_balance"):
        for dtype, pipe in itertools.product(("fp16", "fp8"), ("tensor", "vector")):
            row[f"{what} {dtype} {pipe}"] = _tried(getattr(machine, what), DTYPES[dtype], pipe)
    for share in ("0", "1/4", "1/3", "7/12", "3/5", "5/6", "9/10", "1"):
        row[f"bandwidth {share}"] = _tried(machine.reachable_bandwidth, Fraction(share))
    for level in machine.levels:
        row[f"capacity {level}"] = _tried(machine.capacity, level)
    for link in LINKS.values():
        row[f"link {link.name}"] = _tried(machine.link, link)
    return {name: described(value) for name, value in row.items()}


def of_machines() -> dict[str, Any]:
    return {name: of_machine(machine) for name, machine in MACHINES.items()}


def everything() -> dict[str, Any]:
    found = {name: of_function(name) for name in functions()}
    return {"functions": found, "models": of_models(), "machines": of_machines()}


ACCEPTING = bool(os.environ.get("BOOKCODE_ACCEPT"))
KNOWN: dict[str, Any] = {} if ACCEPTING else json.loads(ACCEPTED.read_text("utf-8"))


def test_everything_that_was_accepted_is_there() -> None:
    if ACCEPTING:
        text = json.dumps(everything(), indent=0, sort_keys=True, ensure_ascii=False)
        ACCEPTED.write_text(text + "\n", "utf-8")
        pytest.fail("accepted: review the difference, and run again without BOOKCODE_ACCEPT")
    assert list(KNOWN["functions"]) == list(functions())
    assert len(KNOWN["functions"]) > 40


@pytest.mark.parametrize("name", KNOWN.get("functions", {}))
def test_a_function_gives_what_was_accepted(name: str) -> None:
    assert of_function(name) == KNOWN["functions"][name]


@pytest.mark.skipif(ACCEPTING, reason="they are being accepted")
def test_models_and_machines_are_as_accepted() -> None:
    assert of_models() == KNOWN["models"]
    assert of_machines() == KNOWN["machines"]
