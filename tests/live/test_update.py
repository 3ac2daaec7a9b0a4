"""What the builder reads and writes again, and what it says, in cases that are worth a name."""

from __future__ import annotations

import pytest

from .conftest import Builder, CleanBuilds, SmallBook, differences, tree

EXTRA = "\n(target)=\n## The same target\n\nText.\n"


def check(builder: Builder, book: SmallBook, clean: CleanBuilds) -> None:
    _, wanted = clean.build(book.root, builder.language)
    assert differences(tree(builder.html), wanted) == []


@pytest.mark.slow
def test_prose_runs_no_cell_and_reads_one_page(builder: Builder, book: SmallBook) -> None:
    first = builder.start()
    assert (first["read"], first["runs"]) == (5, 2)
    for words in ("others.", "**bold**.", "some.\n\nA line more."):
        book.replace("book/one.md", "Words: ", f"Words: {words} ")
        message = builder.changed("book/one.md")
        assert (message["read"], message["runs"]) == (1, 2)
        assert "one.html" in message["changed"]
    # the same cells in another place of the page, and a cell that changed
    book.replace("book/one.md", "Words: ", "A paragraph.\n\nWords: ")
    assert builder.changed("book/one.md")["runs"] == 2
    book.replace("book/one.md", '"many"', '"few"')
    assert builder.changed("book/one.md")["runs"] == 3


@pytest.mark.slow
def test_only_pages_that_read_a_file_run_again(builder: Builder, book: SmallBook) -> None:
    builder.start()
    book.replace("tally/other.py", "2 * m", "4 * m")
    message = builder.changed("tally/other.py")
    assert (message["read"], message["runs"]) == (1, 3)
    assert "three.html" in message["changed"]
    book.write("tally/unused.py", "")
    message = builder.changed("tally/unused.py")
    assert (message["read"], message["runs"]) == (0, 3)


@pytest.mark.slow
def test_a_save_without_a_change_is_nothing_to_do(builder: Builder, book: SmallBook) -> None:
    builder.start()
    for name in ("book/one.md", "tally/inner.py", "book/data.csv"):
        book.write(name, book.read(name))
    message = builder.changed("book/one.md", "tally/inner.py", "book/data.csv")
    assert (message["read"], message["runs"], message["changed"]) == (0, 2, [])


@pytest.mark.slow
def test_the_open_page_is_shown_before_the_others(builder: Builder, book: SmallBook) -> None:
    builder.start()
    book.replace("tally/inner.py", "return 2", "return 4")
    book.replace("tally/other.py", "2 * m", "4 * m")
    builder.said.clear()
    builder.changed("tally/inner.py", "tally/other.py", opened=["three.html", "one.html"])
    said = [(m["kind"], m.get("what", ""), m["page"]) for m in builder.said if "page" in m]
    assert said[0] == ("page", "", "three.html")
    assert said.index(("progress", "reading", "one")) > 0
    # an edited page comes even before the open one
    book.replace("book/two.md", "Words: ", "Words: more, ")
    book.replace("tally/other.py", "4 * m", "6 * m")
    builder.said.clear()
    builder.changed("tally/other.py", "book/two.md", opened=["three.html"])
    assert [m["page"] for m in builder.said if m["kind"] == "page"] == ["two.html"]


@pytest.mark.slow
def test_of_two_pages_that_claim_a_label_the_same_one_wins_as_in_a_clean_build(
    builder: Builder, book: SmallBook, clean: CleanBuilds
) -> None:
    builder.start()
    book.write("book/three.md", book.read("book/three.md") + EXTRA)
    said = builder.changed("book/three.md", opened=["three.html"])["problems"]
    assert [p["text"] for p in said] == ["duplicate label target, other instance in book/three.md"]
    check(builder, book, clean)
    for page in ("two", "three", "two"):
        book.replace(f"book/{page}.md", "Words: ", "Words: more, ")
        assert builder.changed(f"book/{page}.md", opened=["two.html"])["problems"] == said
        check(builder, book, clean)
    book.replace("book/two.md", "(target)=\n", "")
    assert builder.changed("book/two.md")["problems"] == []
    check(builder, book, clean)


