"""The lint on document trees: what is read, what is not, and where the findings are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import new_document
from myst_parser.docutils_ import Parser  # type: ignore[attr-defined]  # not in its __all__

from bookcode.prose import ContextError, Finding, PublishedIndex, lint_document

NOTHING = PublishedIndex([])
PUBLISHED = PublishedIndex(
    [
        ("num", "gemm.time", 188.4872e-6, "s", "188.5 µs"),
        ("num", "gemm.time-again", 188.5e-6, "s", "188.5 µs"),
        ("num", "third", 188.51e-6, "s", "188.5 µs"),
        ("num", "fourth", 188.52e-6, "s", "188.5 µs"),
        ("holds", "gemm.regime", math.nan, "", "memory-bound"),
    ]
)


def lint(
    text: str, published: PublishedIndex = NOTHING, language: str = "en", **attributes: Any
) -> list[Finding]:
    """The findings in a MyST text; `attributes` go on every emphasis, which plays a role."""
    settings = {
        "myst_enable_extensions": {"dollarmath", "amsmath", "colon_fence", "deflist"},
        "output_encoding": "unicode",
        "report_level": 5,
        "warning_stream": "",
    }
    document = publish_doctree(text, parser=Parser(), settings_overrides=settings)
    for node in document.findall(nodes.emphasis):
        node.attributes.update(attributes)
    return lint_document(
        document, source_text=text, path="page.md", language=language, published=published
    )


def tree(*children: nodes.Node) -> nodes.document:
    document = new_document("page.md")
    document += children
    return document


def places(findings: list[Finding]) -> list[tuple[int, int, str]]:
    return [(finding.line, finding.column, finding.text) for finding in findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It takes 5 ms.", [(1, 10, "5 ms")]),
        ("One\n\nand *4* or **5 ms**", [(3, 6, "4"), (3, 14, "5 ms")]),
        ("About **84** % of it", [(1, 9, "84 %")]),
        ("- item 7 GB\n  - sub 8 GB", [(1, 8, "7 GB"), (2, 9, "8 GB")]),
        ("| a | b |\n|---|---|\n| 12 ms | 12 ms |", [(3, 3, "12 ms"), (3, 11, "12 ms")]),
        ("# Of 84 %", [(1, 6, "84 %")]),
        ("Text[^1]\n\n[^1]: A note of 5 ms.", [(3, 17, "5 ms")]),
        ("![Ridge at 206](x.png)", [(1, 12, "206")]),
        (":::{figure} x.png\n:alt: of 9 GB\n\nOf 10 GB\n:::", [(2, 10, "9 GB"), (4, 4, "10 GB")]),
        (":::{note}\nOf 7 GB\n:::", [(2, 4, "7 GB")]),
        (":::{admonition} Of 7 GB\nx\n:::", [(1, 20, "7 GB")]),
        ("Term\n: of 7 GB", [(2, 6, "7 GB")]),
        ("> of 7 GB", [(1, 6, "7 GB")]),
        ("[of 7 GB](https://example.org/7)", [(1, 5, "7 GB")]),
        ("Use `128 KiB` of it", [(1, 6, "128 KiB")]),
        ("Here $3 x^2 + 2 y$ stands", [(1, 7, "3")]),
        ("$$\n12 x\n$$", [(2, 1, "12")]),
        ("It is memory-bound.", [(1, 7, "memory-bound")]),
        ("# Why it is memory-bound", [(1, 13, "memory-bound")]),
        ("<div>\n128 KiB\n</div>", [(2, 1, "128 KiB")]),
        ("Of <b>5 ms</b>", [(1, 7, "5 ms")]),
        ('Of <b title="6 ms">it</b>', [(1, 14, "6 ms")]),
        ('<p title="7 ms">It is memory-bound.</p>', [(1, 23, "memory-bound"), (1, 11, "7 ms")]),
        ('[link](https://example.org "of 7 GB")', [(1, 32, "7 GB")]),
        ('![plot](x.png "of 8 GB")', [(1, 19, "8 GB")]),
    ],
)
def test_what_the_reader_reads_is_linted(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert places(lint(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 128 * 1024  # 128 KiB\n```",
        "<!-- 128 KiB -->",
        "<script>x = 128</script>\n\n<style>p { width: 128px }</style>",
        '<div class="w-128" id="x-128"></div>',
        "% 128 KiB",
        "Use `n = 4096` and `fp16`.",
        "Here $2 M N K + x_{12}$ stands",
        "Text[^1]\n\n[^1]: A note.",
        "1. first\n2. second",
        "two budgets on an H200",
        "(target-2)=\nText",
        "[text](https://example.org/2024/128)",
    ],
)
def test_what_is_no_statement_is_left_alone(text: str) -> None:
    assert lint(text) == []


def test_what_our_roles_made_is_skipped_and_words_around_it_are_read() -> None:
    findings = lint("It takes *188.5 µs* or *memory-bound*, most of 3.", bookcode="num")
    assert [finding.text for finding in findings] == ["most of", "3"]


def test_a_number_does_not_reach_over_what_a_role_made() -> None:
    assert [f.text for f in lint("takes 3*to*5 GB", bookcode="num")] == ["3", "5 GB"]


def test_what_our_roles_made_is_skipped_in_headings_too() -> None:
    assert lint("# It takes *188.5 µs*", bookcode="lit") == []


def test_a_number_in_a_heading_is_told_to_leave_it() -> None:
    [finding] = lint("# It takes 188.5 µs", PUBLISHED)
    assert finding.reason == "a typed quantity: numbers do not stand in headings"


def test_texts_that_a_made_node_names_are_linted() -> None:
    made = nodes.container(bookcode="figure", lint_text=[("Of 7 GB", "caption"), ("3 x", "math")])
    made += nodes.paragraph("", "8 GB and `9 GB`")
    inline = nodes.inline("", "8 GB", bookcode="num", lint_text=[("16 B", "code-span")])
    document = tree(made, nodes.paragraph("", "", inline))
    made.line = 4
    findings = lint_document(document, source_text="", path="p", language="en", published=NOTHING)
    assert places(findings) == [(4, 1, "7 GB"), (4, 1, "3"), (1, 1, "16 B")]


def test_an_unknown_context_of_a_made_node_is_an_error() -> None:
    document = tree(nodes.container(bookcode="figure", lint_text=[("7", "captoin")]))
    with pytest.raises(ContextError, match="did you mean caption"):
        lint_document(document, source_text="", path="p", language="en", published=NOTHING)


class PendingXref(nodes.Inline, nodes.Element):
    """A reference as Sphinx leaves it before it is resolved."""

    tagname = "pending_xref"


def glossary_reference() -> nodes.Element:
    return PendingXref("", nodes.inline("", "memory-bound"), reftype="term")


def resolved_reference() -> nodes.Element:
    inner = nodes.inline("", "memory-bound", classes=["xref", "std", "std-term"])
    return nodes.reference("", "", inner, refid="term")


@pytest.mark.parametrize("make", [glossary_reference, resolved_reference])
def test_a_glossary_term_is_no_verdict(make: Callable[[], nodes.Element]) -> None:
    document = tree(nodes.paragraph("", "", nodes.Text("A "), make(), nodes.Text(" kernel")))
    findings = lint_document(document, source_text="", path="p", language="en", published=NOTHING)
    assert findings == []


def test_a_number_in_a_glossary_term_is_still_a_number() -> None:
    reference = PendingXref("", nodes.inline("", "takes 5 ms"), reftype="term")
    document = tree(nodes.paragraph("", "", reference))
    findings = lint_document(document, source_text="", path="p", language="en", published=NOTHING)
    assert [finding.text for finding in findings] == ["5 ms"]


def test_the_words_a_glossary_defines_are_no_verdicts() -> None:
    class Glossary(nodes.General, nodes.Element):
        tagname = "glossary"

    def definitions() -> nodes.definition_list:
        term = nodes.term("", "memory-bound")
        definition = nodes.definition("", nodes.paragraph("", "Takes 5 ms."))
        return nodes.definition_list("", nodes.definition_list_item("", term, definition))

    def texts(document: nodes.document) -> list[str]:
        found = lint_document(document, source_text="", path="p", language="en", published=NOTHING)
        return [finding.text for finding in found]

    assert texts(tree(Glossary("", definitions()))) == ["5 ms"]
    assert texts(tree(definitions())) == ["memory-bound", "5 ms"]


def test_a_reference_that_sphinx_numbers_is_no_number() -> None:
    reference = PendingXref("", nodes.inline("", "Figure 4096"), reftype="numref")
    document = tree(nodes.paragraph("", "", reference))
    assert lint_document(document, source_text="", path="p", language="en", published=NOTHING) == []


def cell(*outputs: nodes.Node) -> nodes.Element:
    source = nodes.container(nb_element="cell_code_source")
    source += nodes.literal_block("", "print(18.5)")
    output = nodes.container(nb_element="cell_code_output")
    output += outputs
    whole = nodes.container("", source, output, nb_element="cell_code")
    whole.line = 7
    return whole


def lint_cell(*outputs: nodes.Node) -> list[Finding]:
    return lint_document(
        tree(cell(*outputs)), source_text="x", path="p", language="en", published=NOTHING
    )


def test_a_print_is_reported_at_its_cell_and_the_code_is_not() -> None:
    [finding] = lint_cell(nodes.literal_block("", "18.5"))
    assert (finding.line, finding.column, finding.text) == (7, 1, "18.5")
    assert finding.reason.startswith("a bare print of a figure: publish it")


def test_text_that_a_cell_displays_is_read_for_numbers_and_verdicts() -> None:
    findings = lint_cell(nodes.paragraph("", "It is memory-bound, 5 ms."))
    assert [finding.text for finding in findings] == ["memory-bound", "5 ms"]


def test_words_that_a_cell_prints_are_not_verdicts() -> None:
    assert lint_cell(nodes.literal_block("", "memory-bound on fp16")) == []


def bundle(**forms: nodes.Node) -> nodes.Element:
    """What a cell displayed, by the last part of the MIME type."""
    types = {"plain": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png"}
    whole = nodes.container(nb_element="mime_bundle")
    for name, node in forms.items():
        whole += nodes.container("", node, mime_type=types[name])
    return whole


def html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def test_the_plain_stand_in_of_a_rich_output_is_not_read() -> None:
    plain = nodes.literal_block("", "<Figure 640x480>")
    assert [f.text for f in lint_cell(bundle(plain=plain))] == ["640x480"]
    assert lint_cell(bundle(plain=plain, html=html("<b>nothing</b>"))) == []


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (html("<b>5</b> ms on an <b>H200</b>"), ["5 ms"]),
        (html("<table><tr><td>5</td><td>6</td></tr></table>"), ["5", "6"]),
        (html('<b title="7 ms">x</b>'), ["7 ms"]),
        (html("<script>var x = 5</script>"), []),
        (html("<svg><text>9 GB</text></svg>"), ["<svg>", "9 GB"]),
        (html('<img src="x.png">'), ["<img>"]),
        (html('<iframe src="x"></iframe><canvas></canvas>'), ["<iframe>", "<canvas>"]),
        (nodes.raw("", "5 ms", format="latex"), []),
        (nodes.math_block("", "2 x + 12 y"), ["2 x", "12"]),
        (nodes.paragraph("", "of 6 ms"), ["6 ms"]),
        (nodes.image(uri="plot.png", alt="a plot"), ["plot.png"]),
        (nodes.paragraph("", "", nodes.image(uri="plot.png")), ["plot.png"]),
    ],
)
def test_every_form_of_an_output_is_read(output: nodes.Node, found: list[str]) -> None:
    assert [finding.text for finding in lint_cell(output)] == found


def test_an_image_that_a_cell_left_over_is_told_to_become_a_figure() -> None:
    [finding] = lint_cell(bundle(png=nodes.image(uri="plot.png")))
    assert "publish it with book.figure()" in finding.reason
    assert lint("![plot](x.png)") == []


def test_what_our_directives_put_into_an_output_is_skipped() -> None:
    table = nodes.container("", nodes.paragraph("", "5 ms"), bookcode="table")
    assert lint_cell(table) == []


def test_labels_of_tabs_and_dropdowns_are_read() -> None:
    tab = nodes.container("", nodes.rubric("", "Of 12 GB"), design_component="tab-item")
    drop = nodes.container("", nodes.rubric("", "Of 14 GB"), design_component="dropdown")
    tab.line, drop.line = 3, 5
    text = "\n\n:::{tab-item} Of 12 GB\n\n:::{dropdown} Of 14 GB\n"
    findings = lint_document(
        tree(tab, drop), source_text=text, path="p", language="en", published=NOTHING
    )
    assert places(findings) == [(3, 18, "12 GB"), (5, 18, "14 GB")]


def test_captions_and_titles_of_a_table_of_contents_are_read() -> None:
    class Toctree(nodes.General, nodes.Element):
        tagname = "toctree"

    toctree = Toctree(caption="Of 7 GB", entries=[("Takes 5 ms", "a"), (None, "chapter-128")])
    findings = lint_document(
        tree(toctree), source_text="", path="p", language="en", published=NOTHING
    )
    assert [finding.text for finding in findings] == ["7 GB", "5 ms"]


def test_a_finding_names_what_is_published_three_at_most() -> None:
    [number, word] = lint("It takes 188.5 µs and is memory-bound.", PUBLISHED)
    assert number.suggestions == [
        "{num}`gemm.time` (= 188.5 µs)",
        "{num}`gemm.time-again` (= 188.5 µs)",
        "{num}`third` (= 188.5 µs)",
    ]
    assert str(word) == (
        "page.md:1:26: 'memory-bound': a verdict on a quantity (regime); "
        "did you mean {holds}`gemm.regime` (= memory-bound)"
    )


def test_a_finding_without_a_like_says_what_to_do() -> None:
    [number, word] = lint("It takes 7 GB and is memory-bound.")
    assert str(number) == (
        "page.md:1:10: '7 GB': a typed quantity: publish it and write {num}`key`, "
        "or mark a mere name with {lit}`…`"
    )
    assert "{holds}`claim`" in str(word)


def test_overlapping_findings_are_told_once() -> None:
    assert [f.text for f in lint("Two orders of magnitude more")] == ["Two orders of magnitude"]
    assert [f.text for f in lint("快了三倍", language="zh_CN")] == ["三倍"]


def test_chinese_pages_have_lines_and_columns_too() -> None:
    findings = lint("# 标题\n\n耗时 5 毫秒，\n大部分是访存受限的。", language="zh_CN")
    assert places(findings) == [(3, 4, "5 毫秒"), (4, 1, "大部分"), (4, 5, "访存受限")]
