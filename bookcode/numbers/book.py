"""What a chapter's cells import: publish numbers, claims, figures and parameters.

::

    from bookcode.numbers.book import Book
    from bookcode.ledger import MACHINES, ops

    book = Book()
    machine = book.choice("machine", MACHINES, default="h200")
    row = book.ledger(machine=machine, dtype="fp16")
    gemm = row("gemm", ops.gemm, m=4096, n=4096, k=4096)
    book.claim("gemm.compute-bound", gemm.regime == "compute", says="compute-bound")

Everything published travels in the cell's output (see :mod:`bookcode.numbers.records`).
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from bookcode.ledger import timed
from bookcode.ledger.errors import MissingFactError
from bookcode.ledger.operator import arguments
from bookcode.numbers.display import Published
from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.expr import Expr, variables_of
from bookcode.numbers.fact_table import FactTable
from bookcode.numbers.formats import format_value
from bookcode.numbers.graph import (
    CallNode,
    FactNode,
    GivenNode,
    ParameterNode,
    PublishedNode,
    below,
    calls,
)
from bookcode.numbers.handles import Handle, node_of
from bookcode.numbers.javascript import module
from bookcode.numbers.parameters import Choice, Parameter, Point, Quantity, points
from bookcode.numbers.predicates import written
from bookcode.numbers.presets import checked_preset
from bookcode.numbers.publishing import (
    PublishError,
    Setting,
    check_function,
    check_publishable,
    follow,
    number_record,
    rows_of,
)
from bookcode.numbers.records import (
    AliasRecord,
    ClaimRecord,
    FigureRecord,
    ModuleRecord,
    NumberRecord,
    ParameterRecord,
    PresetRecord,
    Record,
)
from bookcode.numbers.runs import Plain, Runs

KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*")
TIMED_FIELDS = ("flops", "bytes", "intensity", "bound", "bound_regime", "expected", "regime")
Texts = str | Mapping[str, str]


class BookError(NumbersError):
    """A key, a claim or a figure that is not as it must be."""


class Book:
    """One chapter's publisher.

    Args:
        root: the project's root (default: ``BOOKCODE_ROOT``, else the working directory).
        packages: packages whose functions count as ledger functions.
    """

    def __init__(
        self, *, root: str | None = None, packages: tuple[str, ...] = ("bookcode.ledger",)
    ) -> None:
        self._root = Path(root or os.environ.get("BOOKCODE_ROOT", ".")).resolve()
        self._packages = packages
        self._parameters: dict[str, Parameter] = {}
        self._records: dict[str, Record] = {}
        self._expressions: dict[str, Expr] = {}
        self._runs = Runs()
        self._points: list[Point] = []
        self._published = Published(self._module)
        self._facts = FactTable(self._root / "references" / "facts.toml")
        self._check_points = int(os.environ.get("BOOKCODE_CHECK_POINTS", "4"))
        self._keep_samples = "BOOKCODE_CHECK_POINTS" in os.environ

    # parameters -------------------------------------------------------------------------------
    def parameter(
        self,
        name: str,
        *,
        default: int,
        minimum: int,
        maximum: int,
        unit: str,
        title: str = "",
        step: int = 1,
    ) -> Handle:
        """Declare a quantity that a reader may change; see :class:`Quantity`."""
        return self._declare(
            Quantity(name, title or name.replace("_", " "), unit, default, minimum, maximum, step)
        )

    def choice(
        self,
        name: str,
        table: Mapping[str, Any],
        *,
        default: str,
        options: Iterable[str] | None = None,
        title: str = "",
    ) -> Handle:
        """Declare a row of a ledger table that a reader may pick (all rows, or those named)."""
        rows = {option: table[option] for option in (options or table)}
        return self._declare(Choice(name, title or name.replace("_", " "), default, rows))

    def preset(self, title: Texts, /, **values: Any) -> None:
        """Offer a named setting of parameters: ``book.preset("H100, paper", machine="h100")``.

        Args:
            title: words per language (a string is English); the page shows the values beside it.
            values: parameter by name; those left out take the book's value.

        Raises:
            ParameterError: for a value that a reader could not set by hand.
        """
        titles = _texts(title)
        key = f"preset:{titles.get('en', '')}"
        checked = checked_preset(titles.get("en", ""), values, self._parameters)
        if not all(titles.values()) or key in self._records:
            raise BookError(f"{key!r}: a preset needs a title of its own")
        self._add(PresetRecord(key, _cell_line(), titles, checked))

    def _declare(self, parameter: Parameter) -> Handle:
        if parameter.name in self._parameters:
            raise BookError(f"parameter {parameter.name!r} is declared twice")
        self._parameters[parameter.name] = parameter
        self._points = list(points(self._parameters, self._check_points))
        record = ParameterRecord(f"parameter:{parameter.name}", _cell_line(), parameter.describe())
        self._add(record)
        return self._handle(ParameterNode(parameter))

    # numbers ----------------------------------------------------------------------------------
    def call(self, function: Callable[..., Any], **given: Any) -> Handle:
        """A ledger call that is not published itself; publish its fields or calculate with them.

        Raises:
            PublishError: for a function that is not a ledger function.
            BookError: for an argument that it does not have, or a size that has no symbol.
        """
        check_function(function.__name__, function, self._packages)
        known = arguments(function)
        for name, value in given.items():
            if name not in known:
                raise BookError(
                    f"{function.__name__}() has no argument {name!r}{did_you_mean(name, known)}"
                )
            plain = self._runs.plain(node_of(value))
            is_size = isinstance(plain, int | float | Fraction) and not isinstance(plain, bool)
            if is_size and known[name].symbol is None:
                raise BookError(
                    f"{function.__name__}(): the size {name!r} has no symbol; annotate it with one "
                    "of the ledger's symbols, or a formula could not show it"
                )
        return self._handle(CallNode(function, {n: node_of(value) for n, value in given.items()}))

    def given(self, handle: Handle, name: str) -> Handle:
        """The size that the ledger call behind ``handle`` was given under ``name``.

        A page states the sizes of its examples this way; a size typed beside the call could drift.

        Raises:
            BookError: when no call behind the handle was given such a size.
        """
        sizes: dict[str, CallNode] = {}
        for call in calls(node_of(handle)):
            for argument in arguments(call.function).values():
                if argument.symbol is not None and argument.name in call.arguments:
                    sizes.setdefault(argument.name, call)
        if name not in sizes:
            raise BookError(f"{handle!r} was given no size {name!r}{did_you_mean(name, sizes)}")
        return self._handle(GivenNode(sizes[name], name))

    def fact(self, key: str) -> Handle:
        """A fact of the registry, to calculate with.

        Raises:
            UnknownFactError: with the nearest keys.
        """
        fact = self._facts[key]
        return self._handle(FactNode(key, fact.value, fact.unit))

    def publish(self, key: str, what: Any, *, spec: str | None = None, **given: Any) -> Handle:
        """Publish a number under ``key``: a ledger function with arguments, or an expression.

        Args:
            key: dotted lower case with hyphens inside a part.
            what: a ledger function or a handle.
            spec: the format pages show it in by default (see :mod:`bookcode.numbers.formats`).
            given: the function's arguments by name.

        Raises:
            BookError: for a bad or duplicate key.
            PublishError: for a bare number, a literal, or a result that is not one number.
        """
        handle = self._expression(key, what, given)
        self._check_key(key)
        record, expr = number_record(key, handle, _cell_line(), self._setting(), spec)
        self._expressions[key] = expr
        self._add(record)
        node = node_of(handle)
        return self._handle(PublishedNode(node, key, record.unit, self._runs.plain(node)))

    def _expression(self, key: str, what: Any, given: Mapping[str, Any]) -> Handle:
        if isinstance(what, Handle) and not given:
            return what
        if callable(what) and not isinstance(what, Handle):
            check_function(key, what, self._packages)
            return self.call(what, **given)
        check_publishable(key, node_of(what))
        raise PublishError(f"{key!r}: arguments belong to a ledger function, not to a handle")

    def ledger(self, **common: Any) -> Callable[..., Handle]:
        """A function that publishes a cost and its times: ``row(key, operator, **arguments)``.

        ``common`` (machine, dtype, link) goes to the operator if it takes it, and to the timing;
        a row may have its own instead.
        The published fields are key.flops, .bytes, .intensity, .bound, .bound-regime, .expected,
        .regime. ``row(key, handle)`` does the same for a handle that already is a timed cost.
        """

        def row(key: str, what: Any, **given: Any) -> Handle:
            if isinstance(what, Handle):
                return self._fields(key, what)
            takes = arguments(what) if callable(what) else {}
            both = common | given
            times = {name: both.get(name) for name in ("machine", "dtype", "link")}
            own = {n: v for n, v in both.items() if n in takes or (n in given and n not in times)}
            cost = self._expression(key, what, own)
            timing = {name: value for name, value in times.items() if value is not None}
            return self._fields(key, self.call(timed, cost=cost, **timing))

        return row

    def _fields(self, key: str, result: Handle) -> Handle:
        published = {}
        for name in TIMED_FIELDS:
            handle = getattr(result, name)
            published[name] = self.publish(f"{key}.{name.replace('_', '-')}", handle)
        return Handle(node_of(result), self._runs.plain, published)

    # claims -----------------------------------------------------------------------------------
    def claim(self, key: str, predicate: Handle, *, says: Any) -> None:
        """A verdict: a predicate over published numbers, and the words that may state it.

        Args:
            key: unique in the book.
            predicate: a comparison of handles.
            says: a wording, several, or either per language; ``{key:spec}`` in one is a number.

        Raises:
            BookError: when the predicate is not a comparison, or a wording is empty.
        """
        self._check_key(key)
        node = node_of(predicate)
        plain = self._runs.plain
        if not isinstance(predicate, Handle) or not isinstance(plain(node), bool):
            raise BookError(f"claim {key!r}: the predicate must be a comparison of handles")
        check_publishable(key, node)
        expr = follow(key, self._runs.traced, node)
        self._expressions[key] = expr
        self._add(
            ClaimRecord(
                key=key,
                line=_cell_line(),
                holds=plain(node),
                wordings=_wordings(key, says),
                explanation=_explain(node, plain),
                predicate=written(node),
                uses=[n.key for n in below(node) if isinstance(n, PublishedNode)],
                parameters=variables_of(expr),
                rows=rows_of(node, plain),
                samples=self._claim_samples(node, expr),
            )
        )

    def _claim_samples(self, node: Any, expr: Expr) -> list[str]:
        if not self._keep_samples or not variables_of(expr):
            return []
        samples = []
        for point in self._points:
            try:
                samples.append(str(self._runs.at(point)[0](node)).lower())
            except MissingFactError:
                samples.append("missing")
        return samples

    # figures ----------------------------------------------------------------------------------
    def value(self, handle: Handle) -> float:
        """The value of a handle as a double, for drawing."""
        number = self._runs.plain(node_of(handle))
        if not isinstance(number, Fraction):
            raise BookError(f"{handle!r} is not a number that can be drawn")
        return float(number)

    def text(self, handle: Handle, spec: str | None = None) -> str:
        """The shown text of a published number, for labels inside a figure.

        Raises:
            BookError: for a handle that was not published.
        """
        node = node_of(handle)
        if not isinstance(node, PublishedNode):
            raise BookError("only a published number has a shown text; publish it first")
        record = self._records[node.key]
        assert isinstance(record, NumberRecord)
        if isinstance(node.value, str):
            return node.value
        return format_value(node.value, node.unit, spec or record.spec)

    def figure(
        self,
        key: str,
        figure: Any,
        *,
        caption: Texts,
        alt: Texts,
        uses: Iterable[Handle] = (),
        marks: Mapping[str, tuple[Handle, Handle]] | None = None,
        roofs: Mapping[str, tuple[Handle, Handle]] | None = None,
    ) -> None:
        """Publish a matplotlib figure with its caption and alt text.

        Args:
            caption, alt: text per language (a string is English); ``{key:spec}`` in it is a number.
            uses: the published numbers that are drawn.
            marks: (x, y) of each mark that follows the parameters, by the mark's key.
            roofs: (peak, bandwidth) of each roof that does, by the roof's key.

        Raises:
            BookError: for a bad key or an empty text.
            FollowError: for a mark or roof that is not in the drawing, or axes that are not
                logarithmic.
        """
        from bookcode.figures.following import following
        from bookcode.figures.svg import to_svg

        self._check_key(key)
        captions, alts = _texts(caption), _texts(alt)
        for what, texts in (("caption", captions), ("alt", alts)):
            if "en" not in texts or not all(texts.values()):
                raise BookError(f"figure {key!r}: the {what} is empty or not there in English")
        nodes = [node_of(handle) for handle in uses]
        keys = [n.key for n in nodes if isinstance(n, PublishedNode)]
        svg = to_svg(figure, key)
        pairs = {"mark": marks or {}, "roof": roofs or {}}
        follows, handles = following(key, figure, svg, pairs)
        for inner, handle in handles.items():
            self._expressions[inner] = follow(inner, self._runs.traced, node_of(handle))
        self._add(FigureRecord(key, _cell_line(), svg, captions, alts, keys, follows))

    def alias(self, key: str, target: str, why: str) -> None:
        """Say that ``key`` is now called ``target``; pages that still use it are told so."""
        self._check_key(key)
        self._add(AliasRecord(key, _cell_line(), target, why))

    # inside -----------------------------------------------------------------------------------
    def _setting(self) -> Setting:
        return Setting(
            self._root,
            self._packages,
            self._parameters,
            self._points,
            self._keep_samples,
            self._runs,
        )

    def _handle(self, node: Any) -> Handle:
        return Handle(node, self._runs.plain)

    def _check_key(self, key: str) -> None:
        if not KEY.fullmatch(key):
            raise BookError(f"key {key!r}: use dotted lower case, with hyphens inside a part")
        if key in self._records:
            raise BookError(f"key {key!r} was already published in this chapter")

    def _add(self, record: Record) -> None:
        self._records[record.key] = record
        self._published.add(record)

    def _module(self) -> ModuleRecord | None:
        """The chapter's JavaScript so far; None while there is nothing to compute."""
        live = {key: e for key, e in self._expressions.items() if variables_of(e)}
        if not live:
            return None
        described = {name: p.describe() for name, p in self._parameters.items()}
        kept = self._points if self._keep_samples else []
        return ModuleRecord("module", 0, module(self._expressions, described), kept)


