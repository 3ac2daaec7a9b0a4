"""What a page says about a citation or a fact: label, hint, state. No Sphinx in here.

A build does not look at the bytes of any source. So the texts say what kind of evidence there is
and since when, and for pinned citations that ``verify`` compares them; never that they were found
right in this build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bookcode.numbers.errors import FormatError, NumbersError, did_you_mean
from bookcode.numbers.formats import default_spec, format_value
from bookcode.sources.extract import plain
from bookcode.sources.model import Artifact, Citation, Evidence, Fact, GitSource, WebSource
from bookcode.sources.registry import Registry
from bookcode.sphinxext.wording import say


class CitingError(NumbersError):
    """A page cites something that the registry does not hold."""


@dataclass(frozen=True)
class Cited:
    """A citation as a page shows it.

    Attributes:
        key: its id in the registry.
        label: the short name that stands in the text.
        hint: one line with everything a reader needs to judge it.
        link: the upstream place at a recorded commit, tag or address; None where none is known.
        evidence: the class of evidence.
    """

    key: str
    label: str
    hint: str
    link: str | None
    evidence: Evidence


def cited(registry: Registry | None, key: str, language: str) -> Cited:
    """The citation ``key``.

    Raises:
        CitingError: for an unknown id, with the nearest ones.
    """
    known = registry.citations if registry else {}
    if registry is None or key not in known:
        raise CitingError(f"no citation {key!r}{did_you_mean(key, known)}")
    citation = known[key]
    return Cited(
        key,
        label(registry, citation, language),
        citation_hint(registry, citation, language),
        registry.link(citation),
        citation.evidence,
    )


# citations --------------------------------------------------------------------------------------
def source_name(registry: Registry, citation: Citation, language: str) -> str:
    """The source in a few words: artifact and version, repository and commit, or title."""
    source = registry.sources.get(citation.source or "")
    if source is None:
        return say("own-judgement", language)
    if isinstance(source, WebSource):
        return source.title
    if isinstance(source, GitSource):
        return source.id
    return f"{source.name} {source.version}"


def lines_text(citation: Citation, language: str) -> str:
    """ "lines 13–41", or nothing."""
    if citation.lines is None:
        return ""
    first, last = citation.lines
    return say("line" if first == last else "lines", language, first=first, last=last)


def label(registry: Registry, citation: Citation, language: str) -> str:
    """The short label: source, file name, lines."""
    file = (citation.path or "").rpartition("/")[2]
    parts = [source_name(registry, citation, language), file, lines_text(citation, language)]
    return _listed(parts, language)


def place(registry: Registry, citation: Citation, language: str) -> str:
    """The whole place: artifact file and member, or repository, commit and path; and the lines."""
    source = registry.sources.get(citation.source or "")
    head = source_name(registry, citation, language)
    path = citation.path or ""
    if isinstance(source, Artifact) and path:
        head, path = say("member", language, artifact=head, path=path), ""
    elif isinstance(source, GitSource):
        head = say("commit", language, repo=source.repo, commit=source.commit[:12])
    return _listed([head, path, lines_text(citation, language)], language)


def _listed(parts: Iterable[str], language: str) -> str:
    text = ""
    for part in filter(None, parts):
        text = say("listed", language, head=text, tail=part) if text else part
    return text


def state(citation: Citation, language: str) -> str:
    """What is done to keep the citation right, and the date that the registry has for it."""
    key = f"state-{citation.evidence.value}"
    if citation.date is None and citation.evidence is Evidence.PINNED:
        key += "-lines"
    return say(key, language, date=citation.date)


def citation_hint(registry: Registry, citation: Citation, language: str) -> str:
    """Claim, conditions, evidence with date, artifact, member and lines in one line."""
    parts = [
        ("claim", citation.claim),
        ("conditions", citation.conditions),
        ("source", place(registry, citation, language)),
        ("evidence", _evidence(citation, language)),
        ("trust", citation.trust),
        ("note", citation.note),
    ]
    return _hint(parts, language)


def _evidence(citation: Citation, language: str) -> str:
    evidence = say(citation.evidence.value, language)
    return say("evidence-state", language, evidence=evidence, state=state(citation, language))


def _hint(parts: Iterable[tuple[str, str]], language: str) -> str:
    said = [
        say("part", language, label=say(name, language), text=text) for name, text in parts if text
    ]
    return say("join", language).join(said)


# facts ------------------------------------------------------------------------------------------
def fact_text(fact: Fact, language: str) -> str:
    """A fact's value with its unit, as the page's formats show it; exactly where they cannot."""
    try:
        return format_value(fact.exact, fact.unit, default_spec(fact.unit), language=language)
    except FormatError:
        return exact_text(fact)


def exact_text(fact: Fact) -> str:
    """The exact value in the registry's unit: "989.5e12 FLOP/s"."""
    return plain(fact.exact) if fact.unit == "1" else f"{plain(fact.exact)} {fact.unit}"


def others_of(registry: Registry, fact: Fact) -> list[Fact]:
    """The facts that say otherwise: those it contradicts, and those that contradict it."""
    stated = [registry.facts[key] for key in fact.contradicts]
    against = [other for other in registry.facts.values() if fact.key in other.contradicts]
    return list({other.key: other for other in (*stated, *against)}.values())


def conditions(fact: Fact, language: str) -> str:
    """A fact's conditions with who states them; empty where there are none."""
    if not fact.conditions:
        return ""
    by = "author" if fact.conditions_by else "source"
    return say("part", language, label=say(f"conditions-{by}", language), text=fact.conditions)


def fact_hint(registry: Registry, fact: Fact, language: str) -> str:
    """Value, kind, conditions and who stated them, evidence, date, source, contradictions."""
    citation = registry.citation(fact.citation)
    by = "author" if fact.conditions_by else "source"
    parts = [
        ("value", exact_text(fact)),
        ("kind", say(fact.kind.value, language)),
        (f"conditions-{by}", fact.conditions),
        ("evidence", _evidence(citation, language)),
        ("source", place(registry, citation, language)),
        ("disputed", fact.disputed),
        *(("contradicts", text) for text in _contradictions(registry, fact, language)),
        ("note", fact.note),
    ]
    return _hint(parts, language)


def _contradictions(registry: Registry, fact: Fact, language: str) -> Iterator[str]:
    for other in others_of(registry, fact):
        citation = registry.citation(other.citation)
        where = label(registry, citation, language)
        value = exact_text(other)
        yield say("contradiction", language, value=value, key=other.key, place=where)