@pytest.mark.slow
def test_two_figures_of_one_name_keep_the_names_of_a_clean_build(
    builder: Builder, book: SmallBook, clean: CleanBuilds
) -> None:
    square = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><title>{}</title></svg>'
    for folder in ("a", "b"):
        book.write(f"book/{folder}/figure.svg", square.format(folder))
    book.write("book/two.md", book.read("book/two.md") + "\n![of a](a/figure.svg)\n")
    builder.start()
    check(builder, book, clean)
    book.write("book/one.md", book.read("book/one.md") + "\n![of b](b/figure.svg)\n")
    builder.changed("book/one.md", opened=["two.html"])
    check(builder, book, clean)
    book.write("book/a/figure.svg", square.format("another"))
    builder.changed("book/a/figure.svg")
    check(builder, book, clean)
    book.replace("book/one.md", "\n![of b](b/figure.svg)\n", "")
    builder.changed("book/one.md")
    check(builder, book, clean)


@pytest.mark.slow
def test_a_page_with_an_error_is_held_and_one_with_a_warning_is_not(
    builder: Builder, book: SmallBook
) -> None:
    builder.start()
    good = (builder.served / "two.html").read_text("utf-8")
    book.replace("book/two.md", "{num}`one.product:int`", "{num}`one.prodct:int`")
    message = builder.changed("book/two.md")
    (problem,) = message["problems"]
    assert (problem["path"], problem["line"], problem["page"]) == ("book/two.md", 6, "two.html")
    assert "one.product" in problem["text"]
    assert message["held"] == ["two.html"]
    assert (builder.served / "two.html").read_text("utf-8") == good
    assert "⟦" in (builder.html / "two.html").read_text("utf-8")
    book.replace("book/two.md", "{num}`one.prodct:int`", "{num}`one.product:int` {ref}`nowhere`")
    message = builder.changed("book/two.md")
    (problem,) = message["problems"]
    assert (problem["level"], message["held"]) == ("warning", [])
    assert "nowhere" in (builder.served / "two.html").read_text("utf-8")
    # what is wrong with a page is said again though another one is built
    book.replace("book/one.md", "Words: ", "Words: more, ")
    assert builder.changed("book/one.md")["problems"] == [problem]


@pytest.mark.slow
def test_a_first_build_shows_even_what_is_wrong(builder: Builder, book: SmallBook) -> None:
    book.replace("book/two.md", "{num}`one.product:int`", "{num}`one.prodct:int`")
    message = builder.start()
    assert message["held"] == []
    assert "⟦" in (builder.served / "two.html").read_text("utf-8")


@pytest.mark.slow
def test_a_figure_that_was_missing_is_found(builder: Builder, book: SmallBook) -> None:
    book.write("book/two.md", book.read("book/two.md") + "\n![a figure](late.svg)\n")
    message = builder.start()
    assert [p["path"] for p in message["problems"]] == ["book/two.md"]
    book.write("book/late.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    message = builder.changed("book/late.svg")
    assert message["problems"] == []
    assert "_images/late.svg" in message["changed"]
    assert (builder.served / "_images/late.svg").exists()


@pytest.mark.slow
def test_a_builder_that_was_told_to_end_ends(builder: Builder, book: SmallBook) -> None:
    builder.start()
    book.replace("tally/inner.py", "return 2", "import time; time.sleep(30); return 2")
    builder.send("tally/inner.py")
    assert builder.end() == 0


@pytest.mark.slow
def test_what_a_first_look_leaves_out_is_there_afterwards(
    builder: Builder, book: SmallBook
) -> None:
    book.replace("conf.py", "bookcode_lint = False\n", "")
    before = builder.start()["problems"]
    notebook = builder.html / "code/cells/one.ipynb"
    book.replace("book/one.md", "Words: ", "It took 17 hours. ")
    builder.said.clear()
    message = builder.changed("book/one.md", opened=["one.html"])
    kinds = [said["kind"] for said in builder.said]
    assert kinds.index("page") < kinds.index("progress")  # it was shown before it was read
    (problem,) = [said for said in message["problems"] if said not in before]
    assert (problem["path"], problem["line"]) == ("book/one.md", 11)
    assert "'17 hours'" in problem["text"]
    assert "It took 17 hours." in notebook.read_text("utf-8")
