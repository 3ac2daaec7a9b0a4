"""How texts and queries are split into words for the search. No Sphinx here.

A text is split in Python when the index is made, a query in the reader's browser
(``search_language.js``); both take the patterns of :data:`PATTERNS`. Chinese is not written in
words, so a text gives its characters and its pairs of neighbours, and a query the pairs. Names of
code (``torch.compile``, ``all-reduce``, ``fp16``) stay whole; a text gives their parts as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

HAN: Final = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in (
        (0x3400, 0x4DBF),
        (0x4E00, 0x9FFF),
        (0xF900, 0xFAFF),
        (0x20000, 0x323AF),
    )
)
"""Chinese characters, as ranges of a character class."""
LETTER: Final = "0-9A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff"
"""What names and other words consist of: Latin, Greek and Cyrillic letters, digits, ``_``."""

PATTERNS: Final = {
    "token": f"[{HAN}]+|[{LETTER}]+(?:[.-][{LETTER}]+)*",
    "han": f"^[{HAN}]",
    "joint": "[._-]+",
    "number": "^[0-9._-]*$",
    "plain": "^[a-z]+$",
}
"""Regular expressions that mean the same in Python and in JavaScript (with the flag ``u``)."""

_TOKEN, _HAN, _JOINT, _NUMBER, _PLAIN = map(re.compile, PATTERNS.values())
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_PRODUCT = re.compile(rf"(?<![{LETTER}\\])((?:[0-9]+ )?)([A-Za-z](?: [A-Za-z])+)(?![{LETTER}])")
_FACTOR = re.compile("[0-9]+([A-Z]{2,})")
_LEAST_HUMP = 3


def words_of(text: str) -> Iterator[str]:
    """The words under which a text is found, in lower case.

    >>> list(words_of("torch.compile 编译器"))
    ['torch.compile', 'torch', 'compile', '编', '译', '器', '编译', '译器']
    """
    normal = unicodedata.normalize("NFKC", text)
    for token in _TOKEN.findall(normal):
        if _HAN.match(token):
            yield from token
            yield from map("".join, pairwise(token))
        else:
            yield from _whole_and_parts(token)
    for factor, letters in _PRODUCT.findall(normal):
        product = letters.replace(" ", "").lower()  # a formula's 2 M N K is sought as 2MNK
        yield product
        if factor:
            yield factor.strip() + product


def is_plain(word: str) -> bool:
    """Whether a word in lower case is an ordinary one, whose endings do not matter."""
    return _PLAIN.match(word) is not None


@lru_cache(maxsize=1 << 16)
def _whole_and_parts(token: str) -> tuple[str, ...]:
    parts = [part for part in _JOINT.split(token) if part]
    words = dict.fromkeys([token, *parts])
    for part in parts:
        humps = _HUMP.split(part)
        if min(map(len, humps)) >= _LEAST_HUMP:
            words |= dict.fromkeys(humps)
        if product := _FACTOR.fullmatch(part):  # 2MNK
            words[product[1]] = None
    return tuple(word.lower() for word in words if not _NUMBER.match(word))
