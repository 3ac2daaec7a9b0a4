"""What a message and its translation must have in common: keys, placeholders, targets, digits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

ROLE: Final = re.compile(r"\{([a-z][a-z0-9:-]*)\}`([^`]*)`")
PLACEHOLDER: Final = re.compile(r"\{([A-Za-z][A-Za-z0-9_.:-]*)\}(?!`)")
CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
MATH: Final = re.compile(r"(?<![\\$])\$(?!\s)([^$]+?)(?<![\s\\])\$")
TARGET: Final = re.compile(r"\]\(([^)\s]+)\)")
DIGITS: Final = re.compile(r"[0-9０-９]+(?:[.,][0-9]+)*")
Key = tuple[str, str]
_NAMED: Final = re.compile(r"^.*<([^<>]+)>$", re.DOTALL)


def keys(text: str) -> Counter[Key]:
    """How often each (role, key) stands in it, and each ("placeholder", key); formats included.

    Of ``words <key>`` only the key counts: the words are what is translated.
    """
    found: Counter[Key] = Counter()
    for role, content in ROLE.findall(text):
        named = _NAMED.match(content)
        found[role, " ".join((named[1] if named else content).split())] += 1
    found.update(("placeholder", key) for key in PLACEHOLDER.findall(ROLE.sub(" ", text)))
    return found


def spans(text: str) -> set[tuple[str, str]]:
    """("code", content), ("math", content) and ("link target", address) of a text."""
    rest = ROLE.sub(" ", text)
    found = {("code", content.strip()) for _, content in CODE.findall(rest)}
    rest = CODE.sub(" ", rest)
    found |= {("math", content) for content in MATH.findall(rest)}
    return found | {("link target", target) for target in TARGET.findall(rest)}


def digits(text: str) -> set[str]:
    """The numerals that are typed: not those in roles, code, math and targets of links."""
    return set(DIGITS.findall(masked(text, " ")))


def masked(text: str, mask: str) -> str:
    """The text with a mask for every role, code span, formula and placeholder."""
    text = ROLE.sub(mask, text)
    text = PLACEHOLDER.sub(mask, text)
    text = CODE.sub(mask, text)
    text = MATH.sub(mask, text)
    return TARGET.sub("]", text)


def problems(message: str, translation: str) -> Iterator[tuple[str, str]]:
    """(problem, advice) for all that two texts do not have in common."""
    ours, theirs = keys(message), keys(translation)
    for kind, key in sorted(ours - theirs):
        lacks = f"the translation lacks {_written(kind, key)}{_times(ours, theirs, (kind, key))}"
        yield lacks, "put it where the sentence needs it"
    for kind, key in sorted(theirs - ours):
        has_no = f"the English has no {_written(kind, key)}{_times(theirs, ours, (kind, key))}"
        yield has_no, "take the keys that the English has"
    before, after = spans(message), spans(translation)
    for kind, content in sorted(before - after):
        yield f"the translation lacks the {kind} {content!r}", "keep it as it is"
    for kind, content in sorted(after - before):
        yield f"the English has no {kind} {content!r}", "keep code, math and links as they are"
    typed = digits(translation) - digits(message)
    if typed:
        listed = ", ".join(sorted(typed))
        yield f"typed digits that the English lacks: {listed}", "use the role, or say it in words"


def _times(more: Counter[Key], less: Counter[Key], key: Key) -> str:
    """Where a text has a key, but less often than the other: how often each has it."""
    return f" as often: {less[key]} times, not {more[key]}" if less[key] else ""


def _written(kind: str, key: str) -> str:
    return f"{{{key}}}" if kind == "placeholder" else f"{{{kind}}}`{key}`"
