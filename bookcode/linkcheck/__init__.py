"""Checks the links that leave the site, and tells a dead one from a guarded or a busy one."""

from __future__ import annotations

from .judge import Judgement, Verdict, judge
from .records import Answer, Link, LinkcheckError, read_report
from .rules import HostRule, Rules, RulesError

__all__ = [
    "Answer",
    "HostRule",
    "Judgement",
    "Link",
    "LinkcheckError",
    "Rules",
    "RulesError",
    "Verdict",
    "judge",
    "read_report",
]
