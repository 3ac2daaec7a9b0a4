from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bookcode.live.project import OutputLockedError, Project, lock_output

HOLD = """\
import sys, time
from pathlib import Path
from bookcode.live.project import Project, lock_output
lock_output(Project(Path(sys.argv[1]), "en", "en"))
import os
if os.fork() == 0:
    print("held", flush=True)
    time.sleep(60)
time.sleep(60)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, "zh-cn", "zh_CN")


def test_everything_lies_apart_from_the_verified_site(project: Project, tmp_path: Path) -> None:
    folders = [project.html, project.doctrees, project.served, project.seed]
    assert len(set(folders)) == 4
    for folder in folders:
        assert folder.parent == tmp_path / "_build/live/zh-cn"
        assert not folder.is_relative_to(tmp_path / "_build/html")


def test_paths_in_messages(project: Project, tmp_path: Path) -> None:
    assert project.relative(tmp_path / "book/one.md") == "book/one.md"
    assert project.relative(Path("/elsewhere/one.md")) == "/elsewhere/one.md"


def test_a_second_builder_is_refused_and_told_why(project: Project) -> None:
    descriptor = lock_output(project)
    code = "import sys\nfrom pathlib import Path\n"
    code += "from bookcode.live.project import Project, lock_output\n"
    code += "lock_output(Project(Path(sys.argv[1]), 'zh-cn', 'zh_CN'), patience=0.1)\n"
    command = [sys.executable, "-c", code, str(project.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"OutputLockedError: process {os.getpid()} builds this edition live" in done.stderr
    os.close(descriptor)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_lock_goes_with_its_holder_though_a_child_lives_on(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        project = Project(tmp_path, "en", "en")
        with pytest.raises(OutputLockedError, match=f"process {holder.pid} builds"):
            lock_output(project, patience=0.1)
        holder.kill()
        holder.wait()
        os.close(lock_output(project, patience=5))
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.stdout.close()
