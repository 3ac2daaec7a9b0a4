"""The two builds have nothing in common that must not matter."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys

from bookcode.reproducible.ways import installed_locales, normal, other_locale, two_ways


def test_the_ways_differ_in_everything() -> None:
    one, other = two_ways("tr_TR.UTF-8")
    assert one.folder != other.folder
    assert {one.jobs, other.jobs} == {1, 2}
    assert one.backwards != other.backwards
    assert one.environment.keys() == other.environment.keys()
    assert not [k for k in one.environment if one.environment[k] == other.environment[k]]
    assert other.environment["LC_ALL"] == "tr_TR.UTF-8"
    assert str(one).startswith("-j1 TZ=")
    assert "LC_ALL=tr_TR.UTF-8" in str(other)


def test_it_is_never_the_same_day_in_both() -> None:
    code = "import datetime; print(datetime.datetime.now().isoformat())"
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **way.environment}, capture_output=True, text=True, check=True,
        ).stdout
        for way in two_ways(None)
    ]  # fmt: skip
    west, east = (datetime.datetime.fromisoformat(text.strip()) for text in said)
    assert datetime.timedelta(hours=25) < east - west < datetime.timedelta(hours=27)


def test_the_most_telling_locale_is_taken() -> None:
    names = ["C", "C.utf8", "POSIX", "en_US.utf8", "de_DE.utf8", "tr_TR.utf8", "tr_TR.iso88599"]
    assert other_locale(names) == "tr_TR.utf8"
    assert other_locale(names[:5]) == "de_DE.utf8"
    assert other_locale(names[:4]) == "en_US.utf8"


def test_without_another_locale_there_is_none() -> None:
    assert other_locale(["C", "C.utf8", "C.UTF-8", "POSIX"]) is None
    assert other_locale([]) is None
    assert two_ways(None)[1].environment["LC_ALL"] == "C"


def test_encodings_have_one_spelling() -> None:
    assert normal("C.utf8") == normal("C.UTF-8") == "C.UTF-8"
    assert normal("de_DE.iso88591") == "de_DE.iso88591"
    assert normal("POSIX") == "POSIX"


def test_this_machine_names_its_locales() -> None:
    assert all(name and not name.isspace() for name in installed_locales())
    assert other_locale() is None or other_locale() in installed_locales()
