"""The lint over words that no page holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.verify.generated import Words, check_generated, in_templates, problems_of

SCRIPT = """\
// A comment may say 48 kB.
export const words = {
  en: { one: "moves %s", two: (count) => (count === 1 ? "one" : `${count} of them`) },
};
"""


def site(folder: Path, said: str = "bytes", markup: str = "<p>{{ title }}</p>") -> Path:
    (folder / "js").mkdir()
    (folder / "js" / "words.js").write_text(SCRIPT % said, "utf-8")
    (folder / "templates").mkdir()
    (folder / "templates" / "page.html").write_text(markup, "utf-8")
    return folder


def test_the_books_own_words_hold_no_numbers() -> None:
    result = check_generated()
    assert result.problems == []
    assert result.checked > 500


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("bytes", []),
        ("48 kB", ["bookcode/site/js/words.js:3: '48 kB' in 'moves 48 kB': a typed quantity"]),
        ("twice as many", ["bookcode/site/js/words.js:3: 'twice' in 'moves twice as many'"]),
        ("一个数量级", ["bookcode/site/js/words.js:3: '一个数量级' in 'moves 一个数量级'"]),
    ],
)
def test_what_a_script_says(tmp_path: Path, said: str, found: list[str]) -> None:
    problems = check_generated(site(tmp_path, said)).problems
    assert len(problems) == len(found)
    assert all(problem.startswith(text) for problem, text in zip(problems, found, strict=True))


def test_a_template_is_read_without_its_markup(tmp_path: Path) -> None:
    markup = "<!-- 48 kB -->\n<p data-x='7 GB'>{% if a %}\n moves 3 MB &amp; {{ more }}</p>"
    (words,) = in_templates(site(tmp_path, markup=markup) / "templates")
    assert words == Words("bookcode/site/templates/page.html:3", "moves 3 MB &")
    (problem,) = problems_of(words)
    assert "'3 MB'" in problem


def test_names_to_fill_in_and_code_are_left_alone() -> None:
    for text in ("{count} of {most}", "${low} to ${high}", "`2 * m`", "第 {first} 行"):
        assert list(problems_of(Words("x", text))) == []
