from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.live.publish import Publisher


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "html"
    for name, text in {"index.html": "one", "a/b.html": "two", "_images/x.png": "png"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def served(tmp_path: Path) -> Path:
    return tmp_path / "site"


@pytest.fixture
def publisher(built: Path, served: Path) -> Publisher:
    made = Publisher(built, served)
    made.clear()
    return made


def test_everything_comes_once_figures_before_pages(publisher: Publisher, served: Path) -> None:
    assert publisher.publish_all() == ["_images/x.png", "a/b.html", "index.html"]
    assert (served / "a/b.html").read_text() == "two"
    assert publisher.publish_all() == []


def test_only_other_bytes_are_news(publisher: Publisher, built: Path, served: Path) -> None:
    publisher.publish_all()
    before = (served / "index.html").stat()
    (built / "index.html").write_text("one")
    assert publisher.publish_all() == []
    assert (served / "index.html").stat().st_mtime_ns == before.st_mtime_ns
    (built / "index.html").write_text("eno")
    assert publisher.publish_all() == ["index.html"]
    assert (served / "index.html").read_text() == "eno"


def test_a_page_appears_as_a_whole(publisher: Publisher, built: Path, served: Path) -> None:
    publisher.publish_all()
    with (served / "index.html").open() as old:
        (built / "index.html").write_text("three")
        assert publisher.publish("index.html")
        assert old.read() == "one", "the file was written over while somebody read it"
    assert sorted(path.name for path in served.iterdir()) == ["_images", "a", "index.html"]


def test_one_page_before_the_rest(publisher: Publisher, built: Path) -> None:
    publisher.publish_all()
    (built / "index.html").write_text("new")
    (built / "a/b.html").write_text("new")
    assert publisher.publish("index.html")
    assert not publisher.publish("index.html")
    assert publisher.publish_all() == ["a/b.html"]


def test_what_is_gone_goes(publisher: Publisher, built: Path, served: Path) -> None:
    publisher.publish_all()
    (built / "a/b.html").unlink()
    assert publisher.publish_all() == ["a/b.html"]
    assert not (served / "a/b.html").exists()
    assert publisher.publish_all() == []


def test_a_held_page_stays_with_its_figures(
    publisher: Publisher, built: Path, served: Path
) -> None:
    publisher.publish_all()
    (built / "index.html").write_text("spoilt")
    (built / "_images/x.png").unlink()
    assert publisher.publish_all({"index.html"}) == []
    assert (served / "index.html").read_text() == "one"
    assert (served / "_images/x.png").exists()
    assert publisher.publish_all() == ["index.html", "_images/x.png"]
    assert not (served / "_images/x.png").exists()


def test_the_same_page_built_again_after_it_was_removed(
    publisher: Publisher, built: Path, served: Path
) -> None:
    publisher.publish_all()
    (served / "index.html").unlink()
    assert not publisher.has("index.html")
    assert publisher.publish("index.html")
    assert publisher.has("index.html")


def test_clearing_serves_nothing(publisher: Publisher, served: Path) -> None:
    publisher.publish_all()
    publisher.clear()
    assert list(served.iterdir()) == []
    assert len(publisher.publish_all()) == 3
