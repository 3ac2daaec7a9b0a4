"""The data of one page for its scripts: hints, and what follows the parameters. No Sphinx here.

One JSON file a page, fetched when a reader first asks; only what stands on that page is in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.records import NumberRecord, PresetRecord, Record
from bookcode.sphinxext.library import WORDS, Part, Shown
from bookcode.sphinxext.provenance import Explainer
from bookcode.sphinxext.state import Use
from bookcode.words import in_language, short

EXPLAINED = ("num", "fact", "holds", "src")
_KINDS = "shown|source|verdict|math|math-block"
_TAG = re.compile(rf'<(?:span|a|div)\b[^>]*\bclass="bk-(?:{_KINDS})"[^>]*>')
_DATA = re.compile(r'\bdata-(role|key|claim|formula)="([^"]*)"')


def shown_on(markup: str) -> list[tuple[str, str]]:
    """(role, key) of everything with a hint or a formula in a page's HTML, each once.

    Generated tables show numbers that no role of the page asked for; the markup has them all.
    """
    found: dict[tuple[str, str], None] = {}
    for tag in _TAG.finditer(markup):
        data = {name: html.unescape(value) for name, value in _DATA.findall(tag[0])}
        if "claim" in data:
            found["holds", data["claim"]] = None
        elif "formula" in data:
            found["formula", data["formula"]] = None
        elif "role" in data:
            found[data["role"], data["key"]] = None
    return list(found)


@dataclass
class PageData:
    """What the scripts of a page may ask for.

    Attributes:
        language: of the edition.
        words: what published words are shown as.
        modules: file names of the JavaScript modules, the page's own first.
        depends: for each module the parameters that something on the page depends on.
        hints: by "role:key".
        numbers: key to [unit, spec, index of the module], for what follows the parameters.
        claims: key to the keys that the verdict compares and the index of its module.
        figures: key to how its marks and its alt text follow.
        presets: titles and values.
    """

    language: str
    words: dict[str, str]
    modules: list[str] = field(default_factory=list)
    depends: list[list[str]] = field(default_factory=list)
    hints: dict[str, Any] = field(default_factory=dict)
    numbers: dict[str, list[Any]] = field(default_factory=dict)
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    presets: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Collector:
    """Collects the data of one page.

    Attributes:
        explainer: makes the hints.
        own: the page's own records.
        module_of: key to the file name of the module that computes it.
        own_module: file name of the page's own module; "" if it has none.
    """

    explainer: Explainer
    own: Iterable[Record]
    module_of: Mapping[str, str]
    own_module: str

    def collect(self, uses: Iterable[Use], shown: Iterable[tuple[str, str]] = ()) -> PageData:
        """The data for everything that the page shows: its uses, and what its HTML has besides."""
        language = self.explainer.language
        words = {word: texts.get(short(language), word) for word, texts in WORDS.items()}
        data = PageData(language, words)
        if self.own_module:
            data.modules.append(self.own_module)
            data.depends.append([])
        for role, key in dict.fromkeys([*self._shown(uses), *shown]):
            if role in EXPLAINED:
                self._add_hint(data, role, key)
            if role in ("num", "formula"):
                self._add_number(data, key)
            elif role == "holds":
                self._add_claim(data, key)
            elif role == "figure":
                self._add_figure(data, key)
        for record in self.own:
            if isinstance(record, NumberRecord):
                self._add_number(data, record.key)  # cells show what they publish
            elif isinstance(record, PresetRecord):
                title = record.titles.get(short(language), next(iter(record.titles.values())))
                data.presets.append({"title": title, "values": record.values})
        return data

    def _add_hint(self, data: PageData, role: str, key: str) -> None:
        name = f"{role}:{key}"
        if name not in data.hints:
            hint = self.explainer.explain(role, key)
            data.hints[name] = hint.to_json()
            for fact in hint.facts:
                self._add_hint(data, "fact", fact)

    def _shown(self, uses: Iterable[Use]) -> list[tuple[str, str]]:
        """(role, key) of everything shown, numbers inside wordings and captions included."""
        found: dict[tuple[str, str], None] = {}
        for use in uses:
            try:
                inner = self._inside(use)
            except NumbersError:
                continue  # an error of the build, reported with its place
            found |= dict.fromkeys([(use.role, use.key), *inner])
        return list(found)

    def _inside(self, use: Use) -> list[tuple[str, str]]:
        library, language = self.explainer.library, self.explainer.language
        parts: list[Part] = []
        if use.role == "num":
            library.number(use.key, use.spec, language)
        elif use.role == "fact":
            library.fact(use.key, use.spec, language)
        elif use.role == "src":
            library.citation(use.key, language)
        elif use.role == "formula":
            library.formula(use.key)
        elif use.role == "holds":
            parts = library.claim(use.key, use.spec, language)
        elif use.role == "figure":
            record = library.figure(use.key)
            for texts in (record.captions, record.alts):
                parts += library.text(in_language(texts, language), language)
        return [(part.role, part.key) for part in parts if isinstance(part, Shown)]

    # what follows ------------------------------------------------------------------------------
    def _add_number(self, data: PageData, key: str, constant: bool = False) -> None:
        record = self.explainer.library.numbers[key]
        if record.parameters or constant:
            module = self._module(data, key, record.parameters)
            data.numbers[key] = [record.unit, record.spec, module]
            if record.number is None:
                for word in [record.value, *record.words]:
                    data.words.setdefault(word, self.explainer.library.data(word))

    def _add_claim(self, data: PageData, key: str) -> None:
        record = self.explainer.library.claims[key]
        if not record.parameters:
            return
        uses = list(dict.fromkeys(record.uses))
        for used in uses:
            self._add_number(data, used, constant=True)
        module = self._module(data, key, record.parameters)
        data.claims[key] = {"uses": uses, "module": module}

    def _add_figure(self, data: PageData, key: str) -> None:
        library, language = self.explainer.library, self.explainer.language
        record = library.figure(key)
        alt = in_language(record.alts, language)
        parts = [
            part if isinstance(part, str) else [part.role, part.key, part.spec, part.text]
            for part in library.text(alt, language)
        ]
        module = self._module(data, key)
        data.figures[key] = {"alt": parts, "module": module, **record.follow}

    def _module(self, data: PageData, key: str, parameters: Iterable[str] = ()) -> int:
        """The index of the module that computes a key; -1 where none does."""
        name = self.module_of.get(key, "")
        if not name:
            return -1
        if name not in data.modules:
            data.modules.append(name)
            data.depends.append([])
        index = data.modules.index(name)
        data.depends[index] = sorted({*data.depends[index], *parameters})
        return index
