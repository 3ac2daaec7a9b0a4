"""Machine profiles: what a machine can do on paper, and what a calibration reached of it.

A profile holds vendor-spec peaks, bandwidth and links, and one or more *roofs*: calibration factors
with their conditions. A :class:`Machine` is a profile seen under one of its roofs. Every value
names the fact it was taken from (``references/facts.toml``); ``verify`` compares the two.
"""

from bookcode.ledger.machines._machine import LEVELS, LINKS, Link, Machine
from bookcode.ledger.machines._profiles import MACHINES, find_machine, load_profiles

__all__ = ["LEVELS", "LINKS", "MACHINES", "Link", "Machine", "find_machine", "load_profiles"]
