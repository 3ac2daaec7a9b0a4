"""The ledger's commands: the recipes of the text, JSON, and wrong use."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from bookcode.commands import LEDGER_COMMANDS
from bookcode.ledger import DTYPES, MACHINES, MODELS, Timed, ops, stages


def command(name: str) -> click.Command:
    module, _, attribute = LEDGER_COMMANDS[name].partition(":")
    found: click.Command = getattr(import_module(module), attribute)
    return found


def run(line: str) -> Result:
    name, *arguments = line.split()
    return CliRunner().invoke(command(name), arguments)


def text(line: str) -> str:
    result = run(line)
    assert result.exit_code == 0, result.output
    return result.output


def reports(line: str) -> dict[str, dict[str, Any]]:
    """The reports by name."""
    return {report["report"]: report for report in json.loads(text(f"{line} --json"))}


def row_of(report: dict[str, Any], **wanted: Any) -> dict[str, Any]:
    found = [row for row in report["rows"] if wanted.items() <= row.items()]
    assert len(found) == 1, (wanted, report["rows"])
    row: dict[str, Any] = found[0]
    return row


def line_of(output: str, start: str) -> str:
    found = [
        " ".join(line.split()) for line in output.splitlines() if line.strip().startswith(start)
    ]
    assert found, output
    return found[0]


@pytest.mark.parametrize("name", LEDGER_COMMANDS)
def test_every_command_runs_without_arguments_and_has_help(name: str) -> None:
    assert text(name)
    assert reports(name)
    assert "--json" in text(f"{name} --help")


# --- operators --------------------------------------------------------------------------------


def test_the_default_table_of_operators_is_the_chapters() -> None:
    output = text("ops")
    assert "burst" in output
    expected = {
        "sin(cos(x)), eager": "33.6 MFLOP 134.2 MB 0.2500 FLOP/B 27.96 µs 29.81 µs memory",
        "sin(cos(x)), fused": "33.6 MFLOP 67.11 MB 0.5000 FLOP/B 13.98 µs 14.91 µs memory",
        "LayerNorm, three passes": "268 MFLOP 268.4 MB 1.000 FLOP/B 55.92 µs 59.62 µs memory",
        "GEMM 4096³": "137 GFLOP 100.7 MB 1365 FLOP/B 138.9 µs 188.5 µs compute",
        "attention S = 4096, six": "278 GFLOP 6.577 GB 42.20 FLOP/B 1.370 ms 1.461 ms memory",
        "attention S = 4096, flash": "278 GFLOP 134.2 MB 2068 FLOP/B 280.5 µs 380.6 µs compute",
    }
    for start, rest in expected.items():
        assert line_of(output, start).endswith(rest)


def test_json_holds_what_the_ledger_says() -> None:
    report = reports("ops")["operators on h200"]
    row = row_of(report, operator="GEMM 4096³")
    timed = Timed(ops.gemm(4096, 4096, 4096), MACHINES["h200"], DTYPES["fp16"])
    assert row["flops"] == 137438953472
    assert row["expected"] == float(timed.expected)
    assert report["units"] == {
        "flops": "FLOP",
        "bytes": "B",
        "intensity": "FLOP/B",
        "bound": "s",
        "expected": "s",
    }


def test_which_verdicts_flip_between_the_h200_and_the_h100() -> None:
    rows = reports("ops --machine h200 --machine h100-prelim --gemm 512")["verdicts"]["rows"]
    assert [row["operator"] for row in rows if row["flips"] == "yes"] == ["GEMM 512³"]
    assert (rows[-1]["h200"], rows[-1]["h100-prelim"]) == ("compute", "memory")


def test_a_roof_and_a_product_of_ones_own() -> None:
    report = reports("ops --machine h200-tileops-0.1.0 --roof envelope --gemm 1x4096x4096")
    assert list(report) == ["operators on h200-tileops-0.1.0:envelope"]
    row = row_of(report["operators on h200-tileops-0.1.0:envelope"], operator="GEMM 1×4096×4096")
    assert row["regime"] == "memory"
    assert "envelope" in text("ops --machine h200-tileops-0.1.0 --roof envelope")


def test_lengths_and_causality() -> None:
    full, half = (
        row_of(
            reports(f"ops --seq-len 8192 {flag}")["operators on h200"],
            operator="attention S = 8192, flash",
        )
        for flag in ("", "--causal")
    )
    assert half["flops"] / full["flops"] == 8193 / 16384
    decode = reports("ops --kv-len 100")["operators on h200"]
    assert row_of(decode, operator="decode T = 100")["bytes"] == 2 * (
        32 * 128 * 100 * 2 + 32 * 128 * 2
    )


def test_all_families() -> None:
    rows = reports("ops --all")["operators on h200"]["rows"]
    assert len(rows) > 40
    regimes = {row["operator"]: row["regime"] for row in rows}
    assert regimes["all-reduce, ring of 8"] == "link"
    assert regimes["decode, MLA"] == "compute"
    assert regimes["decode, 8 KV heads"] == "memory"


def test_what_has_no_fact_says_so_and_leaves_no_blank() -> None:
    output = text("ops --machine b200")
    assert "no fact [1]" in line_of(output, "x + y")
    assert (
        "[1] no fact for the peak of b200 for 'vector'; there is one for fp16, bf16, fp8" in output
    )
    row = row_of(reports("ops --machine b200")["operators on b200"], operator="x + y")
    assert "vector" in row["bound"]["missing"]
    assert row["bytes"] == 3 * 4096 * 4096 * 2


# --- training ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "shares"),
    [
        (
            "hbm",
            {512: "12.1 24.2 56.1 7.6", 4096: "27.9 55.9 14.3 1.9", 131072: "33.3 66.6 0.1 0.0"},
        ),
        ("nvlink", {512: "7.2 14.4 33.4 45.0", 4096: "23.8 47.6 12.2 16.4"}),
        ("nic", {4096: "10.3 20.6 5.3 63.9"}),
    ],
)
def test_the_budget_over_lengths(link: str, shares: dict[int, str]) -> None:
    output = text(f"step --seq-len 512,4096,32768,131072 --link {link}")
    for seq, wanted in shares.items():
        assert line_of(output, f"{seq:,}" if seq > 999 else str(seq)).replace(" %", "") == (
            f"{seq:,} {wanted}"
        )
    assert "largest factor: optimizer and communication" in output


def test_absolute_times_of_optimizer_and_communication_stay() -> None:
    times = reports("step --seq-len 512,4096,32768,131072")["times"]["rows"]
    for stage in ("optimizer", "communication"):
        assert len({row[stage] for row in times}) == 1
    assert times[0]["forward"] < times[-1]["forward"]


def test_a_step_of_the_default_model() -> None:
    report = reports("step")["step 4096"]
    step = stages.training_step(
        4096, 8, model=MODELS["8b-class"], machine=MACHINES["h200"], link="nvlink"
    )
    assert row_of(report, stage="step")["expected"] == float(step.expected)
    assert row_of(report, stage="forward")["bytes"] == 28_454_158_336
    assert row_of(report, stage="communication")["regime"] == "link"


def test_seventy_billion_parameters_and_sixty_four_ranks() -> None:
    report = reports("step --params 70e9 --ranks 64")["step 4096"]
    assert row_of(report, stage="optimizer")["bytes"] == 26 * 70 * 10**9
    assert row_of(report, stage="communication")["bytes"] == 2 * 63 * 70 * 10**9 * 2 // 64


def test_options_of_a_step() -> None:
    plain = reports("step")["step 4096"]
    flags = "--overlap --in-switch --checkpointing --causal --lm-head all --backward flash"
    changed = reports(f"step {flags} --batch 2")["step 4096"]
    assert row_of(changed, stage="communication")["bytes"] == 2 * 8_030_000_000
    assert row_of(changed, stage="forward")["flops"] > row_of(plain, stage="forward")["flops"]
    whole = row_of(changed, stage="step, with overlap")
    assert whole["expected"] < sum(row["expected"] for row in changed["rows"][:-1])
    sharded = reports("step --zero 3")["step 4096"]
    assert row_of(sharded, stage="optimizer")["bytes"] == 26 * 8_030_000_000 // 8


# --- requests and memory ----------------------------------------------------------------------


def test_a_request_in_both_conventions() -> None:
    rows = reports("request")["request"]
    streams = {"bytes_of": "weights and streams"}
    prefill = row_of(rows, phase="prefill, S = 4096", **streams)
    decode = row_of(rows, phase="decode, T = 4096", **streams)
    assert (prefill["bytes"], decode["bytes"]) == (28_454_158_336, 14_495_514_624)
    assert (prefill["regime"], decode["regime"]) == ("compute", "memory")
    assert decode["tokens_per_second"] == pytest.approx(310.6, abs=0.05)
    summed = row_of(rows, phase="prefill, S = 4096", bytes_of="every operator")
    assert summed["bytes"] == 59_592_671_232


def test_batches_caches_and_generation() -> None:
    one = reports("request --kv-len 8192")["request"]
    many = reports("request --kv-len 8192 --batch 16 --cache-dtype fp8 --new-tokens 100")["request"]
    wanted = {"phase": "decode, T = 8192", "bytes_of": "weights and streams"}
    assert (
        row_of(many, **wanted)["tokens_per_second"]
        > 10 * row_of(one, **wanted)["tokens_per_second"]
    )
    assert row_of(many, phase="100 tokens")["flops"] > 99 * row_of(one, **wanted)["flops"]


@pytest.mark.parametrize("model", ["8b-class", "deepseek-v3"])
def test_operators_of_a_request_add_up(model: str) -> None:
    found = reports(f"request --model {model} --operators --lm-head last --batch 4")
    for phase in ("prefill, S = 4096", "decode, T = 4096"):
        total = row_of(found["request"], phase=phase, bytes_of="every operator")
        rows = found[phase]["rows"]
        assert sum(row["bytes"] for row in rows) == total["bytes"]
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        assert "lm_head" in [row["operator"] for row in rows]


def test_does_it_fit() -> None:
    training = reports("memory --machine h100")["training"]
    assert row_of(training, part="all")["fits"] == "no"
    assert row_of(training, part="weights")["bytes"] == 2 * 8_030_000_000
    sharded = reports("memory --machine h100 --zero 3 --ranks 8 --checkpointing")["training"]
    assert row_of(sharded, part="all")["fits"] == "yes"
    assert row_of(reports("memory")["training"], part="all")["fits"] == "yes"
    unknown = row_of(reports("memory --machine h20-3e")["inference"], part="all")
    assert "hbm" in unknown["fits"]["missing"]


def test_parameters_by_part() -> None:
    parts = reports("memory --model deepseek-v3")["parameters"]
    assert row_of(parts, part="all")["parameters"] == 671_026_419_200
    assert row_of(parts, part="active for a token")["share"] < 0.06
    cache = row_of(
        reports("memory --model llama-3-70b --seq-len 1 --cache-dtype int8")["inference"],
        part="KV cache",
    )
    assert cache["bytes"] == 163_840


# --- machines ---------------------------------------------------------------------------------


def test_machines_and_links() -> None:
    found = reports("machines")
    assert [row["machine"] for row in found["machines"]["rows"]] == list(MACHINES)
    row = row_of(found["machines"], machine="h200")
    assert (round(row["balance"], 1), round(row["reached"], 1)) == (206.1, 162.0)
    assert row_of(found["links"], link="nvlink")["h200"] == 450 * 10**9
    assert "h200-tileops-0.1.0:envelope" in text("machines")


def test_every_value_of_a_machine_names_its_fact() -> None:
    rows = reports("machines h100 a100 --dtype bf16")
    assert list(rows) == ["h100", "a100"]
    for row in rows["a100"]["rows"]:
        assert row["fact"] == MACHINES["a100"].facts.get(row["field"], "1 by definition")
    assert line_of(text("machines h100"), "levels.l2").endswith("52.43 MB h100.l2.capacity")


# --- wrong use --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ops --machine h20", "unknown machine 'h20'; did you mean 'h200'"),
        ("ops --machine h200 --roof bust", "unknown roof of h200 'bust'; did you mean 'burst'"),
        ("ops --machine h30 --roof burst", "unknown machine 'h30'"),
        ("ops --dtype fp61", "or 'fp16'"),
        ("ops --gemm 5x5", "neither an edge such as 512 nor MxNxK"),
        ("ops --seq-len zero", "'zero' is not a positive number such as 4096 or 70e9"),
        ("step --seq-len 512,-1", "'-1' is not a positive number"),
        ("step --link nvlik", "did you mean 'nvlink'"),
        ("step --ranks 1", "two or more whole ranks"),
        ("step --model deepseek-v3", "no training step of deepseek-v3: choose one of 8b-class"),
        ("request --model llama-8b", "did you mean 'llama-3-8b'"),
        ("memory --zero 4", "'4' is not one of"),
        ("machines h2000", "did you mean"),
    ],
)
def test_wrong_use_is_told_without_a_traceback(line: str, message: str) -> None:
    result = run(line)
    assert result.exit_code in (1, 2)
    assert isinstance(result.exception, SystemExit)
    assert message in result.output
