"""Takes out the spaces between two Chinese words, where a role or a link stands between them.

A translator puts a space between Chinese and a role, as between Chinese and Latin letters or
digits, since what a role shows is not in the message. Where it shows Chinese, as a verdict and a
term of the glossary do, the space would be a hole in the line.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from bookcode.words import short

_WIDE: Final = "\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef"
"""Chinese characters, and punctuation as wide as they are."""
_BEGINS: Final = re.compile(f"[{_WIDE}]")
_ENDS: Final = re.compile(f"[{_WIDE}]$")
_AS_IT_IS: Final = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def tighten(block: nodes.Element) -> None:
    """Take out the spaces between Chinese and Chinese within one block of text."""
    leaves = [leaf for leaf in block.findall(nodes.Text) if leaf.astext()]
    texts = [leaf.astext() for leaf in leaves]
    for one, other in pairwise(range(len(leaves))):
        left, right = texts[one], texts[other]
        if left.endswith(" ") and _ENDS.search(left.rstrip(" ")) and _BEGINS.match(right):
            texts[one] = left.rstrip(" ")
        elif right.startswith(" ") and _ENDS.search(left) and _BEGINS.match(right.lstrip(" ")):
            texts[other] = right.lstrip(" ")
    for leaf, text in zip(leaves, texts, strict=True):
        if text != leaf.astext() and not isinstance(leaf.parent, _AS_IT_IS):
            _replace(leaf, text)


def _replace(leaf: nodes.Text, text: str) -> None:
    """Put a text in a leaf's place; equal leaves are told apart, which ``replace`` does not do."""
    parent = leaf.parent
    at = next(index for index, child in enumerate(parent.children) if child is leaf)
    parent[at] = nodes.Text(text)


def _blocks(document: nodes.document) -> list[nodes.Element]:
    """Elements whose text runs on: text elements that are not inside another."""
    return [
        found
        for found in document.findall(nodes.TextElement)
        if not isinstance(found, (nodes.Inline, *_AS_IT_IS))
    ]


class TightenSpaces(SphinxPostTransform):
    """On Chinese pages, after everything that is shown has been put in its place.

    Letters and names that are emphasised get a class: Chinese is stressed by dots, a letter that
    stands for a size is set in italics as ever.
    """

    default_priority = 800

    def run(self, **kwargs: Any) -> None:
        if short(self.config.language or "en") == "zh":
            for block in _blocks(self.document):
                tighten(block)
            for stressed in self.document.findall(nodes.emphasis):
                if not re.search(f"[{_WIDE}]", stressed.astext()):
                    stressed["classes"].append("bk-latin")
