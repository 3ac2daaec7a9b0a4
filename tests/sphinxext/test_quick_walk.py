"""A search below a node finds what docutils' own search finds, whatever is done meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st

from bookcode.sphinxext import quick_walk

KINDS = [nodes.section, nodes.paragraph, nodes.emphasis, nodes.bullet_list]
CONDITIONS: list[Any] = [
    None,
    nodes.paragraph,
    nodes.Text,
    nodes.TextElement,
    nodes.Element,
    lambda node: isinstance(node, nodes.paragraph),
    lambda node: len(node.children) > 1,
]

leaves = st.sampled_from(["word", "", "two words"]).map(nodes.Text)
trees = st.recursive(
    leaves | st.sampled_from(KINDS).map(lambda kind: kind()),
    lambda inner: st.builds(
        lambda kind, children: kind("", *children), st.sampled_from(KINDS), st.lists(inner)
    ),
    max_leaves=25,
)
options = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("include_self", "descend", "siblings", "ascend"), st.booleans()),
)


def named(tree: nodes.Node) -> nodes.Node:
    """The tree, each of its elements with a name to tell it by."""
    for number, node in enumerate(quick_walk._findall(tree, nodes.Element)):
        node["names"] = [str(number)]
    return tree


def told(node: nodes.Node) -> str:
    return node["names"][0] if isinstance(node, nodes.Element) else f"text {node.astext()}"


def found(search: Callable[..., Iterator[nodes.Node]], tree: nodes.Node, change: int,
          *given: Any, **options: Any) -> list[str]:  # fmt: skip
    """What a search finds while the tree is changed under it."""
    seen = []
    for number, node in enumerate(search(tree, *given, **options)):
        seen.append(told(node))
        if number % 3 == 1 and node.parent is not None:
            if change == 1:
                node.parent.remove(node)
            elif change == 2:
                new = nodes.paragraph("", nodes.Text("new"), names=["new"])
                node.parent.replace(node, new)
            elif change == 3:
                node.parent.append(nodes.emphasis(names=[f"added {number}"]))
            elif change == 4 and isinstance(node, nodes.Element):
                node.children = node.children[::-1]
            elif change == 5:
                node.parent.children = list(node.parent.children)
        if number > 200:
            break
    return seen


@given(trees, st.sampled_from(CONDITIONS), st.integers(0, 5), options)
def test_it_finds_the_same(
    tree: nodes.Node, condition: Any, change: int, options: dict[str, bool]
) -> None:
    whole = named(nodes.section("", tree, nodes.paragraph(), nodes.Text("end")))
    copy = whole.deepcopy()
    assert [told(n) for n in quick_walk._findall(whole)] == [
        told(n) for n in quick_walk._findall(copy)
    ]
    start = whole.children[0] if len(whole.children) > 2 else whole
    other = copy.children[0] if len(copy.children) > 2 else copy
    theirs = found(quick_walk._findall, other, change, condition, **options)
    assert found(quick_walk._find_quickly, start, change, condition, **options) == theirs


def test_text_is_not_gone_through_by_letters() -> None:
    text = nodes.Text("ab")
    assert list(quick_walk._find_quickly(text, include_self=False)) == []
    assert list(quick_walk._find_quickly(text, lambda node: True)) == [text]


def test_it_takes_the_place_of_docutils_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes.Node, "findall", quick_walk._findall)
    quick_walk.install_quick_walk()
    paragraph = nodes.paragraph("", nodes.Text("x"))
    assert nodes.Node.findall is quick_walk._find_quickly
    assert list(paragraph.findall(nodes.Text)) == [paragraph.children[0]]
