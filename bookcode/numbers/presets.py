"""Presets: named settings of a chapter's parameters that a reader can pick at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bookcode.numbers.errors import did_you_mean
from bookcode.numbers.parameters import Choice, Parameter, ParameterError


def checked_preset(
    title: str, values: Mapping[str, Any], parameters: Mapping[str, Parameter]
) -> dict[str, int | str]:
    """The values of a preset, each one that a reader could set by hand.

    Raises:
        ParameterError: without values, for a parameter or an option that does not exist, and for a
            quantity outside its range or between its steps.
    """
    if not values:
        raise ParameterError(f"preset {title!r} sets no parameter")
    checked: dict[str, int | str] = {}
    for name, value in values.items():
        if name not in parameters:
            raise ParameterError(
                f"preset {title!r}: no parameter {name!r}{did_you_mean(name, parameters)}"
            )
        _check_value(title, parameters[name], value)
        checked[name] = value
    return checked


def _check_value(title: str, parameter: Parameter, value: Any) -> None:
    where = f"preset {title!r}: {parameter.name} = {value!r}"
    if isinstance(parameter, Choice):
        if value not in parameter.rows:
            raise ParameterError(
                f"{where}: no such option{did_you_mean(str(value), parameter.rows)}"
            )
        return
    low, high, step = parameter.minimum, parameter.maximum, parameter.step
    fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    if not fits or (value - low) % step:
        raise ParameterError(f"{where}: must be a whole number from {low} to {high}, step {step}")
