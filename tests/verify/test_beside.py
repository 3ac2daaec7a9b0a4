"""What is checked beside the builds: nothing found is lost when something cannot go on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from bookcode.reality import check
from bookcode.sources import FetchSet
from bookcode.sources.errors import UnknownKeyError
from bookcode.verify import beside
from bookcode.verify.beside import check_world, workers
from bookcode.verify.result import Result

ROOT = Path(__file__).parents[2]
UNKNOWN = UnknownKeyError("fact", "h200.pek", ["h200.peak"])


class Here:
    """Does in this process what others would do."""

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*given))
        return future


def world(root: Path) -> list[Result]:
    return check_world(root, FetchSet.FULL, lambda line: None, Here())  # type: ignore[arg-type]


def raised(*_: Any) -> list[Result]:
    raise UNKNOWN


@pytest.mark.parametrize(("module", "name"), [(check, "check_reality"), (beside, "check_sources")])
def test_what_was_found_before_an_error_is_kept(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    monkeypatch.setattr(beside, "check_sources", lambda *_: [Result("citations", problems=["c"])])
    monkeypatch.setattr(module, name, raised)
    found = {result.name: result for result in world(ROOT)}
    assert found["sources"].problems == [str(UNKNOWN)]
    assert found["machine profiles"].checked > 0
    assert found["generated words"].checked > 0
    assert ("citations" in found) == (name == "check_reality")


def test_without_a_registry_the_rest_is_told(tmp_path: Path) -> None:
    names = [result.name for result in world(tmp_path)]
    assert names == ["generated words", "sources"]


@pytest.mark.slow
def test_other_processes_see_the_project(tmp_path: Path) -> None:
    with workers() as pool:
        generated = pool.submit(beside._generated).result()
        links = pool.submit(beside.check_site, tmp_path).result()
    assert (generated.problems, links.checked) == ([], 0)
    assert generated.checked > 0
