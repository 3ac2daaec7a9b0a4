"""After any edits, in any order, the live site is the one that a clean build gives."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from .conftest import LANGUAGE, Builder, CleanBuilds, SmallBook, differences, tree, write_book

CATALOGUE = f"book/locale/{LANGUAGE}/LC_MESSAGES/two.po"
PAGES = ["index", "one", "two", "three"]
WORDS = st.sampled_from(["some.", "others, longer.", "some.\n\nAnd a line more.", "**bold**."])
NOW = st.booleans()


class Editing(RuleBasedStateMachine):
    """An author at work. ``now`` says whether the builder hears of an edit at once."""

    clean: ClassVar[CleanBuilds]

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="editing-"))
        self.book: SmallBook = write_book(self.folder / "project")
        self.builder = Builder(self.book.root, LANGUAGE)
        self.untold: list[str] = []
        self.kept: dict[str, tuple[str, int]] = {}
        self.factor, self.rows = 2, 3

    def teardown(self) -> None:
        self.builder.end()
        shutil.rmtree(self.folder)

    @initialize()
    def start(self) -> None:
        self.check(self.builder.start())

    # edits ------------------------------------------------------------------------------------
    @rule(page=st.sampled_from(PAGES), words=WORDS, now=NOW)
    def edit_prose(self, page: str, words: str, now: bool) -> None:
        self.sub(f"book/{page}.md", r"(?s)(?<=^Words: ).*?\.(?=\n\n|\n\Z)", words, now)

    @rule(
        page=st.sampled_from(PAGES), title=st.sampled_from(["Tally", "One", "A *title*"]), now=NOW
    )
    def edit_title(self, page: str, title: str, now: bool) -> None:
        self.sub(f"book/{page}.md", r"^# .*$", f"# {title}", now)

    @rule(title=st.sampled_from(["A section", "Another section"]), now=NOW)
    def edit_section(self, title: str, now: bool) -> None:
        self.sub("book/two.md", r"^## .*$", f"## {title}", now)

    @rule(words=st.sampled_from(["many", "few"]), now=NOW)
    def edit_cell(self, words: str, now: bool) -> None:
        self.sub("book/one.md", r'"rows are", "\w+"', f'"rows are", "{words}"', now)

    @rule(factor=st.integers(2, 5), now=NOW)
    def edit_deep_module(self, factor: int, now: bool) -> None:
        self.factor = factor
        self.sub("tally/inner.py", r"return \d|retrun \d", f"return {factor}", now)

    @rule(terms=st.sampled_from(["m * n", "n * m"]), now=NOW)
    def edit_module(self, terms: str, now: bool) -> None:
        self.sub("tally/outer.py", r"factor\(\) \* \w \* \w", f"factor() * {terms}", now)

    @rule(now=NOW)
    def break_module(self, now: bool) -> None:
        self.sub("tally/inner.py", "return", "retrun", now)

    @rule(call=st.sampled_from(["1 / 0", "'far'.nothing", "None"]), now=NOW)
    def edit_last_expression(self, call: str, now: bool) -> None:
        self.sub("book/three.md", r"plt\.show\(\).*", f"plt.show(); {call}", now)

    @rule(rows=st.integers(1, 9), now=NOW)
    def edit_data(self, rows: int, now: bool) -> None:
        self.rows = rows
        self.write("book/data.csv", f"{rows}\n", now)

    @rule(value=st.sampled_from(["2e9", "3e9"]), now=NOW)
    def edit_fact(self, value: str, now: bool) -> None:
        self.sub("references/facts.toml", r"\de9", value, now)

    @rule(point=st.integers(1, 3), now=NOW)
    def edit_figure(self, point: int, now: bool) -> None:
        self.sub("book/three.md", r"plot\(.*\)", f"plot([1, {point}])", now)

    @rule(colour=st.sampled_from(["white", "pink"]), now=NOW)
    def edit_figure_style(self, colour: str, now: bool) -> None:
        self.write("book/tally.mplstyle", f"axes.facecolor: {colour}\n", now)

    @rule(words=st.sampled_from(["Eine Notiz.", "Keine Notiz."]), now=NOW)
    def edit_catalogue(self, words: str, now: bool) -> None:
        self.sub(CATALOGUE, r'msgstr "\w+ Notiz\."', f'msgstr "{words}"', now)

    @rule(words=st.sampled_from(["that is", "which is"]), now=NOW)
    def edit_included(self, words: str, now: bool) -> None:
        self.sub("book/note.txt", "(that|which) is", words, now)

    @rule(title=st.sampled_from(["Tally", "Score"]), broken=st.booleans(), now=NOW)
    def edit_conf(self, title: str, broken: bool, now: bool) -> None:
        mark = "((" if broken else ""
        self.sub("conf.py", r"html_title = .*", f'html_title = "{title}"{mark}', now)

    @rule(name=st.sampled_from(["x0", "x1"]), now=NOW)
    def add_or_remove_page(self, name: str, now: bool) -> None:
        path = f"book/{name}.md"
        if (self.book.root / path).exists():
            (self.book.root / path).unlink()
            self.tell(path, now)
        else:
            self.write(path, f"# X\n\nA page called {name}.\n", now)

    @rule(now=NOW)
    def claim_label_twice(self, now: bool) -> None:
        text = self.book.read("book/three.md")
        extra = "\n(target)=\n## The same target\n\nText.\n"
        new = text.replace(extra, "") if extra in text else text + extra
        self.write("book/three.md", new, now)

    # the world around -------------------------------------------------------------------------
    @rule(name=st.sampled_from(["book/one.md", "book/two.md", "book/note.txt", "conf.py"]))
    def keep(self, name: str) -> None:
        path = self.book.root / name
        self.kept[name] = (path.read_text("utf-8"), path.stat().st_mtime_ns)

    @rule(now=NOW)
    def put_back(self, now: bool) -> None:
        """As a backup tool does, with the old time."""
        for name, (text, time) in self.kept.items():
            self.book.write(name, text)
            os.utime(self.book.root / name, ns=(time, time))
            self.untold.append(name)
        self.kept.clear()
        if now:
            self.build()

    @rule()
    def build(self) -> None:
        names, self.untold = list(dict.fromkeys(self.untold)), []
        if names:
            self.check(self.builder.changed(*names, opened=["two.html", "one.html"]))

    @rule(words=WORDS, factor=st.integers(2, 5))
    def edit_while_building(self, words: str, factor: int) -> None:
        self.edit_deep_module(factor, now=False)
        if self.builder.process is not None:
            self.builder.send(*self.untold)
            self.untold = []
        self.edit_prose("two", words, now=True)

    @rule()
    def kill(self) -> None:
        if self.untold and self.builder.process is not None:
            self.builder.send(*self.untold)
        self.builder.kill()
        self.untold = []
        self.check(self.builder.start())

    # helpers ----------------------------------------------------------------------------------
    def sub(self, name: str, pattern: str, new: str, now: bool) -> None:
        text = self.book.read(name)
        self.write(name, re.sub(pattern, lambda _: new, text, flags=re.MULTILINE), now)

    def write(self, name: str, text: str, now: bool) -> None:
        self.book.write(name, text)
        self.tell(name, now)

    def tell(self, name: str, now: bool) -> None:
        self.untold.append(name)
        if now:
            self.build()

    def check(self, outcome: dict[str, Any]) -> None:
        broken = "((" in self.book.read("conf.py")
        assert outcome["kind"] == ("broken" if broken else "built"), outcome
        if broken:
            assert outcome["problem"]["path"] == "conf.py"
            return
        status, wanted = self.clean.build(self.book.root, LANGUAGE)
        assert differences(tree(self.builder.html), wanted) == []
        spoilt = [problem for problem in outcome["problems"] if problem["level"] == "error"]
        assert bool(spoilt) == bool(status)
        assert (
            differences(
                {k: v for k, v in tree(self.builder.served).items() if self.is_shown(k, outcome)},
                {k: v for k, v in wanted.items() if self.is_shown(k, outcome)},
            )
            == []
        )
        if "retrun" not in self.book.read("tally/inner.py"):
            self.check_number("one")
            self.check_number("two")

    def is_shown(self, name: str, outcome: dict[str, Any]) -> bool:
        held = outcome["held"]
        return name not in held and not (held and name.startswith(("_images/", "_static/")))

    def check_number(self, page: str) -> None:
        html = (self.builder.html / f"{page}.html").read_text("utf-8")
        (shown,) = set(re.findall(r'data-key="one\.product"[^>]*>([\d,]+)', html))
        assert int(shown) == self.factor * self.rows * 5


def run(builds: CleanBuilds, examples: int, steps: int) -> None:
    machine = type("Machine", (Editing,), {"clean": builds})
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
def test_the_live_site_is_always_the_one_of_a_clean_build(clean: CleanBuilds) -> None:
    run(clean, int(os.environ.get("BOOKCODE_EXAMPLES", "2")), 12)


@pytest.fixture
def machine(clean: CleanBuilds) -> Iterator[Editing]:
    made: Editing = type("Machine", (Editing,), {"clean": clean})()
    made.start()
    yield made
    made.teardown()


@pytest.mark.slow
def test_each_kind_of_edit_once(machine: Editing) -> None:
    """The machine's edits in one fixed order, so that every run of the tests has them all."""
    machine.keep("book/one.md")
    machine.edit_prose("one", "others, longer.", True)
    machine.edit_deep_module(4, True)
    machine.edit_data(9, True)
    machine.edit_fact("3e9", True)
    machine.edit_title("one", "The first", True)
    machine.edit_section("Another section", True)
    machine.edit_catalogue("Keine Notiz.", True)
    machine.edit_included("which is", True)
    machine.edit_figure_style("pink", True)
    machine.claim_label_twice(True)
    machine.edit_prose("two", "**bold**.", True)
    machine.claim_label_twice(True)
    machine.add_or_remove_page("x1", True)
    machine.add_or_remove_page("x0", True)
    machine.break_module(True)
    machine.edit_deep_module(3, True)
    machine.put_back(True)
    machine.edit_while_building("others, longer.", 5)
    machine.edit_conf("Score", True, True)
    machine.edit_conf("Score", False, True)
    machine.kill()
