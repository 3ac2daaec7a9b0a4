"""Texts that cells publish: what is typed in them is found, what is published is not."""

from __future__ import annotations

import pytest

from bookcode.numbers.records import ClaimRecord, FigureRecord, NumberRecord, PresetRecord, Record
from bookcode.sphinxext.library import Library
from bookcode.sphinxext.record_texts import text_problems

PEAK = NumberRecord("peak", 1, "989500000000000", "FLOP/s", "sig4")
EDGE = NumberRecord("edge", 1, "4096", "1", "plain")
REGIME = NumberRecord("regime", 1, "memory", "word", "word")


def figure(*drawn: str, uses: tuple[str, ...] = (), **texts: str) -> FigureRecord:
    svg = "<svg>" + "".join(f"<text>{text}</text>" for text in drawn) + "</svg>"
    told = {"caption": "A plot.", "alt": "A plot.", **texts}
    return FigureRecord("roof", 7, svg, {"en": told["caption"]}, {"en": told["alt"]}, list(uses))


def claim(*wordings: str) -> ClaimRecord:
    return ClaimRecord("big", 5, True, {"en": list(wordings)}, "")


def problems(record: Record) -> list[str]:
    library = Library.of([PEAK, EDGE, REGIME, record], None)
    found = list(text_problems(library, record, "en"))
    assert {problem.tag for problem in found} <= {"prose", "text"}
    return [problem.words for problem in found]


@pytest.mark.parametrize(
    "record",
    [
        figure("tensor cores", "GEMM 4096", "989.5 TFLOP/s", uses=("peak", "edge")),
        figure("memory-bound", uses=("regime",)),
        figure(caption="Up to {peak}.", alt="A line at {peak:sig3}."),
        claim("memory-bound", "twice the peak", "above {peak}"),
        PresetRecord("preset:H100", 3, {"en": "H100, paper"}, {}),
        PEAK,
    ],
    ids=lambda record: type(record).__name__,
)
def test_what_is_published_is_fine(record: Record) -> None:
    assert problems(record) == []


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (figure("989.5 TFLOP/s"), ["'989.5 TFLOP/s' drawn in figure 'roof'", "peak (= 989.5"]),
        (figure("731.5 TFLOP/s", uses=("peak",)), ["'731.5 TFLOP/s' drawn in figure", "uses"]),
        (figure("memory-bound"), ["'memory-bound' drawn in figure", "a verdict"]),
        (figure(caption="Up to 731 GB/s."), ["'731 GB/s' in a text of 'roof'", "write {key}"]),
        (figure(alt="A slope, memory-bound."), ["'memory-bound' in a text of 'roof'", "claim"]),
        (figure(caption="Of {peek}."), ["in a text of 'roof': no number 'peek'", "peak"]),
        (claim("twice the 731 GB/s"), ["'731 GB/s' in a text of 'big'"]),
        (PresetRecord("preset:x", 3, {"en": "at 12 ms"}, {}), ["'12 ms' in a text of 'preset:x'"]),
        (FigureRecord("roof", 7, "<svg>", {"en": "x"}, {"en": "x"}), ["figure 'roof'", "not XML"]),
    ],
)
def test_what_is_typed_is_found(record: Record, said: list[str]) -> None:
    [problem] = problems(record)
    for part in said:
        assert part in problem


def test_a_number_that_the_figure_does_not_name_is_suggested() -> None:
    [problem] = problems(figure("989.5 TFLOP/s", uses=("edge",)))
    assert "did you mean peak (= 989.5" in problem.replace("\u202f", " ")
