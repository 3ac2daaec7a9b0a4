"""Lints a document tree: every number and verdict a reader meets that nobody checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from docutils import nodes

from ._blocks import Block, Kind, blocks
from ._judgements import find_judgements
from ._locate import Source
from ._numbers import find_numbers
from ._published import Published
from ._text import MASK, Match

_MOST_SUGGESTIONS: Final = 3
_PUBLISH: Final = "publish it and write {num}`key`, or mark a mere name with {lit}`…`"
_CLAIM: Final = "write {holds}`claim`, or {term}`…` where the concept is meant"
_RECORD: Final = "publish it, or show a generated table"
_FIGURE: Final = "publish it with book.figure(), with caption and alt text"
_HEADING: Final = "numbers do not stand in headings"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something typed that should be computed. Line and column count from 1."""

    path: str
    line: int
    column: int
    text: str
    reason: str
    suggestions: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        hint = f"; did you mean {' or '.join(self.suggestions)}" if self.suggestions else ""
        return f"{self.path}:{self.line}:{self.column}: '{self.text}': {self.reason}{hint}"


def lint_document(
    document: nodes.document,
    *,
    source_text: str,
    path: str,
    language: str,
    published: Published,
) -> list[Finding]:
    """The findings in one document, in reading order.

    `source_text` is the text the document was read from; `path` names it in the findings.
    `published` supplies what each finding may stand for. Raises LanguageError, and ContextError
    for a `lint_text` attribute with an unknown context. A finding in a translated text is at the
    place of the translation, which the node carries as `said_at` ("path:line").
    """
    found = list(blocks(document))
    source = Source(source_text, [block.line for block in found])
    findings = []
    for block in found:
        visible = _joined(block, ("text", "term", "code-span", "math"))
        for match in _matches(block, language):
            file, line, column = path, block.line, 1
            if block.said_at:
                file, _, number = block.said_at.rpartition(":")
                line = int(number)
            elif block.context not in ("output", "drawing"):
                before, after = visible[: match.start], visible[match.end :]
                line, column = source.locate(match.text, block.line, before, after)
            known = published.same_value(match.text, language)[:_MOST_SUGGESTIONS]
            suggestions = [f"{{{role}}}`{key}` (= {shown})" for role, key, shown in known]
            reason, _, advice = match.reason.partition(": ")
            if advice and (not suggestions or block.heading):
                reason = match.reason
            findings.append(Finding(file, line, column, match.text, reason, suggestions))
    return findings


def _joined(block: Block, kinds: tuple[Kind, ...]) -> str:
    """The block's text with the pieces of other kinds masked, so that positions stay."""
    return "".join(
        piece.text if piece.kind in kinds else MASK * len(piece.text) for piece in block.pieces
    )


def _matches(block: Block, language: str) -> list[Match]:
    """What is wrong in a block, in order; where two findings overlap, the longer one."""
    if block.context == "drawing":
        text = block.pieces[0].text
        return [Match(0, len(text), text, f"an image that is not published: {_FIGURE}")]
    found = [*_numbers(block, language), *_words(block, language)]
    found.sort(key=lambda match: (match.start, -match.end))
    kept: list[Match] = []
    for match in found:
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept


def _numbers(block: Block, language: str) -> Iterator[Match]:
    advice = _RECORD if block.context == "output" else _HEADING if block.heading else _PUBLISH
    text = _joined(block, ("text", "term"))
    if block.context not in ("math", "code-span"):
        for match in find_numbers(text, context=block.context, language=language):
            yield match._replace(reason=f"{match.reason}: {advice}")
    at = 0
    for piece in block.pieces:
        if piece.kind in ("code-span", "math"):
            for match in find_numbers(piece.text, context=piece.kind, language=language):
                start, end = match.start + at, match.end + at
                yield Match(start, end, match.text, f"{match.reason}: {advice}")
        at += len(piece.text)


def _words(block: Block, language: str) -> Iterator[Match]:
    if block.judged:
        for match in find_judgements(_joined(block, ("text",)), language):
            yield match._replace(reason=f"{match.reason}: {_CLAIM}")
