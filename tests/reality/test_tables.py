"""Readers of measured tables: every row read, every oddity refused with its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from bookcode.reality.covering import groups
from bookcode.reality.errors import TableError
from bookcode.reality.tables import DATA, FILES, members_of, read, read_all
from bookcode.sources.members import Members

GEMM = "h200_sxm/x/1/gemm_perf.txt"
GEMM_HEAD = "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency"
ATTENTION_HEAD = (
    "framework,version,device,op_name,kernel_source,batch_size,isl,num_heads,num_key_value_heads,"
    "head_dim,beam_width,attn_dtype,kv_cache_dtype,step,latency"
)
NCCL_HEAD = "nccl_dtype,num_gpus,message_size,kernel_source,op_name,latency"

MakeWheel = Callable[[Mapping[str, str]], Members]


def gemm_row(m: int, n: int, k: int, ms: float, label: str = "float16", **more: str) -> str:
    """A row of a GEMM table."""
    device = more.get("device", "NVIDIA H200")
    source = more.get("source", "torch_flow")
    return f"X,1,{device},gemm,{source},{label},{m},{n},{k},{ms!r}"


def test_rows_and_columns_are_read(wheel: MakeWheel) -> None:
    text = "\n".join([GEMM_HEAD, gemm_row(1, 2, 3, 0.5), gemm_row(4, 5, 6, 0.25)]) + "\n"
    table = read(DATA + GEMM, "gemm", wheel({GEMM: text}))
    assert len(table) == 2
    assert table.data_set == "h200_sxm/x/1"
    assert table.number("n").tolist() == [2, 5]
    assert table.seconds.tolist() == [0.0005, 0.00025]
    assert table.text("missing", "-").tolist() == ["-", "-"]


def test_carriage_returns_and_a_missing_last_line_end_do_no_harm(wheel: MakeWheel) -> None:
    name = "h200_sxm/nccl/1/nccl_perf.txt"
    text = f"{NCCL_HEAD}\r\nhalf,8,1024,NCCL,all_reduce,0.5\r\nint8,2,7,NCCL,alltoall,1.5"
    found = list(groups(read(DATA + name, "nccl", wheel({name: text}))))
    assert [(g.operator, g.label, len(g)) for g in found] == [
        ("all_reduce", "half", 1),
        ("all_to_all", "int8", 1),
    ]


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["1,2,3"], 2, "3 cells for 10"),
        ([gemm_row(1, 2, 3, 0.5), gemm_row(1, 2, 3, 0.0)], 3, "latency"),
        ([gemm_row(1, 2, 3, float("nan"))], 2, "latency"),
        ([gemm_row(1, 2, 3, -1.0)], 2, "latency"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(
    wheel: MakeWheel, rows: list[str], line: int, message: str
) -> None:
    members = wheel({GEMM: "\n".join([GEMM_HEAD, *rows])})
    with pytest.raises(TableError, match=message) as caught:
        read(DATA + GEMM, "gemm", members)
    assert caught.value.line == line


def test_a_cell_that_is_no_number_is_refused_with_its_line(wheel: MakeWheel) -> None:
    rows = [gemm_row(1, 2, 3, 0.5), gemm_row(1, 2, 3, 0.5).replace(",2,3,", ",two,3,")]
    table = read(DATA + GEMM, "gemm", wheel({GEMM: "\n".join([GEMM_HEAD, *rows])}))
    with pytest.raises(TableError, match="two") as caught:
        table.number("n")
    assert caught.value.line == 3


def test_a_missing_column_names_the_nearest(wheel: MakeWheel) -> None:
    members = wheel({GEMM: GEMM_HEAD.replace("gemm_dtype", "gem_dtype") + "\n"})
    with pytest.raises(TableError, match="gem_dtype"):
        read(DATA + GEMM, "gemm", members)


def test_quotes_are_not_expected(wheel: MakeWheel) -> None:
    with pytest.raises(TableError, match="quoted"):
        read(DATA + GEMM, "gemm", wheel({GEMM: f'{GEMM_HEAD}\n"a"'}))


def test_an_unknown_label_is_refused_with_the_nearest(wheel: MakeWheel) -> None:
    text = "\n".join([GEMM_HEAD, gemm_row(1, 2, 3, 1.0), gemm_row(1, 2, 3, 1.0, "float61")])
    table = read(DATA + GEMM, "gemm", wheel({GEMM: text}))
    with pytest.raises(TableError, match="float16") as caught:
        list(groups(table))
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [((",1,fp8", ",2,fp8"), "beam_width"), ((",0,1.0", ",5,1.0"), "step")],
)
def test_a_shape_that_is_not_covered_is_refused(
    wheel: MakeWheel, change: tuple[str, str], message: str
) -> None:
    name = "h200_sxm/x/1/context_attention_perf.txt"
    row = "X,1,NVIDIA H200,c,k,1,16,8,8,128,1,fp8,fp8,0,1.0".replace(*change)
    table = read(DATA + name, "prefill", wheel({name: f"{ATTENTION_HEAD}\n{row}"}))
    with pytest.raises(TableError, match=message):
        list(groups(table))


def test_only_systems_that_the_ledger_knows_are_listed(wheel: MakeWheel) -> None:
    names = {f"{system}/x/1/gemm_perf.txt": GEMM_HEAD for system in ("h200_sxm", "l40s")}
    assert members_of("gemm", wheel(names)) == [DATA + GEMM]


def test_a_place_is_a_line_of_the_file(wheel: MakeWheel) -> None:
    rows = [gemm_row(1, 1, 1, 1.0, "fp8"), gemm_row(1, 1, 1, 1.0), gemm_row(2, 1, 1, 1.0)]
    table = read(DATA + GEMM, "gemm", wheel({GEMM: "\n".join([GEMM_HEAD, *rows])}))
    by_label = {group.label: group for group in groups(table)}
    assert by_label["float16"].line(1) == f"{DATA}{GEMM}:4"


def test_the_pinned_wheel_is_read_whole(artifacts: dict[str, Members]) -> None:
    rows = {
        kind: sum(len(table) for table in read_all(kind, artifacts["NVIDIA"])) for kind in FILES
    }
    assert rows == {
        "gemm": 312312,
        "prefill": 119085,
        "decode": 91230,
        "nccl": 2700,
        "all-reduce": 759,
    }


@pytest.mark.parametrize(
    ("member", "kind", "line", "sizes", "milliseconds"),
    [
        ("h200_sxm/trtllm/1.0.0rc3/gemm_perf.txt", "gemm", 18758, (4096, 4096, 4096), 0.17208),
        ("h200_sxm/trtllm/1.0.0rc3/gemm_perf.txt", "gemm", 27124, (1, 4096, 4096), 0.01335),
        ("h200_sxm/nccl/2.26.2/nccl_perf.txt", "nccl", 484, (268435456, 8), 2.0908),
        ("h200_sxm/nccl/2.26.2/nccl_perf.txt", "nccl", 505, (536870912, 8), 2.6895),
        (
            "h200_sxm/vllm/0.11.0/context_attention_perf.txt",
            "prefill",
            3472,
            (1, 32, 8, 128, 4096),
            0.30692,
        ),
    ],
)
def test_cited_rows_are_where_the_citations_say(
    artifacts: dict[str, Members],
    member: str,
    kind: str,
    line: int,
    sizes: tuple[int, ...],
    milliseconds: float,
) -> None:
    table = read(DATA + member, kind, artifacts["NVIDIA"])
    found = [
        (group, row)
        for group in groups(table)
        for row in range(len(group))
        if group.index[row] + 2 == line
    ]
    [(group, row)] = found
    assert tuple(values[row] for values in group.sizes.values()) == sizes
    assert group.seconds[row] * 1e3 == pytest.approx(milliseconds, abs=1e-5)
