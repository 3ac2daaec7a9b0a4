from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st

from bookcode.live.context import digest


@dataclass
class Record:
    key: str
    parts: list[int] = field(default_factory=list)


class Plain:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class Kind(Enum):
    ONE = 1
    TWO = 2


def title(text: str, line: int = 1) -> nodes.title:
    made = nodes.title("", text)
    made.line = line
    return made


PAIRS = [
    (1, 2),
    (1, "1"),
    (1, True),
    ("a", b"a"),
    (Path("a"), "a"),
    (["a", "b"], ["b", "a"]),
    (["ab"], ["a", "b"]),
    ([["a"], "b"], [["a", "b"]]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"b": 1}),
    ({1, 2}, {1, 3}),
    (frozenset(), []),
    (Record("a"), Record("b")),
    (Record("a", [1]), Record("a", [2])),
    (Plain(a=1), Plain(a=2)),
    (Kind.ONE, Kind.TWO),
    (title("one"), title("two")),
    ({"page": title("one")}, {"page": title("two")}),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=repr)
def test_different_things_differ(one: Any, other: Any) -> None:
    assert digest(one) != digest(other)
    assert digest(one) == digest(one)


def test_order_in_dicts_and_sets_and_lines_of_nodes_do_not_matter() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"x", "y", "z"}) == digest({"z", "y", "x"})
    assert digest({"page": title("one", 1)}) == digest({"page": title("one", 9)})
    assert digest(Plain(a=1, b=2)) == digest(Plain(b=2, a=1))


def test_two_objects_alike_are_the_same() -> None:
    assert digest([Record("a", [1]), Plain(x={"y"})]) == digest([Record("a", [1]), Plain(x={"y"})])


def test_what_holds_itself_comes_to_an_end() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert digest(loop) == digest(loop)
    assert digest(loop) != digest([1])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_equal_digests_mean_equal_values(one: Any, other: Any) -> None:
    assert (digest(one) == digest(other)) == (repr_sorted(one) == repr_sorted(other))


def repr_sorted(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{k!r}: {repr_sorted(value[k])}" for k in sorted(value, key=repr))
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(repr_sorted, value))}]"
    return repr(value)
