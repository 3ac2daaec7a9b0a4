"""Every number of every exercise of chapter 02 again, by hand: no ledger function is called here.

A number is derived from sizes, counts per element and the machine's figures, with plain arithmetic.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.engine import Engine
from bookcode.sphinxext.exercises_draws import Span, read_draw

EXERCISES = "02-from-pytorch-to-kernel/exercises.md"
QUESTIONS = "02-from-pytorch-to-kernel/self-test.md"
TOLERANCE = Fraction(1, 10**12)


def _load(name: str) -> Any:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"tests_book_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


pages = _load("pages")

# the machine and the model, as the chapter states them --------------------------------------------
PEAK, BANDWIDTH = Fraction("989.5e12"), Fraction("4.8e12")
REACHED_PEAK, REACHED_BANDWIDTH = PEAK * Fraction("0.7370"), BANDWIDTH * Fraction("0.9380")
NVLINK = Fraction("450e9")
PRELIMINARY = Fraction("1000e12"), Fraction("3e12")
MACHINES = {
    "h100-prelim": PRELIMINARY,
    "h100": (Fraction("989.5e12"), Fraction("3.35e12")),
    "h200-spec": (PEAK, BANDWIDTH),
    "a100": (Fraction("312e12"), Fraction("2.039e12")),
}
LAYERS, HIDDEN, FFN, HEADS, KV_HEADS, WIDTH = 32, 4096, 14336, 32, 8, 128
LINEAR = LAYERS * (
    2 * HIDDEN * (HEADS * WIDTH) + 2 * HIDDEN * (KV_HEADS * WIDTH) + 3 * HIDDEN * FFN
)
PARAMETERS = Fraction("8.03e9")
"""Embedding and output head included, rounded as the chapter states them."""


def at_memory(moved: int) -> tuple[Fraction, Fraction]:
    """Bound and expected time of what waits for memory."""
    return moved / BANDWIDTH, moved / REACHED_BANDWIDTH


def row(key: str, work: int, moved: int) -> dict[str, Fraction]:
    """The fields that tables show."""
    bound, expected = at_memory(moved)
    return {
        f"{key}.flops": Fraction(work),
        f"{key}.bytes": Fraction(moved),
        f"{key}.intensity": Fraction(work, moved),
        f"{key}.bound": bound,
        f"{key}.expected": expected,
    }


def forward_time(positions: int) -> Fraction:
    """Of the chapter's model at the calibrated roof; products and attention wait for arithmetic."""
    scores = LAYERS * HEADS * positions**2
    work = 2 * positions * LINEAR + scores * 4 * WIDTH + scores * 5
    moved = 2 * LINEAR + LAYERS * positions * 3 * (HIDDEN + FFN) * 2
    assert work / REACHED_PEAK > moved / REACHED_BANDWIDTH
    return work / REACHED_PEAK


UPDATE = (2 + 3 * 4 + 3 * 4) * PARAMETERS / REACHED_BANDWIDTH
EXCHANGE = 2 * Fraction(8 - 1, 8) * PARAMETERS * 2 / NVLINK


def step(key: str, positions: int) -> dict[str, Fraction]:
    """Times and shares of a step on eight ranks."""
    there = forward_time(positions)
    whole = 3 * there + UPDATE + EXCHANGE
    return {
        f"{key}.seq": Fraction(positions),
        f"{key}.expected": whole,
        f"{key}.forward.share": there / whole,
        f"{key}.backward.share": 2 * there / whole,
        f"{key}.optimizer.share": UPDATE / whole,
        f"{key}.communication.share": EXCHANGE / whole,
    }


def traffic(positions: int, trips: int) -> int:
    """Of attention in fp16, four tensors and so many trips of the scores."""
    return 4 * HEADS * positions * WIDTH * 2 + trips * HEADS * positions**2 * 2


# the exercises ------------------------------------------------------------------------------------
def e4(operations: int, elements: int) -> dict[str, Fraction]:
    tensor = 2 * elements
    return {
        "e4.operations": Fraction(operations),
        "e4.elements": Fraction(elements),
        "e4.eager.bytes": Fraction(2 * operations * tensor),
        "e4.fused.bytes": Fraction(2 * tensor),
        "e4.saved": Fraction((2 * operations - 2) * tensor),
        "e4.ratio": Fraction(operations),
    }


def e5(rows: int, columns: int) -> dict[str, Fraction]:
    elements = rows * columns
    return {
        "e5.rows": Fraction(rows),
        "e5.columns": Fraction(columns),
        **row("e5.fused", 8 * elements, 2 * elements * 2),
        **row("e5.three-pass", 8 * elements, 4 * elements * 2),
    }


def e6(machine: str) -> dict[str, Fraction]:
    peak, bandwidth = MACHINES[machine]
    # 2 N^3 / (3 N^2 2 B) = N / 3, set equal to peak / bandwidth
    return {"e6.peak": peak, "e6.bandwidth": bandwidth, "e6.ridge-edge": 3 * peak / bandwidth}


