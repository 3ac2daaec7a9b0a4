"""Looks for nodes in a tree with one generator, not with one for every node.

The transforms of all extensions look through the whole of a page some eighty times, a quarter of
the time of reading it. docutils does so by recursion, where each node found is handed on from
generator to generator up to the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from docutils.nodes import Element, Node

Condition = type[Node] | Callable[[Node], bool] | None
_findall: Final = Node.findall


def install_quick_walk() -> None:
    """From now on, docutils' search below a node is quick."""
    Node.findall = _find_quickly  # type: ignore[method-assign,assignment]


def _find_quickly(
    self: Node,
    condition: Condition = None,
    include_self: bool = True,
    descend: bool = True,
    siblings: bool = False,
    ascend: bool = False,
) -> Iterator[Any]:
    if siblings or ascend or not descend:
        return _findall(self, condition, include_self, descend, siblings, ascend)
    if include_self and (condition is None or isinstance(condition, type)):
        return _of_type(self, condition or Node)
    if isinstance(condition, type):
        return _such_that(self, lambda node: isinstance(node, condition), include_self)
    return _such_that(self, condition or _any, include_self)


def _any(node: Node) -> bool:
    return True


def _of_type(node: Node, wanted: type[Node]) -> Iterator[Node]:
    """As below. Most searches are for a class, which needs no call for each node."""
    if isinstance(node, wanted):
        yield node
    levels = [iter(node.children)]
    while levels:
        for child in levels[-1]:
            if isinstance(child, wanted):
                yield child
            if child.children:
                levels.append(iter(child.children))
                break
        else:
            levels.pop()


def _such_that(node: Node, condition: Callable[[Node], bool], include_self: bool) -> Iterator[Node]:
    """The nodes in the order of the text; a node's children are looked at after it is handed out.

    So callers may do to the tree what they may do during docutils' own search.
    """
    if include_self and condition(node):
        yield node
    levels = [_children(node)]
    while levels:
        for child in levels[-1]:
            if condition(child):
                yield child
            if child.children:
                levels.append(_children(child))
                break
        else:
            levels.pop()


def _children(node: Node) -> Iterator[Node]:
    """One by one as they are then; text has none, though it can be gone through."""
    return iter(node) if isinstance(node, Element) else iter(())
