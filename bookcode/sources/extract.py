"""Reading a fact's value out of the cited lines, exactly.

Numbers are taken as text and never pass through a float: `4800e9` is a string to one YAML
reader and a rounded double to another.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final

import yaml

from .errors import ExtractionError, hint, nearest
from .model import Citation, Fact
from .tomltext import Lines

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_value(fact: Fact, citation: Citation, text: str, lines: tuple[int, int]) -> Fraction:
    """The value that `text` states for `fact` within `lines`, scaled and made dense.

    Raises ExtractionError when it is not there, not a number, or there more than once; also when
    the conditions that the source is said to state are not in the lines.
    """
    span = "\n".join(text.split("\n")[lines[0] - 1 : lines[1]])
    if fact.pattern:
        raw = _one(fact.pattern, span, "the pattern")
    elif fact.path:
        raw = read_path(fact.path, citation.path or "", text, lines)
    else:
        raise ExtractionError("no way to read the value is given")
    value = Fraction(_decimal(raw)) * Fraction(fact.scale)
    if fact.sparsity_pattern:
        value /= _divisor(_one(fact.sparsity_pattern, span, "the sparsity pattern"))
    elif fact.sparsity is not None:
        value /= Fraction(fact.sparsity)
    if fact.conditions_pattern and not re.search(fact.conditions_pattern, span, re.MULTILINE):
        raise ExtractionError(
            f"value {plain(value)} found, but not its conditions: {fact.conditions_pattern!r}"
        )
    return value


def plain(value: Fraction) -> str:
    """A value as a short exact decimal such as `989.5e12`, or as a fraction where it has none."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    if Fraction(number) != value:
        return str(value)
    return number.normalize().to_eng_string().replace("E+", "e").replace("E", "e")


def _divisor(raw: str) -> Fraction:
    divisor = Fraction(_decimal(raw))
    if divisor <= 0:
        raise ExtractionError(f"the sparsity factor is {raw!r}")
    return divisor


def _decimal(raw: str) -> Decimal:
    try:
        number = Decimal(raw.strip().replace("_", "").replace(",", ""))
    except InvalidOperation:
        raise ExtractionError(f"{raw!r} is not a number") from None
    if not number.is_finite():
        raise ExtractionError(f"{raw!r} is not a finite number")
    return number


def _one(pattern: str, span: str, what: str) -> str:
    """The only match of `pattern` in `span`."""
    found = list(re.finditer(pattern, span, re.MULTILINE))
    if not found:
        raise ExtractionError(f"{what} {pattern!r} does not match")
    if len(found) > 1:
        raise ExtractionError(f"{what} {pattern!r} matches {len(found)} times", ambiguous=True)
    return str(found[0].group(1))


def read_path(path: str, member: str, text: str, lines: tuple[int, int]) -> str:
    """The scalar at the dotted `path` of a YAML, JSON or TOML text, as it is written there.

    Raises ExtractionError when the path is absent or the value stands outside `lines`.
    """
    suffix = member.rpartition(".")[2]
    if suffix in ("yaml", "yml", "json"):
        raw, line = _yaml_scalar(path, text)
    elif suffix == "toml":
        raw, line = _toml_scalar(path, text)
    else:
        raise ExtractionError(f"{member!r} is not YAML, JSON or TOML: use a pattern")
    if not lines[0] <= line <= lines[1]:
        raise ExtractionError(
            f"{path!r} stands at line {line}, outside the cited {lines[0]}-{lines[1]}"
        )
    return raw


def _yaml_scalar(path: str, text: str) -> tuple[str, int]:
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise ExtractionError(f"not YAML: {str(error).splitlines()[0]}") from None
    walked: list[str] = []
    for part in path.split("."):
        if not isinstance(node, yaml.MappingNode):
            raise ExtractionError(f"{'.'.join(walked) or 'the document'!r} has no keys")
        found = [value for key, value in node.value if key.value == part]
        if not found:
            near = nearest(part, [key.value for key, _ in node.value])
            raise ExtractionError(
                f"no key {part!r} in {'.'.join(walked) or 'the document'}{hint(near)}"
            )
        if len(found) > 1:
            raise ExtractionError(f"{path!r} is given {len(found)} times", ambiguous=True)
        node = found[0]
        walked.append(part)
    if not isinstance(node, yaml.ScalarNode):
        raise ExtractionError(f"{path!r} is not a single value")
    return str(node.value), int(node.start_mark.line) + 1


def _toml_scalar(path: str, text: str) -> tuple[str, int]:
    try:
        tree: Any = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ExtractionError(f"not TOML: {error}") from None
    parts = tuple(path.split("."))
    for part in parts:
        if not isinstance(tree, dict) or part not in tree:
            near = nearest(part, tree if isinstance(tree, dict) else ())
            raise ExtractionError(f"no key {part!r} on the way to {path!r}{hint(near)}")
        tree = tree[part]
    if isinstance(tree, bool) or not isinstance(tree, int | str | Decimal):
        raise ExtractionError(f"{path!r} is not a single value")
    return str(tree), Lines(text).of(parts[:-1], parts[-1])


def missing_anchors(anchors: tuple[str, ...], span: str) -> Iterator[str]:
    """The anchors that do not stand in `span`; `^` and `$` are the ends of each line."""
    for anchor in anchors:
        if not re.search(anchor, span, re.MULTILINE):
            yield anchor
