"""The survey of the pinned tables: anchors known beforehand, and the record beside the code."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bookcode.reality.check import RECORD, anchors, counts, drift, recorded
from bookcode.reality.survey import Survey


@pytest.fixture
def found(surveyed: Survey) -> Survey:
    return surveyed


def test_the_anchors_come_out(found: Survey) -> None:
    assert list(anchors(found)) == []


def test_an_anchor_that_does_not_come_out_is_a_problem(found: Survey) -> None:
    fewer = replace(found, groups=found.groups[1:], expectations=[])
    problems = list(anchors(fewer))
    assert any("headline rows that beat h200: None, known as 1028" in text for text in problems)
    assert any(text.startswith("prefill rows") for text in problems) or len(problems) >= 2


def test_the_counts_are_those_of_the_record(found: Survey) -> None:
    assert list(drift(found)) == []


def test_a_count_that_differs_is_named(found: Survey) -> None:
    first = replace(found.groups[0], rows=found.groups[0].rows + 1)
    [problem] = drift(replace(found, groups=[first, *found.groups[1:]]))
    assert problem.startswith(first.data_set)
    assert "recorded" in problem


def test_every_row_that_beats_the_bound_has_a_class_or_is_listed(found: Survey) -> None:
    for group in found.groups:
        assert group.beaten == sum(group.classes.values()) + group.unexplained
        assert set(group.classes) == set(group.evidence)
        assert len(group.places) == min(group.unexplained, 20)
    assert found.rows == 526086
    assert found.beaten == sum(found.classes.values()) + found.unexplained
    assert found.unexplained == 22


def test_a_calibrated_roof_is_beaten_by_known_counts(found: Survey) -> None:
    headline = {
        e.roof: (e.beaten, e.most)
        for e in found.expectations
        if (e.data_set, e.operator, e.label) == ("h200_sxm/trtllm/1.0.0rc3", "gemm", "float16")
    }
    assert headline["h200"] == (1028, 1.159)
    assert headline["h200:sustained"][0] == 1442
    assert headline["h200-tileops-0.1.0:envelope"][0] == 248


def test_causality_is_needed_for_the_bound_to_hold(found: Survey) -> None:
    prefill = found.counterfactual["prefill rows beating the bound: causal, not causal"]
    clean = {name: row for name, row in prefill.items() if name != "h100_sxm/sglang/0.5.1.post1"}
    assert sum(row[0] for row in clean.values()) == 41057
    assert sum(row[1] for row in clean.values()) == 0
    assert sum(row[2] for row in clean.values()) > 3000


def test_message_sizes_are_elements(found: Survey) -> None:
    for as_elements, as_bytes in found.counterfactual[
        "collective time, 16-bit over 8-bit, same bytes"
    ].values():
        assert as_elements == pytest.approx(1, abs=0.01)
        assert as_bytes > 1.7


def test_shapes_that_were_measured_twice_show_the_repeatability(found: Survey) -> None:
    assert found.again
    for pairs, middle, most in found.again.values():
        assert pairs == 188
        assert 1 <= middle <= most
    assert set(found.record()["conditions"].values()) == {"unknown"}


def test_files_that_repeat_another_are_named(found: Survey) -> None:
    assert found.repeated["h100_sxm/vllm/0.11.0 all-reduce"] == (
        "h100_sxm/sglang/0.5.1.post1 all-reduce"
    )


def test_shares_to_expect_hold_clean_rows_only(found: Survey) -> None:
    assert found.shares
    assert all(0 < share.median <= share.good <= share.best for share in found.shares)
    large = [s for s in found.shares if (s.machine, s.operator, s.label) == ("h200", "gemm", "fp8")]
    assert {s.decade for s in large} >= {-6, -5, -4}
    assert large[-1].median > large[0].median


def test_the_record_is_plain_data(found: Survey) -> None:
    data = json.loads(json.dumps(found.record()))
    assert data["rows"] == found.rows
    assert len(data["groups"]) == len(found.groups)


def test_the_committed_record_is_whole() -> None:
    data = recorded()
    assert set(data) == {"measured", "mutants"}
    assert sum(entry["rows"] for entry in data["measured"].values()) == 526086
    assert json.loads(RECORD.read_text("utf-8")) == data


def test_groups_have_names_of_their_own(found: Survey) -> None:
    assert len(counts(found)) == len(found.groups)
