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

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from bookcode.ledger import timed
from bookcode.ledger.errors import MissingFactError
from bookcode.ledger.operator import arguments
from bookcode.numbers.cell_texts import Texts, cell_line, explain, texts_of, wordings_of
from bookcode.numbers.chapter import Chapter
from bookcode.numbers.errors import BookError, did_you_mean
from bookcode.numbers.expr import Expr, variables_of
from bookcode.numbers.formats import format_value
from bookcode.numbers.graph import (
    CallNode,
    FactNode,
    GivenNode,
    PublishedNode,
    below,
    calls,
)
from bookcode.numbers.handles import Handle, node_of
from bookcode.numbers.parameters import Choice, Quantity
from bookcode.numbers.predicates import written
from bookcode.numbers.presets import checked_preset
from bookcode.numbers.publishing import (
    PublishError,
    check_function,
    check_publishable,
    follow,
    hard_samples,
    number_record,
    rows_of,
)
from bookcode.numbers.records import (
    AliasRecord,
    ClaimRecord,
    FigureRecord,
    NumberRecord,
    PresetRecord,
)

__all__ = ["Book", "BookError"]

TIMED_FIELDS = ("flops", "bytes", "intensity", "bound", "bound_regime", "expected", "regime")


class Book(Chapter):
    """One chapter's publisher.

    Args:
        root: the project's root (default: ``BOOKCODE_ROOT``, else the working directory).
        packages: packages whose functions count as ledger functions.
    """

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
        titles = self._edition.with_translation(texts_of(title))
        key = f"preset:{titles.get('en', '')}"
        checked = checked_preset(titles.get("en", ""), values, self._parameters)
        if not all(titles.values()) or key in self._records:
            raise BookError(f"{key!r}: a preset needs a title of its own")
        self._add(PresetRecord(key, cell_line(), titles, checked))

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
        record, expr = number_record(key, handle, cell_line(), self._setting(), spec)
        self._computed.add(key, expr)
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
        self._computed.add(key, expr)
        self._add(
            ClaimRecord(
                key=key,
                line=cell_line(),
                holds=plain(node),
                wordings=self._edition.with_wordings(wordings_of(key, says)),
                explanation=explain(node, plain),
                predicate=written(node),
                uses=[n.key for n in below(node) if isinstance(n, PublishedNode)],
                parameters=variables_of(expr),
                rows=rows_of(node, plain),
                samples=self._claim_samples(node, expr),
                hard=[
                    [point, value.lower()]
                    for point, value in hard_samples(key, node, expr, self._setting())
                ],
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
        used, language = spec or record.spec, self._edition.language
        return format_value(node.value, node.unit, used, language=language)

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
        captions, alts = map(self._edition.with_translation, (texts_of(caption), texts_of(alt)))
        for what, texts in (("caption", captions), ("alt", alts)):
            if "en" not in texts or not all(texts.values()):
                raise BookError(f"figure {key!r}: the {what} is empty or not there in English")
        nodes = [node_of(handle) for handle in uses]
        keys = [n.key for n in nodes if isinstance(n, PublishedNode)]
        svg = to_svg(figure, key)
        pairs = {"mark": marks or {}, "roof": roofs or {}}
        follows, handles = following(key, figure, svg, pairs)
        for inner, handle in handles.items():
            self._computed.add(inner, follow(inner, self._runs.traced, node_of(handle)))
        self._add(FigureRecord(key, cell_line(), svg, captions, alts, keys, follows))

    def alias(self, key: str, target: str, why: str) -> None:
        """Say that ``key`` is now called ``target``; pages that still use it are told so."""
        self._check_key(key)
        self._add(AliasRecord(key, cell_line(), target, why))
