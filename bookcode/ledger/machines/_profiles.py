"""Reads ``profiles.toml`` into the table of machines."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.machines._machine import LEVELS, LINKS, MIXES, Machine
from bookcode.ledger.operator import check_row
from bookcode.ledger.tables import DTYPES, TABLES, Table

PROFILES = Path(__file__).with_name("profiles.toml")
PEAKS = {*DTYPES, "vector"}
SPEC_CONDITIONS = "vendor specification; nothing measured"
SHARED = {"bandwidth", "peaks", "links", "levels", "fma", "rates"}


class _Values:
    """Collects a profile's values and the facts they come from."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.facts: dict[str, str] = {}

    def take(self, field: str, entry: Mapping[str, str]) -> Fraction:
        if set(entry) != {"value", "fact"}:
            raise LedgerError(f"{self.where}: {field} needs exactly a value and a fact")
        self.facts[field] = entry["fact"]
        return Fraction(entry["value"])

    def mapping(
        self, field: str, table: Mapping[str, Mapping[str, str]], allowed: set[str]
    ) -> dict[str, Fraction]:
        if unknown := set(table) - allowed:
            raise LedgerError(f"{self.where}: {field} has unknown entries {sorted(unknown)}")
        return {key: self.take(f"{field}.{key}", entry) for key, entry in table.items()}


def _machine(profile: str, data: Mapping[str, Any], roof: str | None, facts: _Values) -> Machine:
    peaks = facts.mapping("peaks", data["peaks"], PEAKS)
    names = {"links": set(LINKS), "levels": set(LEVELS), "fma": PEAKS, "rates": set(LEVELS)}
    optional = {field: facts.mapping(field, data.get(field, {}), names[field]) for field in names}
    chosen = data.get("roofs", {}).get(roof, {})
    calibrated = facts.mapping("peak_factors", chosen.get("peaks", {}), PEAKS)
    mixes = facts.mapping("bandwidth_factors", chosen.get("mixes", {}), set(MIXES))
    spec = not chosen
    return Machine(
        name=profile if roof in (None, data.get("default_roof")) else f"{profile}:{roof}",
        title=data["title"] + (f", {chosen['title']}" if "title" in chosen else ""),
        peaks=peaks,
        bandwidth=facts.take("bandwidth", data["bandwidth"]),
        **optional,
        peak_factors=dict.fromkeys(peaks, Fraction(1)) if spec else calibrated,
        bandwidth_factors=dict.fromkeys(MIXES, Fraction(1)) if spec else mixes,
        conditions=chosen.get("conditions", data.get("conditions", SPEC_CONDITIONS)),
        facts=facts.facts,
        profile=profile,
        roof=roof or "spec",
    )


def _base(profile: str, data: Mapping[str, Any], profiles: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values that a profile shares with the one it names as its base."""
    name = data.get("base", profile)
    if name not in profiles:
        raise UnknownNameError(f"base of machine {profile}", name, profiles)
    return {key: value for key, value in profiles[name].items() if key in SHARED}


def _machines(profiles: Mapping[str, Any]) -> Iterator[Machine]:
    for profile, own in profiles.items():
        data = {**_base(profile, own, profiles), **own}
        for roof in data.get("roofs", {None: None}):
            where = f"{PROFILES.name}: {profile}" + (f" roof {roof}" if roof else "")
            machine = _machine(profile, data, roof, _Values(where))
            check_row(machine)
            yield machine


def find_machine(profile: str, roof: str | None = None) -> Machine:
    """The machine of a profile under a roof; without a roof, ``profile`` is a machine's name.

    Raises:
        UnknownNameError: for a name or a roof that does not exist.
    """
    if roof is None:
        return MACHINES[profile]
    if all(machine.profile != profile for machine in MACHINES.values()):
        MACHINES[profile]  # an unknown name is an error that names the nearest
    roofs = {m.roof: m for m in MACHINES.values() if m.profile == profile}
    if roof not in roofs:
        raise UnknownNameError(f"roof of {profile}", roof, roofs)
    return roofs[roof]


def load_profiles(text: str) -> list[Machine]:
    """The machines of a profile file of one's own, such as ``measure`` writes.

    Raises:
        LedgerError: for a profile with unknown entries or values that are not positive.
    """
    return list(_machines(tomllib.loads(text)))


MACHINES: Table[Machine] = Table("machine", _machines(tomllib.loads(PROFILES.read_text("utf-8"))))
TABLES[Machine] = MACHINES
