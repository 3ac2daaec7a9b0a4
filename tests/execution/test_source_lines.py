from __future__ import annotations

import pytest

from bookcode.execution.source_lines import first_line

CHAPTER = """\
text

```{code-cell} ipython3
:tags: [hide-input]

x = 1
y = 2
```

```{code-cell}
---
tags: [raises-exception]
---
1 / 0
```
""".splitlines()


@pytest.mark.parametrize(
    ("start", "source", "expected"),
    [
        (4, "x = 1\ny = 2", 6),
        (11, "1 / 0", 14),
        (6, "x = 1\ny = 2", 6),
        (4, "from another file", 4),
        (4, "x = 1\ny = 3", 4),
        (900, "x = 1", 900),
    ],
)
def test_the_code_is_found_after_the_options(start: int, source: str, expected: int) -> None:
    assert first_line(CHAPTER, start, source) == expected


def test_code_far_below_belongs_to_another_cell() -> None:
    lines = ["```{code-cell}"] + [""] * 100 + ["x = 1"]
    assert first_line(lines, 2, "x = 1") == 2
