"""Values are read exactly, from inside the cited lines only, and only when they are unique."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.sources import Citation, Evidence, Fact, Kind
from bookcode.sources.errors import ExtractionError
from bookcode.sources.extract import missing_anchors, plain, read_path, read_value
from bookcode.sources.model import Location

AT = Location(Path("facts.toml"), 1)
YAML = """\
gpu: X
hbm:
  theoretical: 4800e9   # bytes/s, spec sheet
  mixes: {copy: 0.8183, read: 0.9380}
core:
  peak: 67.0e12
list: [1, 2]
"""
JSON = '{\n  "hidden": 4096,\n  "rope": {\n    "factor": 8.0\n  }\n}\n'
TOML = '[hbm]\npeak = 4800e9\n\n[hbm.mix]\ncopy = 0.8183\nname = "12.5"\nflag = true\n'
CODE = """\
SPECS = {
    # tops are *with sparsity*
    "fp16": 1979.0,
    "bf16": 1979.0,
    "fp32": 67,
    "sparsity": 2,
    "size": 232_448,
    "listed": "4,096",
}
"""

FP16 = r'"fp16": ([\d.]+)'
FP32 = r'"fp32": (\d+)'


def fact(value: str = "1", **fields: Any) -> Fact:
    return Fact(
        key="a.b",
        at=AT,
        value=Decimal(value),
        unit="1",
        citation="C",
        kind=Kind.VENDOR_SPECIFICATION,
        **fields,
    )


def citation(path: str = "a/x.py") -> Citation:
    return Citation(id="C", at=AT, claim="c", evidence=Evidence.PINNED, path=path)


def read(
    text: str, lines: tuple[int, int] = (1, 99), path: str = "a/x.py", **fields: Any
) -> Fraction:
    return read_value(fact(**fields), citation(path), text, lines)


@pytest.mark.parametrize(
    ("member", "text", "path", "expected"),
    [
        ("h.yaml", YAML, "hbm.theoretical", "4800e9"),
        ("h.yml", YAML, "hbm.mixes.copy", "0.8183"),
        ("h.yaml", YAML, "core.peak", "67.0e12"),
        ("c.json", JSON, "hidden", "4096"),
        ("c.json", JSON, "rope.factor", "8.0"),
        ("p.toml", TOML, "hbm.peak", "4800e9"),
        ("p.toml", TOML, "hbm.mix.copy", "0.8183"),
        ("p.toml", TOML, "hbm.mix.name", "12.5"),
    ],
)
def test_paths_give_exact_values(member: str, text: str, path: str, expected: str) -> None:
    value = read_value(fact(path=path), citation(member), text, (1, 99))
    assert value == Fraction(Decimal(expected))


@pytest.mark.parametrize(
    ("member", "text", "path", "message"),
    [
        ("h.yaml", YAML, "hbm.theoretic", r"no key 'theoretic' in hbm \(nearest: theoretical\)"),
        ("h.yaml", YAML, "hbm", "not a single value"),
        ("h.yaml", YAML, "list", "not a single value"),
        ("h.yaml", YAML, "gpu.x", "'gpu' has no keys"),
        ("h.yaml", YAML, "gpu", "'X' is not a number"),
        ("h.yaml", "a: 1\na: 2\n", "a", "given 2 times"),
        ("h.yaml", "a: [", "a", "not YAML"),
        ("h.yaml", "", "a", "the document"),
        ("p.toml", TOML, "hbm.mix.copied", r"no key 'copied' .*\(nearest: copy\)"),
        ("p.toml", TOML, "hbm.mix", "not a single value"),
        ("p.toml", TOML, "hbm.mix.flag", "not a single value"),
        ("p.toml", "a = ", "a", "not TOML"),
        ("x.py", CODE, "a", "is not YAML, JSON or TOML"),
    ],
)
def test_bad_paths_say_why(member: str, text: str, path: str, message: str) -> None:
    with pytest.raises(ExtractionError, match=message):
        read_value(fact(path=path), citation(member), text, (1, 99))


@pytest.mark.parametrize(
    ("member", "text", "path", "line"),
    [
        ("h.yaml", YAML, "hbm.mixes.read", 4),
        ("c.json", JSON, "rope.factor", 4),
        ("p.toml", TOML, "hbm.mix.copy", 5),
    ],
)
def test_a_value_outside_the_cited_lines_does_not_count(
    member: str, text: str, path: str, line: int
) -> None:
    assert read_path(path, member, text, (line, line))
    for lines in ((1, line - 1), (line + 1, 99)):
        with pytest.raises(ExtractionError, match=f"stands at line {line}, outside the cited"):
            read_path(path, member, text, lines)


def test_patterns_are_scaled_and_made_dense() -> None:
    pattern = r'"fp16": ([\d.]+)'
    assert read(CODE, pattern=pattern) == 1979
    assert read(CODE, pattern=pattern, scale=Decimal("1e12")) == 1979 * 10**12
    dense = Fraction(Decimal("989.5e12"))
    assert read(CODE, pattern=pattern, scale=Decimal("1e12"), sparsity=Decimal(2)) == dense
    by_pattern = {"scale": Decimal("1e12"), "sparsity_pattern": r'"sparsity": (\d+)'}
    assert read(CODE, pattern=pattern, **by_pattern) == dense


def test_digit_separators_are_understood() -> None:
    assert read(CODE, pattern=r'"size": ([\d_]+)') == 232448
    assert read(CODE, pattern=r'"listed": "([\d,]+)"') == 4096


@pytest.mark.parametrize(
    ("fields", "message", "ambiguous"),
    [
        ({"pattern": r"fp64: (\d)"}, "does not match", False),
        ({"pattern": r'16": ([\d.]+)'}, "matches 2 times", True),
        ({"pattern": r'"(fp16)"'}, "'fp16' is not a number", False),
        (
            {"pattern": r'"fp32": (\d+)', "sparsity_pattern": "(zero)"},
            "the sparsity pattern",
            False,
        ),
        (
            {"pattern": r'"fp32": (\d+)', "conditions_pattern": "dense"},
            "value 67 found, but not",
            False,
        ),
        ({}, "no way to read the value", False),
    ],
)
def test_bad_patterns_say_why(fields: dict[str, Any], message: str, ambiguous: bool) -> None:
    with pytest.raises(ExtractionError, match=message) as caught:
        read(CODE, **fields)
    assert caught.value.ambiguous is ambiguous


def test_a_sparsity_factor_of_zero_is_refused() -> None:
    with pytest.raises(ExtractionError, match="the sparsity factor is '0'"):
        read("a 4\nb 0\n", pattern=r"a (\d)", sparsity_pattern=r"b (\d)")


def test_patterns_look_only_into_the_cited_lines() -> None:
    pattern = r'16": ([\d.]+)'
    assert read(CODE, (3, 3), pattern=pattern) == 1979
    with pytest.raises(ExtractionError, match="does not match"):
        read(CODE, (5, 6), pattern=pattern)


def test_conditions_must_stand_in_the_cited_lines() -> None:
    fields = {"pattern": r'"fp16": ([\d.]+)', "conditions_pattern": r"\*with sparsity\*"}
    assert read(CODE, (2, 3), **fields) == 1979
    with pytest.raises(ExtractionError, match="not its conditions"):
        read(CODE, (3, 3), **fields)


def test_line_ends_are_those_of_each_line() -> None:
    assert read("x = 1\ny = 2\n", pattern=r"^y = (\d)$") == 2
    assert list(missing_anchors(("^y", "1$", "^z"), "x = 1\ny = 2")) == ["^z"]


KINDS: list[tuple[str, str, dict[str, Any], str]] = [
    ("h.yaml", YAML, {"path": "hbm.theoretical"}, "theoretical: 4800e9"),
    ("h.yaml", YAML, {"path": "hbm.mixes.read"}, "read: 0.9380"),
    ("c.json", JSON, {"path": "hidden"}, '"hidden": 4096'),
    ("p.toml", TOML, {"path": "hbm.mix.copy"}, "copy = 0.8183"),
    ("x.py", CODE, {"pattern": FP16, "scale": Decimal("1e12")}, '"fp16": 1979.0'),
    ("x.py", CODE, {"pattern": FP16, "sparsity_pattern": r'"sparsity": (\d)'}, '"sparsity": 2'),
    ("x.py", CODE, {"pattern": r'"size": ([\d_]+)', "sparsity": Decimal(2)}, '"size": 232_448'),
]


@pytest.mark.parametrize(("member", "text", "fields", "raw"), KINDS)
def test_every_changed_digit_of_a_value_is_noticed(
    member: str, text: str, fields: dict[str, Any], raw: str
) -> None:
    before = read_value(fact(**fields), citation(member), text, (1, 99))
    start = text.index(raw) + raw.index(raw.split()[-1])
    digits = [i for i in range(start, text.index(raw) + len(raw)) if text[i].isdigit()]
    assert digits
    for index in digits:
        changed = f"{text[:index]}{(int(text[index]) + 1) % 10}{text[index + 1 :]}"
        assert read_value(fact(**fields), citation(member), changed, (1, 99)) != before


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, max_value=10**15, min_value=0))
def test_a_plain_value_reads_back_the_same(number: Decimal) -> None:
    assert Fraction(Decimal(plain(Fraction(number)))) == Fraction(number)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("989.5e12", "989.5e12"),
        ("0.7370", "0.737"),
        ("4800e9", "4.8e12"),
        ("450e9", "450e9"),
        ("2e-6", "0.000002"),
        ("8192", "8192"),
        ("0", "0"),
    ],
)
def test_plain_values(value: str, text: str) -> None:
    assert plain(Fraction(Decimal(value))) == text


def test_a_value_without_a_decimal_is_shown_as_a_fraction() -> None:
    assert plain(Fraction(1, 3)) == "1/3"


@given(value=st.integers(0, 10**18), scale=st.integers(-12, 15), divisor=st.integers(1, 16))
def test_scaling_is_exact(value: int, scale: int, divisor: int) -> None:
    found = read(
        f"v = {value};",
        pattern=r"v = (\d+);",
        scale=Decimal(f"1e{scale}"),
        sparsity=Decimal(divisor),
    )
    assert found == Fraction(value) * Fraction(10) ** scale / divisor
