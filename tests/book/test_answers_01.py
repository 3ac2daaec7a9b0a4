"""Every number of the exercises and questions on the roofline, worked out again by hand.

The cells are run; what they publish is compared with plain arithmetic on figures of the data
sheets, written down here a second time. Nothing of the ledger is used for it. Numbers that follow a
draw are worked out at other values of their parameters too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.book import Book
from bookcode.numbers.expr import evaluate
from bookcode.numbers.records import ClaimRecord, NumberRecord

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "book" / "01-roofline"
CELL = re.compile(r"^```\{code-cell\} python\n(?::tags:[^\n]*\n)?(.*?)^```$", re.DOTALL | re.M)

PEAK = {
    "a100": 312e12,
    "h100": 989.5e12,
    "h200-spec": 989.5e12,
    "mi300x": 1307.4e12,
    "b200": 2250e12,
}
MEMORY = {"a100": 2039e9, "h100": 3350e9, "h200-spec": 4800e9, "mi300x": 5300e9, "b200": 8000e9}
H200 = {"peak": 989.5e12, "memory": 4800e9, "reached": 0.737 * 989.5e12, "reads": 0.938 * 4800e9}
LAUNCH = 2e-6
KIB = 1024


def gemm_time(m: float, n: float, k: float) -> float:
    return max(2 * m * n * k / 989.5e12, 2 * (m * k + k * n + m * n) / 4800e9)


def edge(machine: str) -> float:
    """N with 2 N^3 / (3 * 2 N^2) = balance."""
    return 3 * PEAK[machine] / MEMORY[machine]


def ridge_rows(n: float, machine: str) -> float:
    """M with 2 M N^2 / (2 (2 M N + N^2)) = balance."""
    rho = PEAK[machine] / MEMORY[machine]
    return rho * n / (n - 2 * rho)


def tiles(side: float) -> float:
    return math.ceil(side / 128) * math.ceil(side / 256)


FIXED: dict[str, float] = {
    "x1.edge": 8192,
    "x1.batch.rows": 64,
    "x1.large.rows": 512,
    "x1.larger.rows": 1024,
    "x1.one.bound": gemm_time(1, 8192, 8192),
    "x1.batch.bound": gemm_time(64, 8192, 8192),
    "x1.large.bound": gemm_time(512, 8192, 8192),
    "x1.larger.bound": gemm_time(1024, 8192, 8192),
    "x1.balance": 989.5 / 4.8,
    "x2.edge": 4096,
    "x2.expected": 2 * 4096**3 / H200["reached"],
    "x2.bound": 2 * 4096**3 / 989.5e12,
    "x2.wrong-share": 2 * 4096**3 / H200["reached"] / 172.07892735799152e-6,
    "x2.share": 2 * 4096**3 / 989.5e12 / 172.07892735799152e-6,
    "x4.break-even": 2e-6 * 4800e9 / 6,
    "x4.break-even-bytes": 9.6e6,
    "x5.depth": 64,
    "x5.peak": 989.5e12,
    "x5.shared": 227 * KIB,
    "x5.registers": 256 * KIB,
    "x7.rows": 128,
    "x7.columns": 256,
    "x7.sms": 132,
    "x8.edge": 4096,
    "x8.rows": 128,
    "x8.columns": 128,
    "x8.whole": 3 * 4096**2 * 2,
    "x8.tiled": (32 + 32 + 1) * 4096**2 * 2,
    "x8.ratio": 65 / 3,
    "x9.rows": 8192,
    "x9.columns": 4096,
    "x9.decode.read-share": (2 * 32 * 128 * 32768 + 32 * 128)
    / (2 * 32 * 128 * 32768 + 2 * 32 * 128),
    "x9.h200.expected": 2 * 2 * 8192 * 4096 / H200["reads"],
    "x9.tileops.expected": 2 * 2 * 8192 * 4096 / (0.8183 * 4800e9),
    "x9.difference": 0.938 / 0.8183 - 1,
    "x9.bound": 2 * 2 * 8192 * 4096 / 4800e9,
    "x10.edge": 640,
    "x10.step": 64,
    "x10.a100.edge": edge("a100"),
    "x10.h200.edge": edge("h200-spec"),
    "x10.h100.edge": edge("h100"),
    "x10.a100.next": 512,
    "x10.h200.next": 640,
    "x10.h100.next": 896,
    "x11.side.least": 64,
    "x11.side.most": 384,
    "x11.depth": 64,
    "x11.rows": 192,
    "x11.columns": 320,
    "x11.fp16.intensity": 192 * 320 / (192 + 320),
    "x11.fp8.intensity": 2 * 192 * 320 / (192 + 320),
    "x11.fp16.stages": 227 * KIB // ((192 + 320) * 64 * 2),
    "x11.fp8.stages": 227 * KIB // ((192 + 320) * 64),
    "x11.fp16.required": 989.5e12 / 120,
    "x11.fp8.required": 1979e12 / 240,
    "x12.least.bytes": 8 * 2**14,
    "x12.most.bytes": 8 * 2**25,
    "x12.moved": 16 * 2**25,
    "t2.edge": 4096,
    "t2.weights": 2 * 4096**2,
    "t3.bytes": 600_000,
    "t3.bound": 600_000 / 4800e9,
    "t5.shared": 227 * KIB,
    "t5.registers": 256 * KIB,
    "t5.stages": 2 * (2 * 2 * 989.5 / 4.8) * 64 * 2,
    "t5.sums": 4 * (2 * 989.5 / 4.8) ** 2,
    "t6.factor": 1979 / 989,
}

DRAWN: dict[str, tuple[tuple[str, ...], Callable[..., float]]] = {
    "x3.peak": (("x3_machine",), lambda m: PEAK[m]),
    "x3.bandwidth": (("x3_machine",), lambda m: MEMORY[m]),
    "x3.balance": (("x3_machine",), lambda m: PEAK[m] / MEMORY[m]),
    "x3.edge": (("x3_machine",), edge),
    "x3.bytes": (("x3_machine",), lambda m: 6 * edge(m) ** 2),
    "x4.elements": (("x4_elements",), lambda n: n),
    "x4.bytes": (("x4_elements",), lambda n: 6 * n),
    "x4.bound": (("x4_elements",), lambda n: 6 * n / 4800e9),
    "x4.ratio": (("x4_elements",), lambda n: LAUNCH / (6 * n / 4800e9)),
    "x5.rows": (("x5_rows", "x5_columns"), lambda r, c: r),
    "x5.columns": (("x5_rows", "x5_columns"), lambda r, c: c),
    "x5.intensity": (("x5_rows", "x5_columns"), lambda r, c: r * c / (r + c)),
    "x5.required": (("x5_rows", "x5_columns"), lambda r, c: 989.5e12 * (r + c) / (r * c)),
    "x5.stage": (("x5_rows", "x5_columns"), lambda r, c: 128 * (r + c)),
    "x5.stages": (("x5_rows", "x5_columns"), lambda r, c: 227 * KIB // (128 * (r + c))),
    "x5.sums": (("x5_rows", "x5_columns"), lambda r, c: 4 * r * c),
    "x5.share": (("x5_rows", "x5_columns"), lambda r, c: 4 * r * c / (256 * KIB)),
    "x6.edge": (("x6_edge", "x6_machine"), lambda n, m: n),
    "x6.balance": (("x6_edge", "x6_machine"), lambda n, m: PEAK[m] / MEMORY[m]),
    "x6.rows": (("x6_edge", "x6_machine"), ridge_rows),
    "x6.least-edge": (("x6_edge", "x6_machine"), lambda n, m: 2 * PEAK[m] / MEMORY[m]),
    "x7.edge": (("x7_edge",), lambda n: n),
    "x7.tiles": (("x7_edge",), tiles),
    "x7.waves": (("x7_edge",), lambda n: tiles(n) / 132),
    "x7.rounds": (("x7_edge",), lambda n: math.ceil(tiles(n) / 132)),
    "x7.busy": (("x7_edge",), lambda n: tiles(n) / 132 / math.ceil(tiles(n) / 132)),
    "t2.rows": (("t2_rows",), lambda m: m),
    "t2.flops": (("t2_rows",), lambda m: 2 * m * 4096**2),
    "t2.bytes": (("t2_rows",), lambda m: 2 * (2 * m * 4096 + 4096**2)),
    "t2.intensity": (("t2_rows",), lambda m: m / (1 + m / 2048)),
    "t4.rows": (("t4_rows", "t4_columns"), lambda r, c: r),
    "t4.columns": (("t4_rows", "t4_columns"), lambda r, c: c),
    "t4.intensity": (("t4_rows", "t4_columns"), lambda r, c: 2 * r * c / (r + c)),
    "t7.elements": (("t7_elements", "t7_machine"), lambda n, m: n),
    "t7.bytes": (("t7_elements", "t7_machine"), lambda n, m: 4 * n),
    "t7.bandwidth": (("t7_elements", "t7_machine"), lambda n, m: MEMORY[m]),
    "t7.bound": (("t7_elements", "t7_machine"), lambda n, m: 4 * n / MEMORY[m]),
}

POINTS: dict[str, list[Any]] = {
    "x3_machine": list(PEAK),
    "x4_elements": [65536, 262144, 1048576],
    "x5_rows": [64, 128, 256],
    "x5_columns": [64, 192, 256],
    "x6_edge": [2048, 4096, 8192],
    "x6_machine": ["a100", "h100", "h200-spec"],
    "x7_edge": [512, 2560, 3328, 6144],
    "t2_rows": [16, 192, 512],
    "t4_rows": [64, 96, 256],
    "t4_columns": [64, 224, 256],
    "t7_elements": [16777216, 268435456],
    "t7_machine": ["a100", "h100", "h200-spec"],
}

CLAIMS: dict[str, bool] = {
    "x1.one.memory-bound": 1 < 989.5 / 4.8,
    "x1.batch.memory-bound": 64 / (1 + 64 / 4096) < 989.5 / 4.8,
    "x1.large.doubles": math.isclose(gemm_time(1024, 8192, 8192), 2 * gemm_time(512, 8192, 8192)),
    "x4.memory-bound": 1 / 6 < 67 / 4.8,
    "x8.misleading": 4096 / 65 < 989.5 / 4.8 < 4096 / 3,
    "x10.flips": 153.1 < 640 / 3 and 206.2 < 640 / 3 < 295.3,
    "x11.same": 989.5 / 120 == 1979 / 240,
    "t3.hardly-change": LAUNCH > 10 * 600_000 / 4800e9,
}


class Page:
    """A page of the chapter with its cells run."""

    def __init__(self, name: str) -> None:
        self.text = (CHAPTER / name).read_text("utf-8")
        space: dict[str, Any] = {"__name__": name}
        for cell in CELL.finditer(self.text):
            line = self.text[: cell.start(1)].count("\n")
            exec(compile("\n" * line + cell[1], name, "exec"), space)
        self.book: Book = space["book"]

    def records(self, kind: type) -> dict[str, Any]:
        return {k: r for k, r in self.book._records.items() if isinstance(r, kind)}

    def at(self, key: str, **parameters: Any) -> float:
        """A number at other values of the parameters: the expression that the page evaluates."""
        defaults = {name: p.default for name, p in self.book._parameters.items()}
        values = {
            name: Fraction(value) if isinstance(value, int | Fraction) else value
            for name, value in {**defaults, **parameters}.items()
        }
        result = evaluate(self.book._computed.expressions[key], values)
        assert isinstance(result, Fraction)
        return float(result)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOKCODE_ROOT", str(ROOT))
        return {"x": Page("exercises.md"), "t": Page("self-test.md")}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("key", FIXED)
def test_an_answer_by_hand(pages: Mapping[str, Page], key: str) -> None:
    record = pages[key[0]].records(NumberRecord)[key]
    assert float(Fraction(record.value)) == close(FIXED[key])
    assert record.parameters == []


def points(names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """All combinations of the values to try."""
    first, *rest = names
    for value in POINTS[first]:
        if not rest:
            yield {first: value}
        else:
            yield from ({first: value, **more} for more in points(tuple(rest)))


@pytest.mark.parametrize("key", DRAWN)
def test_a_drawn_answer_by_hand(pages: Mapping[str, Page], key: str) -> None:
    names, by_hand = DRAWN[key]
    page = pages[key[0]]
    assert set(page.records(NumberRecord)[key].parameters) <= set(names)
    for point in points(names):
        assert page.at(key, **point) == close(by_hand(*(point[name] for name in names))), point


@pytest.mark.parametrize("key", CLAIMS)
def test_a_verdict_by_hand(pages: Mapping[str, Page], key: str) -> None:
    assert pages[key[0]].records(ClaimRecord)[key].holds is CLAIMS[key] is True


def test_every_number_that_is_shown_was_worked_out(pages: Mapping[str, Page]) -> None:
    for page in pages.values():
        own = page.records(NumberRecord)
        text = CELL.sub("", page.text)
        shown = {found[1] for found in re.finditer(r"\{(?:num)\}`([a-z0-9.-]+)", text)}
        for table in re.finditer(r":columns: ([^\n]+)\n(.*?)^:::$", text, re.DOTALL | re.M):
            fields = re.findall(r"= ([a-z-]+)", table[1])
            rows = re.findall(r"\| ([a-z0-9.-]+)$", table[2], re.M)
            shown |= {f"{row}.{field}" for row in rows for field in fields}
        assert len(shown) > 15
        assert shown <= set(own) | {"launch.overhead"}
        assert shown - set(FIXED) - set(DRAWN) == set()


def test_every_verdict_that_is_shown_was_worked_out(pages: Mapping[str, Page]) -> None:
    for page in pages.values():
        text = CELL.sub("", page.text)
        shown = set(re.findall(r"\{holds\}`(?:[^`<]*<)?([a-z0-9.-]+)>?`", text))
        assert shown
        assert shown <= set(CLAIMS)


def test_every_draw_is_one_of_the_numbers_that_follow_parameters(
    pages: Mapping[str, Page],
) -> None:
    drawn = [key for page in pages.values() for key in re.findall(r":draw: (\S+)", page.text)]
    assert len(drawn) == 8
    for key in drawn:
        assert key in DRAWN
        assert pages[key[0]].records(NumberRecord)[key].parameters
