"""Stand-ins for table rows: symbols for a formula, look-ups for a parameter."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bookcode.ledger import DTYPES, LINKS, MACHINES, DType, Machine
from bookcode.ledger.protocol import lookup
from bookcode.numbers.expr import Expr, TraceError, evaluate, variables_of
from bookcode.numbers.stand_ins import FormalMap, FormalRow, TracedMap, TracedRow

H200 = MACHINES["h200"]
FP16 = DTYPES["fp16"]


def machines() -> Machine:
    row: Machine = TracedRow(Machine, MACHINES, "machine")  # type: ignore[assignment]
    return row


def dtypes() -> DType:
    row: DType = TracedRow(DType, DTYPES, "dtype")  # type: ignore[assignment]
    return row


def formal(subscript: str = "") -> tuple[Machine, DType]:
    machine: Machine = FormalRow(Machine, H200)  # type: ignore[assignment]
    dtype: DType = FormalRow(DType, FP16, subscript)  # type: ignore[assignment]
    return machine, dtype


def test_a_formal_field_is_the_symbol_of_its_class() -> None:
    machine, dtype = formal("g")
    size, speed = dtype.bytes, machine.bandwidth
    assert isinstance(size, Expr)
    assert isinstance(speed, Expr)
    assert (size.op, size.args[0], size.args[2], str(size.unit)) == ("symbol", "b_{g}", 2, "B")
    assert (speed.args[0], speed.args[2]) == (r"\beta", H200.bandwidth)
    assert str(speed.unit) == "B/s"


def test_a_formal_mapping_is_one_symbol_with_the_entry_of_the_row() -> None:
    machine, dtype = formal()
    peak = machine.peak(dtype, "tensor")
    vector = machine.peak(dtype, "vector")
    assert (peak.args[0], peak.args[2]) == (r"\pi", H200.peaks["fp16"])
    assert (vector.args[0], vector.args[2]) == (r"\pi_{\mathrm{vector}}", H200.peaks["vector"])
    assert machine.reachable_bandwidth(Fraction(1, 2)).op == "mul"
    assert machine.reachable_bandwidth(Fraction(1, 2)).args[0].args[2] is None


def test_other_attributes_are_those_of_the_row_and_its_class() -> None:
    machine, dtype = formal()
    assert machine.name == "h200"
    assert machine.conditions == H200.conditions
    assert dtype.name == "fp16"
    for row, name in ((machine, "Machine"), (dtype, "DType")):
        with pytest.raises(AttributeError, match=f"{name} has no field 'bandwith'"):
            row.bandwith  # type: ignore[union-attr] # noqa: B018


def test_a_traced_field_is_looked_up_by_the_parameter() -> None:
    size = dtypes().bytes
    assert variables_of(size) == ["dtype"]
    for name, row in DTYPES.items():
        assert evaluate(size, {"dtype": name}) == row.bytes


def test_a_traced_mapping_is_looked_up_by_both() -> None:
    peak = machines().peak(dtypes(), "tensor")
    assert variables_of(peak) == ["machine", "dtype"]
    for machine, row in MACHINES.items():
        for dtype, value in row.peaks.items():
            if dtype in DTYPES:
                assert evaluate(peak, {"machine": machine, "dtype": dtype}) == value
    lacking = next((m, d) for m, row in MACHINES.items() for d in DTYPES if d not in row.peaks)
    with pytest.raises(TraceError, match=f"no entry for {lacking[0]}, {lacking[1]}"):
        evaluate(peak, {"machine": lacking[0], "dtype": lacking[1]})


def test_a_fixed_row_and_a_static_name_pick_a_column() -> None:
    for key, name in ((FP16, "fp16"), ("vector", "vector")):
        column = lookup(machines().peaks, key, "peak of")
        assert variables_of(column) == ["machine"]
        assert evaluate(column, {"machine": "h200"}) == H200.peaks[name]
    link = machines().link(LINKS["nvlink"])
    assert evaluate(link, {"machine": "h200-spec"}) == MACHINES["h200-spec"].links["nvlink"]


def test_a_plain_table_is_looked_up_by_a_traced_row() -> None:
    factor = lookup({"fp16": Fraction(1), "fp8": Fraction(2)}, dtypes(), "factor of")
    assert evaluate(factor, {"dtype": "fp8"}) == 2


def test_the_nearest_access_mix_is_followed() -> None:
    bandwidth = machines().reachable_bandwidth(Fraction(2, 3))
    for name, row in MACHINES.items():
        if row.bandwidth_factors:
            assert evaluate(bandwidth, {"machine": name}) == row.reachable_bandwidth(Fraction(2, 3))


@pytest.mark.parametrize("row", [dtypes(), formal()[1]])
def test_a_choice_is_neither_compared_nor_a_key(row: DType) -> None:
    with pytest.raises(TraceError, match=r"numbers/test_stand_ins.py:\d+ .*use lookup\(\)"):
        {FP16: 1}[row]
    with pytest.raises(TraceError, match=r"cannot be compared; use lookup\(\)"):
        row == FP16  # noqa: B015
    with pytest.raises(TraceError, match=r"cannot be compared; use lookup\(\)"):
        row != FP16  # noqa: B015


def test_a_table_without_a_symbol_has_no_formula() -> None:
    _, dtype = formal()
    with pytest.raises(TraceError, match=r"lookup\(\) on a table that has no symbol"):
        lookup({"fp16": Fraction(1)}, dtype, "factor of")


def test_the_maps_are_of_their_kind() -> None:
    assert isinstance(formal()[0].peaks, FormalMap)
    assert isinstance(machines().peaks, TracedMap)
