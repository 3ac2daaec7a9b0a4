"""The errors of the lab."""

from __future__ import annotations


class LabError(Exception):
    """A record that cannot be read or lacks a result, or experiments that cannot run."""
