"""Rows that beat the bound: each class claims what it should, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from bookcode.ledger import MACHINES
from bookcode.reality.bounds import bounds
from bookcode.reality.covering import Group, groups
from bookcode.reality.evidence import evidence_text
from bookcode.reality.explaining import CLASSES, Verdict, judge
from bookcode.reality.operators import LEDGER
from bookcode.reality.tables import DATA, read
from bookcode.sources.members import Members

MakeWheel = Callable[[Mapping[str, str]], Members]
HEAD = "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency"
H100 = "NVIDIA H100 80GB HBM3"
SHAPES = [(m, n, k) for m in (1024, 4096) for n in (2048, 8192) for k in (4096, 16384)]


def table_of(
    wheel: MakeWheel,
    lines: list[str],
    kind: str = "gemm",
    folder: str = "h100_sxm/x/1",
    head: str = HEAD,
) -> list[Group]:
    file = {
        "gemm": "gemm_perf.txt",
        "decode": "generation_attention_perf.txt",
        "prefill": "context_attention_perf.txt",
        "nccl": "nccl_perf.txt",
    }[kind]
    name = f"{folder}/{file}"
    return list(groups(read(DATA + name, kind, wheel({name: "\n".join([head, *lines])}))))


def row(m: int, n: int, k: int, seconds: float, label: str = "float16", device: str = H100) -> str:
    return f"X,1,{device},gemm,s,{label},{m},{n},{k},{seconds * 1e3!r}"


def verdict(group: Group, siblings: list[Group] | None = None) -> Verdict:
    return judge(group, MACHINES["h100"], LEDGER, {g.label: g for g in siblings or [group]})


def time_of(m: int, n: int, k: int, peak: float = 989.5e12, size: float = 2.0) -> float:
    return max(2.0 * m * n * k / peak, (size * (m * k + k * n) + 2 * m * n) / 3.35e12)


def test_rows_at_the_bound_do_not_beat_it(wheel: MakeWheel) -> None:
    [group] = table_of(wheel, [row(*shape, time_of(*shape)) for shape in SHAPES])
    found = verdict(group)
    assert found.beaten == 0
    assert found.findings == ()
    assert found.share == pytest.approx(1)


def test_a_row_that_nothing_explains_is_listed(wheel: MakeWheel) -> None:
    [group] = table_of(wheel, [row(8192, 8192, 8192, time_of(8192, 8192, 8192) / 3)])
    found = verdict(group)
    assert found.beaten == 1
    assert found.findings == ()
    assert found.unexplained.tolist() == [True]


def test_operands_that_fit_the_cache_explain_a_beaten_memory_bound(wheel: MakeWheel) -> None:
    small, large = (64, 4096, 4096), (64, 16384, 16384)
    lines = [row(*shape, 0.8 * time_of(*shape)) for shape in (small, large)]
    [group] = table_of(wheel, lines)
    found = verdict(group)
    [finding] = found.findings
    assert finding.kind == "warm cache"
    assert finding.rows.tolist() == [True, False]
    assert found.unexplained.tolist() == [False, True]
    assert "34.6 to 34.6 MB" in evidence_text(finding.evidence)


def test_a_beaten_compute_bound_is_never_a_warm_cache(wheel: MakeWheel) -> None:
    shape = (2048, 2048, 2048)
    [group] = table_of(wheel, [row(*shape, 0.8 * time_of(*shape))])
    assert verdict(group).unexplained.all()


def test_a_label_whose_times_are_those_of_fp8_was_measured_in_fp8(wheel: MakeWheel) -> None:
    fp8 = [time_of(*shape, 1979e12, 1.0) * 1.1 for shape in SHAPES]
    lines = [row(*shape, took, "fp8") for shape, took in zip(SHAPES, fp8, strict=True)]
    lines += [row(*shape, 1.005 * took) for shape, took in zip(SHAPES, fp8, strict=True)]
    found = {g.label: g for g in table_of(wheel, lines)}
    of_16 = verdict(found["float16"], list(found.values()))
    [finding] = of_16.findings
    assert finding.kind == "wrong precision"
    assert finding.rows.sum() == of_16.beaten > 0
    assert "median 1.005" in evidence_text(finding.evidence)


def test_other_times_than_those_of_fp8_are_not_relabelled(wheel: MakeWheel) -> None:
    fp8 = [time_of(*shape, 1979e12, 1.0) * 1.1 for shape in SHAPES]
    lines = [row(*shape, took, "fp8") for shape, took in zip(SHAPES, fp8, strict=True)]
    lines += [row(*shape, 0.9 * time_of(*shape)) for shape in SHAPES]
    found = {g.label: g for g in table_of(wheel, lines)}
    assert verdict(found["float16"], list(found.values())).unexplained.all()


def test_eight_bit_weights_above_the_16_bit_peak_ran_as_integers(wheel: MakeWheel) -> None:
    shape = (8192, 8192, 8192)
    [group] = table_of(wheel, [row(*shape, 0.7 * time_of(*shape), "int8_wo")])
    machine = MACHINES["h100"]
    peaks = {**machine.peaks, "int8": machine.peaks["fp8"]}
    found = judge(group, replace(machine, peaks=peaks), LEDGER, {})
    assert [f.kind for f in found.findings] == ["wrong precision"]
    assert not found.unexplained.any()


def test_a_faster_product_in_the_same_folder_explains_its_rows_only(wheel: MakeWheel) -> None:
    shape = (16, 16384, 16384)
    inside, outside = 0.9 * time_of(*shape), 0.7 * time_of(*shape)
    lines = [row(*shape, took, device="NVIDIA H100 NVL") for took in (inside, outside)]
    [group] = table_of(wheel, lines)
    found = verdict(group)
    [finding] = found.findings
    assert finding.kind == "other device"
    assert finding.rows.tolist() == [True, False]
    assert found.unexplained.tolist() == [False, True]


def test_times_that_do_not_depend_on_the_work_are_those_of_nothing(wheel: MakeWheel) -> None:
    generator = np.random.default_rng(1)
    lines = []
    for edge in (32, 64, 256, 1024, 4096, 8192):
        lines.append(row(edge, edge, edge, 3e-6 + 1e-8 * generator.random()))
        lines.append(row(edge, 2 * edge, edge, 2e-5 + 3 * time_of(edge, 2 * edge, edge)))
    [group] = table_of(wheel, lines)
    found = verdict(group)
    [finding] = found.findings
    assert finding.kind == "nothing ran"
    assert finding.concerned == 6
    assert finding.rows.sum() == found.beaten == 2
    assert "6 of 12 rows" in evidence_text(finding.evidence)


def test_a_floor_without_a_gap_is_no_empty_launch(wheel: MakeWheel) -> None:
    edges = (32, 64, 128, 256, 512, 1024, 2048)
    lines = [row(edge, edge, edge, 3e-6 + 2 * time_of(edge, edge, edge)) for edge in edges]
    lines.append(row(8192, 8192, 8192, 0.5 * time_of(8192, 8192, 8192)))
    [group] = table_of(wheel, lines)
    assert verdict(group).unexplained.sum() == 1


ATTENTION = (
    "framework,version,device,op_name,kernel_source,batch_size,isl,num_heads,num_key_value_heads,"
    "head_dim,beam_width,attn_dtype,kv_cache_dtype,step,latency"
)


@pytest.mark.parametrize(("framework", "explained"), [("trtllm", True), ("vllm", False)])
def test_a_pool_of_keys_explains_decode_rows_of_its_framework_only(
    wheel: MakeWheel, framework: str, explained: bool
) -> None:
    moved = 64 * 8 * 16384 * 128 * 2 * 2
    line = f"X,1,{H100},g,k,64,1,64,8,128,1,float16,float16,16384,{0.7 * moved / 3.35e12 * 1e3!r}"
    folder = f"h100_sxm/{framework}/1"
    [group] = table_of(wheel, [line], "decode", folder, ATTENTION)
    found = verdict(group)
    assert found.beaten == 1
    assert [f.kind for f in found.findings] == (["keys only"] if explained else [])
    assert found.unexplained.any() != explained


def test_a_switch_that_adds_explains_an_all_reduce_but_not_a_gather(wheel: MakeWheel) -> None:
    elements, ranks = 2**28, 8
    ring = 2 * 7 / 8 * elements * 2 / 450e9
    head = "nccl_dtype,num_gpus,message_size,kernel_source,op_name,latency"
    lines = [
        f"half,{ranks},{elements},NCCL,all_reduce,{0.7 * ring * 1e3!r}",
        f"half,{ranks},{elements},NCCL,all_gather,{0.7 * ring / 2 * 1e3!r}",
    ]
    reduce, gather = table_of(wheel, lines, "nccl", "h100_sxm/nccl/1", head)
    assert [f.kind for f in verdict(reduce).findings] == ["added in the switch"]
    assert not verdict(reduce).unexplained.any()
    assert verdict(gather).unexplained.all()


def test_every_class_says_what_it_means() -> None:
    assert all(len(text) > 20 for text in CLASSES.values())


def test_a_bound_has_both_sides(wheel: MakeWheel) -> None:
    [group] = table_of(wheel, [row(4096, 4096, 4096, 1.0)])
    bound = bounds(group, MACHINES["h100"], LEDGER)
    assert bound.compute[0] == pytest.approx(2 * 4096**3 / 989.5e12)
    assert bound.memory[0] == pytest.approx(6 * 4096**2 / 3.35e12)
    assert bound.time[0] == bound.compute[0]
    assert bound.moved[0] == 6 * 4096**2
