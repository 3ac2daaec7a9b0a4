"""Mutants of the text: published numbers typed, verdicts turned round, keys exchanged."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from docutils.utils import new_document

from bookcode.mutants._baseline import Baseline
from bookcode.mutants._locks import first_drift
from bookcode.mutants._model import Mutant, Red
from bookcode.numbers.catalogue import CELLS
from bookcode.numbers.errors import NumbersError
from bookcode.numbers.records import ClaimRecord, FigureRecord, PresetRecord, Record
from bookcode.prose import (
    PublishedIndex,
    drawn_numerals,
    find_judgements,
    lint_document,
    vocabulary,
)
from bookcode.sphinxext.checks import problems, shown_text
from bookcode.sphinxext.library import PLACEHOLDER, plain
from bookcode.sphinxext.nodes import pending_shown
from bookcode.sphinxext.record_texts import text_problems
from bookcode.sphinxext.state import Use
from bookcode.sphinxext.translations import place_of
from bookcode.sphinxext.uses import context_of
from bookcode.translation import keys
from bookcode.translation.catalogue import Entry, read_catalogue
from bookcode.translation.editions import SOURCE, catalogues_folder
from bookcode.translation.same import differences
from bookcode.words import short

_DIGIT: Final = re.compile(r"\d(?=\D*$)")
_NOT: Final = {"en": "not {}", "zh": "并非{}"}
_TYPED: Final = {"en": "The kernel is {} here.", "zh": "这个内核{}。"}
"""A denied verdict, and a sentence for one that nobody owns, by language."""


# published numbers, typed -------------------------------------------------------------------------
def number_mutants(baseline: Baseline) -> Iterator[Mutant]:
    """Each number and fact that a page shows, replaced by its typed value where it stands."""
    for docname in baseline.records:
        name, source = _name(baseline, docname), baseline.source(docname)
        for index, node in enumerate(_shown_numbers(baseline.tree(docname))):
            key, context = node["key"], context_of(node)
            number = _number(baseline, node)
            if number is None:
                continue
            what = f"{key} in {context} → {number!r} typed"
            said, line = place_of(node)
            path, line = said or source, line or node.line or 1
            yield Mutant(
                "number", f"{name}: {what} #{index}", path, line, 1, what, (docname, index)
            )
        for placed in baseline.records[docname]:
            yield from _record_mutants(baseline, docname, placed)


def _name(baseline: Baseline, docname: str) -> str:
    """A page in the names of mutants; that of a translated page says so."""
    source = baseline.source(docname)
    return source if baseline.edition == SOURCE else f"{source} in {baseline.edition}"


def _place(baseline: Baseline, docname: str, line: int) -> tuple[str, int]:
    """Where the text of a cell is written: in its page, or in the catalogue of its translation."""
    if baseline.edition == SOURCE:
        return baseline.source(docname), line
    folder = catalogues_folder(Path(), baseline.language)
    return (folder / CELLS / f"{docname}.po").as_posix(), 0


def _shown_numbers(tree: nodes.document) -> list[pending_shown]:
    return [n for n in tree.findall(pending_shown) if n["bookcode"] in ("num", "fact")]


def _number(baseline: Baseline, node: nodes.Element) -> str | None:
    """The text of a number or fact; None for a word."""
    library = baseline.library
    show = library.number if node["bookcode"] == "num" else library.fact
    shown = show(node["key"], node["spec"], baseline.language)
    return None if shown.value is None else shown.text


def _record_mutants(baseline: Baseline, docname: str, record: Record) -> Iterator[Mutant]:
    """Numbers in captions, alt texts, wordings and drawings.

    What is drawn comes out of the same cells in all editions.
    """
    name = _name(baseline, docname)
    path, line = _place(baseline, docname, record.line)
    for where, text in _texts(record, short(baseline.language)):
        for match in PLACEHOLDER.finditer(text):
            shown = plain(baseline.library.text(match[0], baseline.language))
            if not any(map(str.isdigit, shown)):
                continue
            what = f"{match[0]} in {where} of {record.key} → {shown!r} typed"
            typed = text[: match.start()] + shown + text[match.end() :]
            changed = _with_text(record, text, typed)
            identity = f"{name}: {what} @{match.start()}"
            yield Mutant("number", identity, path, line, 1, what, changed)
    if isinstance(record, FigureRecord) and baseline.edition == SOURCE:
        for text in drawn_numerals(record.svg):
            changed_text = _DIGIT.sub(lambda d: str((int(d[0]) + 1) % 10), text, count=1)
            if changed_text == text or text not in record.svg:
                continue
            what = f"{text!r} drawn in {record.key} → {changed_text!r}"
            changed = replace(record, svg=record.svg.replace(text, changed_text))
            yield Mutant("number", f"{name}: {what}", path, line, 1, what, changed)


def _texts(record: Record, language: str) -> Iterator[tuple[str, str]]:
    if isinstance(record, ClaimRecord):
        yield from (("a wording", text) for text in record.wordings.get(language, ()))
    elif isinstance(record, FigureRecord):
        for where, texts in (("the caption", record.captions), ("the alt text", record.alts)):
            if language in texts:
                yield where, texts[language]
    elif isinstance(record, PresetRecord) and language in record.titles:
        yield "the title", record.titles[language]


def _with_text(record: Record, before: str, after: str) -> Record:
    def changed(texts: Mapping[str, str]) -> dict[str, str]:
        return {lang: after if text == before else text for lang, text in texts.items()}

    if isinstance(record, ClaimRecord):
        wordings = {
            lang: [after if text == before else text for text in texts]
            for lang, texts in record.wordings.items()
        }
        return replace(record, wordings=wordings)
    if isinstance(record, FigureRecord):
        return replace(record, captions=changed(record.captions), alts=changed(record.alts))
    assert isinstance(record, PresetRecord)
    return replace(record, titles=changed(record.titles))


# verdicts, turned round ---------------------------------------------------------------------------
def verdict_mutants(baseline: Baseline) -> Iterator[Mutant]:
    """Each verdict in the text with an opposite word, denied, and typed without its role."""
    language = short(baseline.language)
    for docname, page in baseline.exported["pages"].items():
        name = _name(baseline, docname)
        for index, use in enumerate(page["uses"]):
            if use["role"] != "holds":
                continue
            path = use.get("source") or baseline.source(docname)
            for words in _turned(use["shown"], language):
                what = f"{use['key']}: {use['shown']!r} → {words!r}"
                data = ("holds", use, words)
                yield Mutant(
                    "verdict", f"{name}: {what} #{index}", path, use["line"], 1, what, data
                )
            if find_judgements(use["shown"], language):
                what = f"{use['key']}: {use['shown']!r} typed"
                data = ("typed", use, use["shown"])
                yield Mutant(
                    "verdict", f"{name}: {what} #{index}", path, use["line"], 1, what, data
                )
        for record in baseline.records[docname]:
            if isinstance(record, ClaimRecord):
                yield from _wording_mutants(baseline, docname, record)


def _wording_mutants(baseline: Baseline, docname: str, record: ClaimRecord) -> Iterator[Mutant]:
    """The claim itself made to say the opposite."""
    name, language = _name(baseline, docname), short(baseline.language)
    path, line = _place(baseline, docname, record.line)
    for wording in record.wordings.get(language, ()):
        for words in _turned(wording, language):
            what = f"claim {record.key} says {wording!r} → {words!r}"
            data = ("says", record, _with_text(record, wording, words))
            yield Mutant("verdict", f"{name}: {what}", path, line, 1, what, data)


def _turned(text: str, language: str) -> Iterator[str]:
    """The opposites of a verdict; some English words stay as they are in Chinese."""
    for match in find_judgements(text, language):
        for word in vocabulary():
            if word.language not in ("en", language):
                continue
            if any(re.fullmatch(p, match.text, re.IGNORECASE) for p in word.patterns):
                for opposite in word.opposites:
                    yield text[: match.start] + opposite + text[match.end :]
    yield _NOT[language].format(text)


# keys, exchanged ----------------------------------------------------------------------------------
def key_mutants(baseline: Baseline) -> Iterator[Mutant]:
    """Each key in a role or directive, replaced by its nearest neighbour."""
    known = _known(baseline)
    for docname, page in baseline.exported["pages"].items():
        name = _name(baseline, docname)
        for index, use in enumerate(page["uses"]):
            if use["role"] not in known:
                continue
            if baseline.edition != SOURCE and not use.get("source"):
                continue  # no translation says it: it comes of the page, as in English
            other = nearest(use["key"], known[use["role"]])
            if other is None:
                continue
            what = f"{{{use['role']}}} {use['key']} → {other}"
            identity = f"{name}: {what} #{index}"
            path = use.get("source") or baseline.source(docname)
            yield Mutant("key", identity, path, use["line"], 1, what, (docname, index, other))


def _known(baseline: Baseline) -> dict[str, tuple[str, ...]]:
    library = baseline.library
    with_formula = [key for key, record in library.numbers.items() if record.formula is not None]
    return {
        "num": tuple(library.numbers),
        "formula": tuple(with_formula),
        "fact": tuple(baseline.registry.facts),
        "holds": tuple(library.claims),
        "figure": tuple(library.figures),
        "src": tuple(baseline.registry.citations),
    }


@cache  # pages show most keys more than once, and the editions show the same
def nearest(key: str, known: tuple[str, ...]) -> str | None:
    """The key that is most like another one; None if there is no other."""
    others = [other for other in known if other != key]
    found = difflib.get_close_matches(key, others, n=1, cutoff=0.0)
    return found[0] if found else None


# judging ------------------------------------------------------------------------------------------
class TextJudge:
    """The lint, the refusal of words and the page counts of the lock. It leaves nothing behind.

    A translated page is held against the page that it translates, ``source``.
    """

    def __init__(self, baseline: Baseline, source: Baseline | None = None) -> None:
        self._baseline, self._original = baseline, source
        self._language = baseline.language
        self._trees: dict[str, nodes.document] = {}
        self._sources: dict[str, str] = {}

    @cached_property
    def _index(self) -> PublishedIndex:
        return PublishedIndex([])

    def number(self, mutant: Mutant) -> Red | None:
        """Judge a typed number."""
        if isinstance(mutant.data, Record):
            found = list(text_problems(self._baseline.library, mutant.data, self._language))
            if found:
                return Red("lint", found[0][1])
            drift = self._drawn_drift(mutant.data)
            return Red("lock", drift) if drift else None
        docname, index = mutant.data
        node = _shown_numbers(self._tree(docname))[index]
        return self._typed(docname, node, _number(self._baseline, node) or "")

    def _drawn_drift(self, record: Record) -> str:
        """What a drawing says otherwise than the lock has it; "" for nothing."""
        if not isinstance(record, FigureRecord):
            return ""
        drawn = drawn_numerals(record.svg)
        locked = [lock.figures.get(record.key) for lock in self._baseline.locked.values()]
        known = [entry["drawn"] for entry in locked if entry is not None]
        return "" if drawn in known else f"figure {record.key}: drawn: {known} → {drawn}"

    def verdict(self, mutant: Mutant) -> Red | None:
        """Judge a verdict that says something else, or that nobody owns."""
        way, use, words = mutant.data
        library = self._baseline.library
        if way == "says":
            before, after = use.wordings, words.wordings
            return Red("lock", f"wordings: {before} → {after}") if self._drifts(words) else None
        if way == "typed":
            sentence = _TYPED[short(self._language)].format(words)
            paragraph = nodes.paragraph("", sentence)
            found = self._lint(paragraph, "")
            return Red("lint", found) if found else None
        try:
            library.claim(use["key"], words, self._language)
        except NumbersError as error:
            return Red("wording", str(error))
        return None

    def _drifts(self, record: ClaimRecord) -> bool:
        locked = [lock.claims.get(record.key) for lock in self._baseline.locked.values()]
        known = [entry["wordings"] for entry in locked if entry is not None]
        return all(
            any(wordings.get(name) != said for name, said in record.wordings.items())
            for wordings in known
        )

    def key(self, mutant: Mutant) -> Red | None:
        """Judge an exchanged key."""
        docname, index, other = mutant.data
        exported = self._baseline.exported
        page = exported["pages"][docname]
        data = {**page["uses"][index], "key": other}
        data_key = page["uses"][index]["key"]
        data.pop("shown")
        use = Use(**data)
        library = self._baseline.library
        if found := next(iter(problems(library, use, self._language)), None):
            return Red("build", found)
        shown = "" if use.role == "figure" else shown_text(library, use, self._language)
        uses = list(page["uses"])
        uses[index] = {**data, "shown": shown}
        if self._original is not None:
            if unlike := _untrue(self._baseline.root, page["uses"][index], other):
                return Red("translation", unlike)
            ours = self._original.exported
            pair = [
                {**edition, "pages": {docname: found}}
                for edition, found in (
                    (ours, ours["pages"][docname]),
                    (exported, {**page, "uses": uses}),
                )
            ]
            unlike = next(differences(*pair), "")
            return Red("editions", unlike) if unlike else None
        changed = {**exported, "pages": {**exported["pages"], docname: {**page, "uses": uses}}}
        drift = first_drift(self._baseline.locked, changed, {use.key, data_key})
        return Red("lock", drift) if drift else None

    def _tree(self, docname: str) -> nodes.document:
        if docname not in self._trees:
            self._trees[docname] = self._baseline.tree(docname)
        return self._trees[docname]

    def _typed(self, docname: str, node: nodes.Element, text: str) -> Red | None:
        """Lint the block that a node stands in, with text in its place."""
        block: nodes.Node = node
        while not isinstance(block.parent, nodes.section | nodes.document):
            block = block.parent
        if self._lint(block.deepcopy(), docname):
            return None  # what is found without the number says nothing of the number
        parent, index = node.parent, node.parent.index(node)
        parent[index] = nodes.Text(text)
        try:
            found = self._lint(block.deepcopy(), docname)
        finally:
            parent[index] = node
        return Red("lint", found) if found else None

    def _lint(self, block: nodes.Node, docname: str) -> str:
        document = new_document("page")
        document += block
        source = self._source(docname) if docname else ""
        found = lint_document(
            document,
            source_text=source,
            path=docname,
            language=self._language,
            published=self._index,
        )
        return str(found[0]) if found else ""

    def _source(self, docname: str) -> str:
        if docname not in self._sources:
            path = self._baseline.root / self._baseline.source(docname)
            self._sources[docname] = path.read_text("utf-8")
        return self._sources[docname]


def _untrue(root: Path, use: Mapping[str, Any], other: str) -> str:
    """What the check of catalogues says of a translation with another key in it; "" for nothing."""
    entry = _translations(root, use["source"]).get(use["line"])
    if entry is None:
        return ""
    key = rf"(\{{{use['role']}\}}`(?:[^`<]*<)?){re.escape(use['key'])}(?=[:`>])"
    changed = re.sub(key, lambda found: found[1] + other, entry.msgstr, count=1)
    return next((problem for problem, _ in keys.problems(entry.msgid, changed)), "")


@cache
def _translations(root: Path, source: str) -> dict[int, Entry]:
    """The entries of a catalogue by the line of the translation."""
    return {entry.said: entry for entry in read_catalogue(root / source, root).entries}
