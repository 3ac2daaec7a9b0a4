"""``machines``: the profiles that the facts support, or every value of one with its fact."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import click

from bookcode.commands._options import clear_errors, dtype_of, machine_of, options
from bookcode.commands._report import Cell, Column, Report, known, show
from bookcode.ledger import LEVELS, LINKS, MACHINES, DType, Machine
from bookcode.numbers.formats import format_value, plain_text

UNITS = {
    "peaks": "FLOP/s",
    "bandwidth": "B/s",
    "links": "B/s",
    "levels": "B",
    "fma": "1",
    "rates": "B",
    "peak_factors": "1",
    "bandwidth_factors": "1",
}
MEANINGS = {
    "peaks": "peak, dense",
    "bandwidth": "bandwidth of the main memory",
    "links": "one way, per rank",
    "levels": "capacity",
    "fma": "multiply-adds per cycle and SM",
    "rates": "per cycle and SM",
    "peak_factors": "reachable share of the peak",
    "bandwidth_factors": "reachable share of the bandwidth",
}


@click.command("machines")
@click.argument("names", nargs=-1)
@options("roof")
@click.option("--dtype", default="fp16", show_default=True, help="Type whose peak is shown.")
@options("json")
@clear_errors
def machines_command(names: tuple[str, ...], roof: str | None, dtype: str, as_json: bool) -> None:
    """All machine profiles; with NAMES, every value of these and the fact it comes from."""
    kind = dtype_of(dtype)
    if names:
        show([_values(machine_of(name, roof)) for name in names], as_json=as_json)
        return
    show([_overview(kind), _links()], as_json=as_json)


def _overview(dtype: DType) -> Report:
    rows: list[dict[str, Cell]] = [
        {
            "machine": machine.name,
            "roof": machine.roof,
            "peak": known(machine.peak, dtype, "tensor"),
            "bandwidth": machine.bandwidth,
            "balance": known(machine.balance, dtype),
            "reached": known(machine.reachable_balance, dtype),
            "vector": known(machine.balance, dtype, "vector"),
            "shared": known(machine.shared_balance, dtype),
            "capacity": known(machine.capacity, "hbm"),
        }
        for machine in MACHINES.values()
    ]
    conditions = [f"{machine.name}: {machine.conditions}" for machine in MACHINES.values()]
    return Report(
        name="machines",
        title=f"Machines, {dtype.name} on the tensor cores",
        columns=[
            Column("machine", "machine"),
            Column("roof", "roof"),
            Column("peak", "peak", "FLOP/s", "sig4"),
            Column("bandwidth", "bandwidth", "B/s", "sig4"),
            Column("balance", "balance", "FLOP/B", "fix1"),
            Column("reached", "under the roof", "FLOP/B", "fix1"),
            Column("vector", "CUDA cores", "FLOP/B", "fix1"),
            Column("shared", "shared memory", "FLOP/B", "fix1"),
            Column("capacity", "memory", "B", "sig4"),
        ],
        rows=rows,
        notes=conditions,
    )


def _links() -> Report:
    rows: list[dict[str, Cell]] = [
        {
            "link": link.name,
            "connects": link.topology,
            **{m.name: known(m.link, link) for m in _profiles()},
        }
        for link in LINKS.values()
    ]
    return Report(
        name="links",
        title="Links, one way, per rank",
        columns=[
            Column("link", "link"),
            Column("connects", "connects"),
            *(Column(machine.name, machine.name, "B/s", "sig3") for machine in _profiles()),
        ],
        rows=rows,
    )


def _profiles() -> list[Machine]:
    """One machine of each set of links."""
    distinct: dict[tuple[tuple[str, Fraction], ...], Machine] = {}
    for machine in MACHINES.values():
        distinct.setdefault(tuple(sorted(machine.links.items())), machine)
    return list(distinct.values())


def _values(machine: Machine) -> Report:
    rows: list[dict[str, Cell]] = []
    for field, unit in UNITS.items():
        value = getattr(machine, field)
        entries = value if isinstance(value, Mapping) else {"": value}
        for entry, number in entries.items():
            key = f"{field}.{entry}" if entry else field
            what = f"{LEVELS.get(entry, entry)} ({MEANINGS[field]})" if entry else MEANINGS[field]
            fact = machine.facts.get(key, "1 by definition")
            shown = _number(number, unit)
            rows.append({"field": key, "what": what, "value": number, "shown": shown, "fact": fact})
    return Report(
        name=machine.name,
        title=f"{machine.title} (roof {machine.roof})",
        columns=[
            Column("field", "field"),
            Column("what", "what"),
            Column("shown", "value"),
            Column("fact", "fact"),
        ],
        rows=rows,
        notes=[machine.conditions],
    )


def _number(value: Fraction, unit: str) -> str:
    return plain_text(format_value(value, unit, "sig4" if unit != "1" else "plain"))
