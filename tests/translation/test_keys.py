"""Keys, placeholders, targets and digits: what a translation must keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.translation.keys import digits, keys, problems, spans


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Of {num}`a.b:sig3` bytes", {("num", "a.b:sig3")}),
        ("{num}`a` and {num}`a` and {num}`a:int`", {("num", "a"), ("num", "a:int")}),
        ("{holds}`twice the bytes <big>`", {("holds", "big")}),
        ("{holds}`big`", {("holds", "big")}),
        ("{term}`机器平衡点 <machine balance>`", {("term", "machine balance")}),
        ("{term}`roofline`", {("term", "roofline")}),
        ("a slope of {roof.bandwidth:sig3}", {("placeholder", "roof.bandwidth:sig3")}),
        ("{n} vectors", {("placeholder", "n")}),
        ("{ref}`the long\n  words <here>`", {("ref", "here")}),
        ("{math}`x` beside {not a key}", {("math", "x")}),
    ],
)
def test_keys_of_a_text(text: str, found: set[tuple[str, str]]) -> None:
    assert set(keys(text)) == found


def test_keys_are_counted() -> None:
    assert keys("{num}`a`, {a}, {num}`b` and {num}`a`") == {
        ("num", "a"): 2,
        ("num", "b"): 1,
        ("placeholder", "a"): 1,
    }


def test_spans_of_a_text() -> None:
    text = "Call `f(x)` or ``a`b``, $M N$ of [it](page.md#there), {lit}`3`; it costs \\$5 or $ 6 $"
    assert spans(text) == {
        ("code", "f(x)"),
        ("code", "a`b"),
        ("math", "M N"),
        ("link target", "page.md#there"),
    }


def test_digits_are_those_that_are_typed() -> None:
    text = "fp16 and 3.5 of {num}`e4.x`, `a[7]`, $8 x$, {k9}, [9](p1.md), ２"
    assert digits(text) == {"16", "3.5", "9", "２"}


@pytest.mark.parametrize(
    ("message", "translation"),
    [
        ("{num}`a` of {num}`b`", "{num}`b` 中的 {num}`a`"),
        ("See {term}`tile`", "见 {term}`分块 <tile>`"),
        ("An H200 in `fp16`", "H200，用 `fp16`"),
        ("two of them", "其中两个"),
        ("[There](a.md) $x$", "$x$ [那里](a.md)"),
    ],
)
def test_a_faithful_translation_has_no_problem(message: str, translation: str) -> None:
    assert list(problems(message, translation)) == []


@pytest.mark.parametrize(
    ("message", "translation", "said"),
    [
        ("{num}`a`", "{num}`b`", ["lacks {num}`a`", "English has no {num}`b`"]),
        (
            "{num}`a`, {num}`b`, {num}`a`",
            "{num}`a`、{num}`b`、{num}`b`",
            ["lacks {num}`a` as often: 1 times, not 2", "has no {num}`b` as often: 1 times, not 2"],
        ),
        ("{num}`a:sig2`", "{num}`a:sig3`", ["lacks {num}`a:sig2`", "no {num}`a:sig3`"]),
        ("{holds}`a`", "两倍", ["lacks {holds}`a`"]),
        ("up to {peak}", "最高 {peek}", ["lacks {peak}", "no {peek}"]),
        ("call `f`", "调用 `g`", ["lacks the code 'f'", "no code 'g'"]),
        ("$x$", "$y$", ["lacks the math 'x'", "no math 'y'"]),
        ("[a](b.md)", "[甲](c.md)", ["lacks the link target 'b.md'", "no link target 'c.md'"]),
        ("two of 7", "7 个里的 2 个", ["typed digits that the English lacks: 2"]),
        ("two", "２", ["typed digits that the English lacks: ２"]),
    ],
)
def test_what_differs_is_named(message: str, translation: str, said: list[str]) -> None:
    found = [problem for problem, _ in problems(message, translation)]
    assert len(found) == len(said)
    assert all(words in problem for words, problem in zip(said, found, strict=True))


ROLES = st.sampled_from(["{num}`a.b`", "{fact}`c:sig2`", "{holds}`d`", "`code`", "$x$", "{e.f}"])


@given(st.lists(ROLES, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_uses_does_not_matter_but_their_number_does(parts, random) -> None:
    message = " x ".join(parts)
    shuffled = [*parts]
    random.shuffle(shuffled)
    assert list(problems(message, " 字 ".join(shuffled))) == []
    (lacking,) = problems(message, " 字 ".join(part for part in parts if part != parts[0]))
    assert "lacks" in lacking[0]
    more = [problem for problem, _ in problems(message, " 字 ".join([*parts, parts[0]]))]
    counted = parts[0][0] == "{"  # code and math only have to be there
    assert len(more) == counted
    assert all("as often" in problem for problem in more)
