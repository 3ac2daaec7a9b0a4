from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment
from sphinx.search import IndexBuilder

from bookcode.live import sphinx_facts
from bookcode.live.errors import SphinxSeamError
from bookcode.live.sphinx_facts import SIGNATURES, check_seam


def test_this_sphinx_has_the_steps_that_the_builder_takes() -> None:
    """Says which one changed: look at ``Builder.build`` of the new version and follow it."""
    check_seam()


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__qualname__)
def test_a_changed_signature_is_named(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SIGNATURES, function, ["self", "other"])
    said = (
        rf"Sphinx [\d.]+: .*{re.escape(function.__qualname__)} takes \[.*, not \['self', 'other'\]"
    )
    with pytest.raises(SphinxSeamError, match=said):
        check_seam()


@pytest.mark.parametrize(
    ("owner", "name", "said"),
    [
        (Builder, "read", "Builder.read has no .*env-updated"),
        (Builder, "write", "Builder.write has no .*write-started"),
        (BuildEnvironment, "get_doctree", "get_doctree has no .*_pickled_doctree_cache"),
        (IndexBuilder, "__init__", "IndexBuilder has no _titles"),
    ],
)
def test_a_changed_step_is_named(
    owner: type, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(self: Any) -> None:
        """Does something else."""

    other.__qualname__ = f"{owner.__name__}.{name}"
    monkeypatch.setattr(owner, name, other)
    with pytest.raises(SphinxSeamError, match=said):
        check_seam()


def test_only_these_modules_reach_into_sphinx() -> None:
    """What else of the package imports Sphinx would have to be checked too."""
    folder = Path(sphinx_facts.__file__).parent
    importing = {
        path.name
        for path in folder.glob("*.py")
        if re.search(r"^\s*(from|import) sphinx\b", path.read_text("utf-8"), re.MULTILINE)
    }
    assert importing == {"seam.py", "search_index.py", "sphinx_facts.py"}
