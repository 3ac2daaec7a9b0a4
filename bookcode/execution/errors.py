"""Errors of the execution package."""

from __future__ import annotations


class ExecutionError(Exception):
    """Root of the errors of this package; a failing cell is a result, not an error."""


class LimitError(ExecutionError):
    """A limit that no run could keep.

    :param name: the field of :class:`~bookcode.execution.Limits`.
    :param value: what it was set to.
    """

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value
        super().__init__(f"limit {name} must be a positive number, not {value!r}")


class ForkError(ExecutionError):
    """This platform cannot fork; cells need an ordinary kernel here."""


class CheckpointError(ExecutionError):
    """The copy of a run that was to go on does not answer: begin at the first cell."""

    def __init__(self) -> None:
        super().__init__("the copy of a run that was to go on does not answer")


class GivenUpError(ExecutionError):
    """The run was ended because nobody wanted it any more."""

    def __init__(self) -> None:
        super().__init__("the run was given up")


class DisplayError(ExecutionError):
    """A cell displayed something that a notebook cannot hold."""


class SeamError(ExecutionError):
    """The part of myst-nb that the execution client replaces is not as expected."""