def e7(positions: int) -> dict[str, Fraction]:
    return {
        "e7.seq": Fraction(positions),
        "e7.tensor": Fraction(HEADS * positions * WIDTH * 2),
        "e7.trip": Fraction(HEADS * positions**2 * 2),
        "e7.materialized.bytes": Fraction(traffic(positions, 6)),
        "e7.flash.bytes": Fraction(traffic(positions, 0)),
        "e7.ratio": 1 + Fraction(6 * positions, 4 * WIDTH),
        "e7.longer.seq": Fraction(2 * positions),
        "e7.longer.ratio": 1 + Fraction(6 * 2 * positions, 4 * WIDTH),
    }


def e12(positions: int) -> dict[str, Fraction]:
    return step("e12", positions)


def e13(elements: int) -> dict[str, Fraction]:
    tensor = 2 * elements
    return {
        "e13.elements": Fraction(elements),
        **row("e13.silu", 5 * elements, 2 * tensor),
        **row("e13.rope", 3 * elements, 2 * tensor),
        **row("e13.silu-separate", 6 * elements, 5 * tensor),
        **row("e13.silu-fused", 6 * elements, 3 * tensor),
        **row("e13.rope-separate", 4 * elements, 5 * tensor),
        **row("e13.rope-fused", 4 * elements, 3 * tensor),
    }


def q2(edge: int) -> dict[str, Fraction]:
    return {
        "q2.edge": Fraction(edge),
        "q2.flops": Fraction(2 * edge**3),
        "q2.bytes": Fraction(3 * edge**2 * 2),
        "q2.intensity": Fraction(edge, 3),
    }


def q5(positions: int) -> dict[str, Fraction]:
    cache = LAYERS * KV_HEADS * WIDTH * 2 * positions * 2
    return {"q5.keys": Fraction(positions), "q5.cache": Fraction(cache)}


LONG = 16 * 4096**2 * 4
LONG_STEP = LONG / REACHED_BANDWIDTH + forward_time(4096)
BY_HAND: dict[str, Fraction] = {
    "e1.per-parameter": Fraction(2 + 12 + 12),
    "e1.per-parameter-flops": Fraction(15),
    "e1.gradient": Fraction(2),
    "e1.state": Fraction(12 + 12),
    "e1.all-fp32": Fraction(7 * 4),
    "e1.all-16bit": Fraction(7 * 2),
    "e1.with-copy": Fraction(26 + 2),
    "e2.seq": Fraction(4096),
    "e2.heads": Fraction(32),
    # 2 S^2 d multiply-adds over three tensors; 2 T d over two, 2 B an element
    "e2.prefill.per-byte": Fraction(2 * 4096**2 * 128, 3 * 4096 * 128 * 2),
    "e2.decode.per-byte": Fraction(2 * 4096 * 128, 2 * 4096 * 128 * 2),
    "e3.balance.spec": PEAK / BANDWIDTH,
    "e3.balance.reachable": REACHED_PEAK / REACHED_BANDWIDTH,
    "e3.small.edge": Fraction(512),
    "e3.small.intensity": Fraction(512, 3),
    "e4.long.operations": Fraction(16),
    "e4.long.elements": Fraction(4096**2),
    "e4.long.eager.expected": LONG / REACHED_BANDWIDTH,
    "e4.long.step": LONG_STEP,
    "e4.long.gain": (LONG - Fraction(LONG, 16)) / REACHED_BANDWIDTH / LONG_STEP,
    "e5.flops-per-element": Fraction(8),
    "e5.narrow.columns": Fraction(512),
    "e5.narrow.intensity": Fraction(8, 4),
    "e6.h100.peak": PRELIMINARY[0],
    "e6.h100.bandwidth": PRELIMINARY[1],
    "e6.h100.balance": PRELIMINARY[0] / PRELIMINARY[1],
    "e6.edge": Fraction(2048),
    "e6.gemm.bytes": Fraction(3 * 2048**2 * 2),
    "e6.gemm.intensity": Fraction(2048, 3),
    "e7.heads": Fraction(32),
    "e7.head-dim": Fraction(128),
    "e8.seq": Fraction(4096),
    "e8.six.bytes": Fraction(traffic(4096, 6)),
    "e8.fused.bytes": Fraction(traffic(4096, 4)),
    "e8.fused-unmasked.bytes": Fraction(traffic(4096, 2)),
    "e11.small.edge": Fraction(512),
    "e11.small.intensity": Fraction(512, 3),
    "e11.balance.h200": REACHED_PEAK / REACHED_BANDWIDTH,
    "e11.balance.h200-spec": PEAK / BANDWIDTH,
    "e11.balance.h100": PRELIMINARY[0] / PRELIMINARY[1],
    "e11.add.intensity": Fraction(1, 3 * 2),
    "e11.add-fp32.intensity": Fraction(1, 3 * 4),
    "e12.optimizer.expected": UPDATE,
    "e12.communication.expected": EXCHANGE,
    **{k: v for s in (512, 4096, 32768, 131072) for k, v in step(f"e12.{s}", s).items()},
    "e13.silu.per-element": Fraction(5),
    "e13.rope.per-element": Fraction(6, 2),
    "e13.fusion-gain": Fraction(5, 3),
    "q1.attention-ratio": Fraction(5, 2),
    "q5.weights": Fraction(2 * LINEAR),
    # every head multiplies and adds over 512 + 64 and over 512 elements of a position, plus softmax
    "q8.mla.intensity": Fraction(
        128 * 32768 * (2 * (512 + 64) + 2 * 512 + 5),
        2 * (32768 * (512 + 64) + 128 * (512 + 64) + 128 * 512),
    ),
}
DRAWN: dict[str, tuple[Callable[..., dict[str, Fraction]], dict[str, Any]]] = {
    "02-e4": (e4, {"operations": 6, "elements": 16777216}),
    "02-e5": (e5, {"rows": 4096, "columns": 4096}),
    "02-e6": (e6, {"machine": "h100-prelim"}),
    "02-e7": (e7, {"positions": 8192}),
    "02-e12": (e12, {"positions": 8192}),
    "02-e13": (e13, {"elements": 16777216}),
    "02-q2": (q2, {"edge": 1536}),
    "02-q5": (q5, {"positions": 16384}),
}
for function, book_values in DRAWN.values():
    BY_HAND |= function(**book_values)

