from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.live.problems import Problem, from_exception, parse

ROOT = Path("/home/me/book")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "/home/me/book/book/one.md:7: WARNING: unknown document: 'x' [ref.doc]",
            Problem("book/one.md", 7, "warning", "unknown document: 'x'", "ref.doc"),
        ),
        (
            "book/one.md:7:12: ERROR: '4096': a number [bookcode.prose]",
            Problem("book/one.md", 7, "error", "'4096': a number", "bookcode.prose"),
        ),
        ("/home/me/book/book/one.md: ERROR: odd", Problem("book/one.md", 0, "error", "odd")),
        ("WARNING: no place", Problem("", 0, "warning", "no place")),
        ("CRITICAL: worse", Problem("", 0, "error", "worse")),
        ("something else", Problem("", 0, "warning", "something else")),
        (
            "\x1b[31mbook/one.md:3: ERROR: in red\x1b[39;49;00m",
            Problem("book/one.md", 3, "error", "in red"),
        ),
        (
            "book/one.md:9: ERROR: cell 1 failed\n    File /home/me/book/x.py:2\n    E: x"
            " [mystnb.exec] [mystnb.exec]",
            Problem("book/one.md", 9, "error", "cell 1 failed\n    File x.py:2\n    E: x",
                    "mystnb.exec"),
        ),
    ],
)  # fmt: skip
def test_messages_of_sphinx(text: str, problem: Problem) -> None:
    assert parse(text, ROOT) == [problem]


def test_several_messages_each_once() -> None:
    text = "a.md:1: WARNING: x\nb.md:2: ERROR: y\n  more of it\na.md:1: WARNING: x\n\n"
    found = parse(text, ROOT)
    assert [(p.path, p.line, p.text) for p in found] == [
        ("a.md", 1, "x"),
        ("b.md", 2, "y\n  more of it"),
    ]
    assert parse("", ROOT) == []


def test_only_errors_spoil_a_page_and_not_those_about_its_words() -> None:
    assert Problem("a", 1, "error", "x", "mystnb.exec").spoils
    assert Problem("a", 1, "error", "x", "bookcode.num").spoils
    assert not Problem("a", 1, "error", "x", "bookcode.prose").spoils
    assert not Problem("a", 1, "warning", "x", "ref.doc").spoils


def test_an_exception_is_placed_where_the_project_raised_it(tmp_path: Path) -> None:
    path = tmp_path / "conf.py"
    path.write_text("def inner():\n    raise ValueError('odd value')\n\n\ninner()\n")
    try:
        try:
            exec(compile(path.read_text(), str(path), "exec"), {})
        except ValueError as error:
            raise RuntimeError("while reading the configuration") from error
    except RuntimeError as error:
        found = from_exception(error, tmp_path)
    assert (found.path, found.line, found.level) == ("conf.py", 2, "error")
    assert found.text == "RuntimeError: while reading the configuration"


def test_a_syntax_error_is_placed_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "conf.py"
    path.write_text("a = 1\nb = ((\n")
    try:
        try:
            compile(path.read_text(), str(path), "exec")
        except SyntaxError as error:
            raise RuntimeError(f"{path}: cannot be read") from error
    except RuntimeError as error:
        found = from_exception(error, tmp_path)
    assert (found.path, found.line) == ("conf.py", 2)
    assert found.text == "RuntimeError: conf.py: cannot be read"


def test_an_exception_from_elsewhere_has_no_place(tmp_path: Path) -> None:
    assert from_exception(OSError(""), tmp_path) == Problem(
        "", 0, "error", "OSError: no message", "builder"
    )