def _cell_line() -> int:
    """The line of the cell that is running."""
    frame = sys._getframe(1)
    line = 0
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            line = frame.f_lineno
            break
        frame = frame.f_back  # type: ignore[assignment]
    return line


def _texts(text: Texts) -> dict[str, str]:
    raw = {"en": text} if isinstance(text, str) else dict(text)
    return {language: inspect.cleandoc(t).replace("\n", " ") for language, t in raw.items()}


def _wordings(key: str, says: Any) -> dict[str, list[str]]:
    per_language = says if isinstance(says, Mapping) else {"en": says}
    wordings = {
        language: [words] if isinstance(words, str) else list(words)
        for language, words in per_language.items()
    }
    if "en" not in wordings or not all(words and all(words) for words in wordings.values()):
        raise BookError(f"claim {key!r}: a wording is empty or not there in English")
    return wordings


def _explain(node: Any, plain: Plain) -> str:
    """The predicate's operands with their values."""
    parts = []
    for inner in below(node):
        if isinstance(inner, PublishedNode):
            value = plain(inner)
            shown = f"{float(value):.6g} {inner.unit}" if isinstance(value, Fraction) else value
            parts.append(f"{inner.key} = {shown}")
    return ", ".join(dict.fromkeys(parts)) or "no published number in it"
