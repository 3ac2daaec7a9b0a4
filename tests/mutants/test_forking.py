"""Judging in forks: answers, errors, deaths, time limits, deadlines."""

from __future__ import annotations

import os
import time

import pytest

from bookcode.mutants import Mutant, MutantsError, Red
from bookcode.mutants._forking import call_forked, judge_all
from bookcode.mutants._model import Verdict, counted


def mutants(*names: str) -> list[Mutant]:
    return [Mutant("ledger", name, "x.py", 1, 1, name) for name in names]


def judge(mutant: Mutant) -> Red | None:
    match mutant.name:
        case "survives":
            return None
        case "raises":
            raise ValueError("odd")
        case "exits":
            raise SystemExit(3)
        case "dies":
            os._exit(1)
        case "hangs":
            time.sleep(60)
        case "no source":
            return Red("", "not checked: no artifact")
    return Red("lock", f"{mutant.name} is noticed")


def outcomes(verdicts: list[Verdict]) -> dict[str, tuple[str, str]]:
    return {v.mutant.name: (v.outcome, v.by) for v in verdicts}


def test_what_becomes_of_a_mutant() -> None:
    wanted = ("survives", "noticed", "raises", "exits", "dies", "hangs", "no source")
    verdicts = list(judge_all(mutants(*wanted), judge, seconds=1.0))
    assert outcomes(verdicts) == {
        "survives": ("survived", ""),
        "noticed": ("killed", "lock"),
        "raises": ("killed", "crash"),
        "exits": ("killed", "crash"),
        "dies": ("killed", "time limit"),
        "hangs": ("killed", "time limit"),
        "no source": ("not run", ""),
    }
    details = {v.mutant.name: v.detail for v in verdicts}
    assert details["noticed"] == "noticed is noticed"
    assert details["raises"] == "ValueError: odd"


def test_shares_are_judged_in_one_fork() -> None:
    def by_process(mutant: Mutant) -> Red:
        return Red(str(os.getpid()), "")

    names = [str(number) for number in range(10)]
    verdicts = list(judge_all(mutants(*names), by_process, share=5))
    assert sorted(v.mutant.name for v in verdicts) == names
    assert len({v.by for v in verdicts}) == 2
    assert str(os.getpid()) not in {v.by for v in verdicts}


def test_after_the_deadline_nothing_is_begun() -> None:
    verdicts = list(judge_all(mutants("a", "b"), judge, deadline=time.monotonic() - 1))
    assert outcomes(verdicts) == {"a": ("not run", ""), "b": ("not run", "")}


def test_a_large_answer_comes_whole() -> None:
    names = [f"{number:04}" * 30 for number in range(2000)]
    verdicts = list(judge_all(mutants(*names), judge, share=2000))
    assert all(v.outcome == "killed" for v in verdicts)
    assert len(verdicts) == 2000


def test_a_call_in_a_fork_gives_data_and_leaves_nothing() -> None:
    seen: list[int] = []

    def work() -> dict[str, int]:
        seen.append(1)
        return {"answer": 42}

    assert call_forked(work) == {"answer": 42}
    assert seen == []


def test_an_error_in_a_fork_is_an_error_here() -> None:
    with pytest.raises(MutantsError, match="ZeroDivisionError"):
        call_forked(lambda: 1 // 0)
    with pytest.raises(MutantsError, match="died"):
        call_forked(lambda: os._exit(1))


def test_counts_by_kind_and_check() -> None:
    one, two, three, four = mutants("a", "b", "c", "d")
    verdicts = [
        Verdict(one, "killed", "lock"),
        Verdict(two, "killed", "tests"),
        Verdict(three, "survived"),
        Verdict(four, "equivalent", detail="because"),
    ]
    assert counted(verdicts) == {
        "ledger": {
            "mutants": 4,
            "killed": 2,
            "survived": 1,
            "equivalent": 1,
            "not run": 0,
            "killed by": {"lock": 1, "tests": 1},
        }
    }
    assert str(one) == "x.py:1:1: a"
    assert str(Mutant("lock", "n", "x.json", 0, 0, "w")) == "x.json: w"
    assert verdicts[3].to_json()["detail"] == "because"