OF_THE_CHAPTER = {"model.layers": LAYERS, "model.kv-heads": KV_HEADS, "model.head-dim": WIDTH}
"""Shown here, published by the chapter."""


@pytest.mark.parametrize("page", [EXERCISES, QUESTIONS])
def test_every_number_that_an_exercise_shows_is_derived_by_hand(page: str) -> None:
    found = pages.ran(page)
    shown = {key for one in found.exercises.values() for key in one.shown} - set(OF_THE_CHAPTER)
    assert shown <= set(BY_HAND), f"not derived: {sorted(shown - set(BY_HAND))}"
    wrong = {
        key: (float(found.values[key]), float(BY_HAND[key]))
        for key in sorted(shown)
        if found.values[key] != BY_HAND[key]
    }
    assert wrong == {}


def test_nothing_is_derived_that_is_not_there() -> None:
    published = set(pages.ran(EXERCISES).values) | set(pages.ran(QUESTIONS).values)
    assert set(BY_HAND) <= published


def test_the_exercises_are_those_of_the_brief() -> None:
    found = pages.ran(EXERCISES).exercises
    kinds = [found[f"02-e{number}"].option("kind") for number in range(1, 14)]
    assert kinds == [
        *["concept"] * 4, *["calculation"] * 3, *["code-reading"] * 3, *["hands-on"] * 3
    ]  # fmt: skip
    assert len(found) == 13
    questions = pages.ran(QUESTIONS).exercises
    assert [q.option("kind") for q in questions.values()].count("number") == 2
    assert len(questions) == 8


# drawn afresh -------------------------------------------------------------------------------------
def draws(exercise: Any, count: int) -> list[dict[str, Any]]:
    """Values that the page may draw: the ends of every range, then others."""
    draw = read_draw(exercise.option("draw"), "1 %", "")
    chance = random.Random(exercise.name)
    allowed = {
        name: list(range(v.low, v.high + 1, v.step or 1)) if isinstance(v, Span) else list(v or ())
        for name, v in draw.vary.items()
    }
    ends = [{name: values[end] for name, values in allowed.items()} for end in (0, -1)]
    more = [{n: chance.choice(values) for n, values in allowed.items()} for _ in range(count)]
    return [
        {name: int(v) if str(v).isdigit() else v for name, v in point.items()}
        for point in ends + more
    ]


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_whatever_is_drawn_the_page_computes_what_the_hand_does(name: str) -> None:
    found = pages.ran(EXERCISES if name.startswith("02-e") else QUESTIONS)
    exercise = found.exercises[name]
    function, book_values = DRAWN[name]
    points = draws(exercise, 40)
    entry = (
        'import { compute, parameters } from "./page.js";\n'
        "const defaults = Object.values(parameters).map((p) => [p.name, p.default]);\n"
        "const book = Object.fromEntries(defaults);\n"
        "export default (points) => points.map((p) => compute({ ...book, ...p }));"
    )
    with Engine({"page.js": found.javascript, "all.js": entry}) as engine:
        answers = engine.call("all.js", points)
    for point, answer in zip(points, answers, strict=True):
        given = {key.split("_", 1)[1].replace("seq", "positions").replace("keys", "positions"): v
                 for key, v in point.items()}  # fmt: skip
        assert set(given) == set(book_values)
        for key, wanted in function(**given).items():
            assert abs(Fraction(answer[key]) - wanted) <= TOLERANCE * abs(wanted), (key, point)
        for claim in exercise.claimed:
            assert answer.get(claim, True) is True, (claim, point)
