"""Lines of tables and keys in TOML text."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from bookcode.sources.tomltext import Lines, places, split_path

TEXT = '''\
# [facts.not-this]
[facts."a.b"]
value = "1"   # value = "2"
note = """
[facts.inside]
value = "3"
"""
"quoted key" = 1

  [artifacts.'x==1.0']  # a comment
  name = "x"
[plain]
'''


def test_headers_and_keys_have_their_lines() -> None:
    lines = Lines(TEXT)
    assert lines.of(("facts", "a.b")) == 2
    assert lines.of(("facts", "a.b"), "value") == 3
    assert lines.of(("facts", "a.b"), "quoted key") == 8
    assert lines.of(("artifacts", "x==1.0")) == 10
    assert lines.of(("artifacts", "x==1.0"), "name") == 11
    assert lines.of(("plain",)) == 12


def test_an_absent_key_falls_back_to_its_header_and_an_absent_table_to_the_top() -> None:
    lines = Lines(TEXT)
    assert lines.of(("facts", "a.b"), "absent") == 2
    assert lines.of(("absent",)) == 1


def test_nothing_inside_a_multi_line_string_counts() -> None:
    assert not [place for place in places(TEXT) if "inside" in place.table]


def test_repeated_headers_are_found_with_the_first() -> None:
    repeated = Lines("[a]\nx = 1\n[b]\n[a]\n").repeated
    assert [(place.table, place.line, first) for place, first in repeated] == [(("a",), 4, 1)]


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3))
def test_a_quoted_path_comes_apart_as_the_parser_takes_it(parts: list[str]) -> None:
    escaped = [
        '"' + "".join(f"\\U{ord(c):08x}" for c in part) + '"'
        for part in parts
        if not any("\ud800" <= c <= "\udfff" for c in part)
    ]
    if len(escaped) < len(parts):
        return
    path = ".".join(escaped)
    assert split_path(path) == tuple(parts)
    tree: object = tomllib.loads(f"[{path}]")
    for part in parts:
        assert isinstance(tree, dict)
        tree = tree[part]
    assert tree == {}
