"""What a message says of the names there are."""

from __future__ import annotations

import pytest

from bookcode.numbers.errors import MANY, did_you_mean

FAMILIES = [f"{family}.{number}" for family in ("gemm", "norm") for number in range(MANY)]
PLAIN = [f"key-{chr(ord('a') + number)}" for number in range(MANY + 5)]


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("gem.3", FAMILIES, "; did you mean gemm.3"),
        ("x", [], "; there is none at all"),
        ("x", ["norm", "Gemm"], "; known: Gemm, norm"),
        ("x", FAMILIES[:MANY], f"; known: {', '.join(sorted(FAMILIES[:MANY]))}"),
        ("x", [*FAMILIES, "total"], "; known: gemm…, norm…, total"),
        ("x", PLAIN, f"; known: {', '.join(PLAIN[:MANY])} and 5 others"),
        ("x", [f"sig{number}" for number in range(10, 40)] + ["int"], "; known: int, sig…"),
        ("x", [f"{key}.a" for key in PLAIN], ".a and 5 others"),
    ],
)
def test_as_many_names_as_somebody_reads(name: str, known: list[str], said: str) -> None:
    assert said in did_you_mean(name, known)
