"""The lint for hard-coded numbers and judging words in what a reader reads.

`find_numbers` and `find_judgements` read plain text; `lint_document` reads a document tree and
gives each finding its place in the source and the published number it may stand for. `find_drawn`
reads the text of a drawing, `drawn_numerals` says which of it has digits, `find_math` and
`FormulaIndex` recognise published formulas.
"""

from ._document import Finding, lint_document
from ._errors import ContextError, LanguageError, ProseError, VocabularyError
from ._formulas import FormulaIndex, TypedMath, find_math
from ._judgements import Word, find_judgements, vocabulary
from ._numbers import find_numbers
from ._published import Published, PublishedIndex
from ._quantity import Quantity, parse_quantity
from ._svg import drawn_numerals, find_drawn
from ._text import Context, Language, Match

__all__ = [
    "Context",
    "ContextError",
    "Finding",
    "FormulaIndex",
    "Language",
    "LanguageError",
    "Match",
    "ProseError",
    "Published",
    "PublishedIndex",
    "Quantity",
    "TypedMath",
    "VocabularyError",
    "Word",
    "drawn_numerals",
    "find_drawn",
    "find_judgements",
    "find_math",
    "find_numbers",
    "lint_document",
    "parse_quantity",
    "vocabulary",
]
