from __future__ import annotations

from typing import Any

import pytest

from bookcode.execution.outputs import CellOutputs


class Collected:
    """A collector whose descriptors are lists of text."""

    def __init__(self) -> None:
        self.raw: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self.late: list[tuple[int, int, dict[str, Any]]] = []
        self.outputs = CellOutputs(
            {"stdout": lambda: self._take("stdout"), "stderr": lambda: self._take("stderr")},
            lambda *args: self.late.append(args),
            lambda text: text.replace("/here/", ""),
        )
        self.outputs.begin(0)

    def _take(self, name: str) -> str:
        text, self.raw[name] = "".join(self.raw[name]), []
        return text


@pytest.fixture
def collected() -> Collected:
    return Collected()


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def shown(text: str) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def display(outputs: CellOutputs, text: str, identity: str | None = None) -> None:
    outputs.display({"text/plain": text}, {}, identity)


def test_text_comes_before_the_display_that_follows_it(collected: Collected) -> None:
    outputs = collected.outputs
    outputs.write("stdout", "a")
    outputs.write("stderr", "e")
    outputs.write("stdout", "b")
    display(outputs, "x")
    outputs.write("stdout", "c")
    assert outputs.end() == [stream("ab"), stream("e", "stderr"), shown("x"), stream("c")]


def test_adjacent_text_is_one_output_however_often_it_is_flushed(collected: Collected) -> None:
    for letter in "abc":
        collected.outputs.write("stdout", letter)
        collected.outputs.flush("stdout")
    assert collected.outputs.end() == [stream("abc")]


def test_text_of_programs_keeps_its_place(collected: Collected) -> None:
    collected.outputs.write("stdout", "before ")
    collected.raw["stdout"].append("program ")
    collected.outputs.write("stdout", "after")
    assert collected.outputs.end() == [stream("before program after")]


def test_empty_text_is_no_output(collected: Collected) -> None:
    collected.outputs.write("stdout", "")
    assert collected.outputs.end() == []


def test_clearing_now_and_with_the_next_output(collected: Collected) -> None:
    outputs = collected.outputs
    display(outputs, "gone")
    outputs.clear(wait=False)
    display(outputs, "gone later")
    outputs.write("stdout", "gone too")
    outputs.clear(wait=True)
    outputs.write("stderr", "kept")
    outputs.write("stdout", "kept first")
    assert outputs.end() == [stream("kept first"), stream("kept", "stderr")]


def test_clearing_with_nothing_after_it_keeps_the_output(collected: Collected) -> None:
    display(collected.outputs, "kept")
    collected.outputs.clear(wait=True)
    assert collected.outputs.end() == [shown("kept")]


def test_updates_reach_this_cell_and_earlier_ones(collected: Collected) -> None:
    outputs = collected.outputs
    display(outputs, "one", "id")
    first = outputs.end()
    outputs.begin(1)
    display(outputs, "two", "id")
    outputs.update("id", {"text/plain": "new"}, {})
    assert outputs.end() == [shown("new")]
    assert first == [shown("new")]
    assert collected.late == [(0, 0, shown("new"))]


def test_a_cleared_display_is_not_updated(collected: Collected) -> None:
    outputs = collected.outputs
    display(outputs, "gone", "id")
    outputs.clear(wait=False)
    display(outputs, "other")
    outputs.update("id", {"text/plain": "new"}, {})
    outputs.update("nobody", {"text/plain": "new"}, {})
    assert outputs.end() == [shown("other")]
    assert collected.late == []


def test_errors_are_remembered_per_cell_and_hold_no_folders(collected: Collected) -> None:
    outputs = collected.outputs
    outputs.error("ValueError", "bad", ["File /here/a.py"])
    assert outputs.last_error is not None
    assert outputs.last_error["traceback"] == ["File a.py"]
    assert outputs.end() == [outputs.last_error]
    outputs.begin(1)
    assert outputs.last_error is None
