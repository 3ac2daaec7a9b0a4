"""What no figure of the book rests on, and a caller may: ends of ranges, names, messages."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bookcode.ledger import DTYPES, MACHINES, ops
from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.machines import find_machine
from bookcode.ledger.protocol import between, orders_above
from bookcode.ledger.stages import sharded_exchange


def test_the_first_tensor_that_does_not_move_is_named() -> None:
    with pytest.raises(LedgerError, match="no traffic of 'Q'"):
        ops.gemm(2, 3, 5).bytes_of("A", "Q", "Z")


def test_at_most_three_near_names_are_offered() -> None:
    error = UnknownNameError("machine", "h10", ["h100", "h101", "h102", "h103"])
    assert str(error).count("'h1") == 1 + 3


def test_a_machine_is_found_by_its_name_or_by_profile_and_roof() -> None:
    assert find_machine("h200:sustained") is MACHINES["h200:sustained"]
    assert find_machine("h200", "sustained") is MACHINES["h200:sustained"]
    tileops = "h200-tileops-0.1.0"
    assert find_machine(tileops, "sustained") is MACHINES[f"{tileops}:sustained"]


def test_a_machine_that_is_not_there_names_what_is() -> None:
    with pytest.raises(UnknownNameError, match="unknown machine 'h2000'; did you mean 'h200'"):
        find_machine("h2000", "sustained")
    with pytest.raises(UnknownNameError, match=r"unknown roof of h200 'sustaned'.*'sustained'"):
        find_machine("h200", "sustaned")


def test_all_experts_may_be_active() -> None:
    assert ops.moe_experts(64, 16, 32, experts=8, active=8).flops > 0
    with pytest.raises(LedgerError, match="9 active experts of 8"):
        ops.moe_experts(64, 16, 32, experts=8, active=9)


def test_both_ends_lie_between() -> None:
    assert between(Fraction(1), Fraction(1), Fraction(2))
    assert between(Fraction(2), Fraction(1), Fraction(2))
    assert not between(Fraction(3), Fraction(1), Fraction(2))


def test_orders_of_magnitude_are_of_the_quotient() -> None:
    assert orders_above(Fraction(10**5), Fraction(10**2)) == 3


@pytest.mark.parametrize(("zero", "rounds"), [("none", 2), ("1", 2), ("2", 2), ("3", 3)])
def test_rounds_of_the_exchange_by_stage(zero: str, rounds: int) -> None:
    sent = sharded_exchange(Fraction(1000), Fraction(4), zero, DTYPES["bf16"]).bytes
    assert sent == rounds * Fraction(3, 4) * 1000 * DTYPES["bf16"].bytes


def test_bytes_of_types_that_no_operator_of_the_book_moves() -> None:
    assert DTYPES["tf32"].bytes == 4  # stored as fp32 is
    assert DTYPES["int4"].bytes == Fraction(1, 2)
