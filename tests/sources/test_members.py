"""Members are read by name, and nothing unsafe is read at all."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.sources.errors import (
    ArtifactChangedError,
    MemberError,
    MemberMissingError,
    UnsafeMemberError,
)
from bookcode.sources.members import Members, Text, leaves_artifact, lines_sha256

STAMP = (2026, 1, 1, 0, 0, 0)
MakeWheel = Callable[[Path, Mapping[str, str | bytes]], None]


@pytest.fixture
def wheel(tmp_path: Path, make_wheel: MakeWheel) -> Path:
    path = tmp_path / "a-1.0-py3-none-any.whl"
    make_wheel(path, {"a/b.py": "x = 1\ny = 2\n", "a/c.py": "", "d/b.txt": "é\r\nz"})
    return path


def test_members_are_read_by_name(wheel: Path) -> None:
    text = Members(wheel).read("a/b.py")
    assert text.text == "x = 1\ny = 2\n"
    assert text.lines == ["x = 1", "y = 2", ""]
    assert text.sha256 == sha256(b"x = 1\ny = 2\n").hexdigest()


def test_what_was_read_is_kept(wheel: Path) -> None:
    members = Members(wheel)
    assert members.read("a/b.py") is members.read("a/b.py")


def test_lines_end_at_lf_alone_and_keep_cr(wheel: Path) -> None:
    text = Members(wheel).read("d/b.txt")
    assert text.lines == ["é\r", "z"]
    assert text.span(1, 1) == "é\r"
    assert lines_sha256("é\r") == sha256("é\r".encode()).hexdigest()
    assert Text(b"a\x0cb\x1cc\xe2\x80\xa8d").lines == ["a\x0cb\x1cc\u2028d"]


def test_a_span_past_the_end_is_none(wheel: Path) -> None:
    text = Members(wheel).read("a/b.py")
    assert text.span(2, 3) == "y = 2\n"
    assert text.span(3, 4) is None


def test_a_missing_member_names_the_like(wheel: Path) -> None:
    with pytest.raises(MemberMissingError, match=r"no member 'x/b.py' \(nearest: a/b.py\)"):
        Members(wheel).read("x/b.py")
    with pytest.raises(MemberMissingError, match=r"nearest: a/[bc]\.py"):
        Members(wheel).read("a/cc.py")


@pytest.mark.parametrize(
    "path", ["../a/b.py", "a/../b.py", "/a/b.py", "a\\b.py", "C:/a", "", "a//b", "./a", "a/\0"]
)
def test_names_that_leave_the_artifact_are_refused(wheel: Path, path: str) -> None:
    assert leaves_artifact(path)
    with pytest.raises(UnsafeMemberError, match="leaves the artifact"):
        Members(wheel).read(path)


@given(st.lists(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}", fullmatch=True), min_size=1))
def test_plain_names_do_not_leave_the_artifact(parts: list[str]) -> None:
    assert not leaves_artifact("/".join(parts))


@given(st.lists(st.sampled_from(["a", "b", ".."]), min_size=1).filter(lambda p: ".." in p))
def test_no_climbing_name_passes(parts: list[str]) -> None:
    assert leaves_artifact("/".join(parts))


def test_links_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.whl"
    info = zipfile.ZipInfo("a/link.py", STAMP)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(UnsafeMemberError, match=r"'a/link\.py' is a link"):
        Members(path).read("a/link.py")


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.py", STAMP), "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(zipfile.ZipInfo("a.py", STAMP), "2")
    with pytest.raises(UnsafeMemberError, match=r"two members are called 'a\.py'"):
        Members(path).read("a.py")


def test_a_member_declared_too_large_is_refused_before_it_is_read(
    tmp_path: Path, make_wheel: MakeWheel
) -> None:
    path = tmp_path / "bomb.whl"
    make_wheel(path, {"zeros": b"\0" * 2_000_000, "small": "x"})
    assert path.stat().st_size < 10_000
    members = Members(path, max_bytes=1_000_000)
    with pytest.raises(UnsafeMemberError, match=r"declares 2000000 bytes, more than the 1000000"):
        members.read("zeros")
    assert members.read("small").text == "x"


def test_a_member_that_lies_about_its_size_is_refused(
    tmp_path: Path, make_wheel: MakeWheel
) -> None:
    path = tmp_path / "lie.whl"
    make_wheel(path, {"zeros": b"\0" * 2_000_000})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<L", 2_000_000), struct.pack("<L", 1000)))
    with pytest.raises((ArtifactChangedError, UnsafeMemberError), match="zeros"):
        Members(path, max_bytes=1_000_000).read("zeros")


def test_a_truncated_wheel_is_reported(wheel: Path) -> None:
    wheel.write_bytes(wheel.read_bytes()[:-30])
    with pytest.raises(ArtifactChangedError, match="not a readable wheel"):
        Members(wheel).read("a/b.py")


def test_a_damaged_member_is_reported(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    start = data.index(b"a/b.py") + len("a/b.py")
    data[start : start + 4] = b"\xff\xff\xff\xff"
    wheel.write_bytes(bytes(data))
    with pytest.raises(ArtifactChangedError, match=r"a/b\.py"):
        Members(wheel).read("a/b.py")


def test_an_encrypted_member_is_refused(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    wheel.write_bytes(bytes(data))
    with pytest.raises(UnsafeMemberError, match="encrypted"):
        Members(wheel).read("a/b.py")


def test_a_member_that_is_not_text_is_reported(tmp_path: Path, make_wheel: MakeWheel) -> None:
    path = tmp_path / "n.whl"
    make_wheel(path, {"n.bin": b"\xff\xfe"})
    with pytest.raises(MemberError, match="not UTF-8"):
        _ = Members(path).read("n.bin").text
