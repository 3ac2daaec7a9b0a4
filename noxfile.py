"""The commands of this repository: each session builds its own environment and runs one check.

Every environment holds the versions in constraints.txt and is kept between runs. It is installed
anew only when pyproject.toml or constraints.txt changed, so a second run starts at once.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import nox

nox.needs_version = ">=2024.3.2"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["verify", "tests", "lint"]

ROOT: Final = Path(__file__).resolve().parent
SITE: Final = "_build/html"
INSTALL_INPUTS: Final = ("pyproject.toml", "constraints.txt")
STAMP: Final = "installed.json"
UNCHECKED: Final = 3
"""Exit status of a verify in which nothing is red but something could not be checked."""

CHROMIUMS: Final = ("chromium", "chromium-browser", "google-chrome")
LINT_PATHS: Final = ("bookcode", "noxfile.py", "tests/benchmarks")

_failed: set[str] = set()
_unchecked: set[str] = set()


def _noted(run: Callable[[nox.Session], None]) -> Callable[[nox.Session], None]:
    """Remember a failure of this session, since a red one outranks status 3."""

    @functools.wraps(run)
    def noted(session: nox.Session) -> None:
        try:
            run(session)
        except BaseException:
            _failed.add(run.__name__)
            raise

    return noted


# --- environments ---------------------------------------------------------------------------


def wanted_stamp(root: Path, requirements: Iterable[str]) -> str:
    """Return what an up-to-date environment's stamp says: the inputs' hashes and what it holds."""
    hashes = {
        name: hashlib.sha256((root / name).read_bytes()).hexdigest() for name in INSTALL_INPUTS
    }
    stamp = {"root": str(root), "requirements": list(requirements), **hashes}
    return json.dumps(stamp, indent=1, sort_keys=True) + "\n"


def _prepare(session: nox.Session, *extras: str, tools: tuple[str, ...] = ()) -> None:
    """Install the project with ``extras``, and ``tools``, unless the environment has them."""
    session.env.update({"LC_ALL": "C.UTF-8", "PYTHONPATH": None})
    project = f".[{','.join(extras)}]"
    stamp = Path(session.virtualenv.location) / STAMP
    wanted = wanted_stamp(ROOT, (project, *tools))
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    stamp.unlink(missing_ok=True)
    # Not session.install: under `nox -R` that does nothing and says nothing.
    # Twice quiet leaves the errors, without setuptools' page about editable installs.
    pip = ("python", "-m", "pip", "install", "-qq", "--disable-pip-version-check")
    constrained = ("-c", "constraints.txt")
    session.run(*pip, *constrained, "setuptools", *tools)
    # Without build isolation the build backend too has the version in constraints.txt.
    session.run(*pip, *constrained, "--no-build-isolation", "-e", project)
    stamp.write_text(wanted, encoding="utf-8")


def _exit_status(session: nox.Session, *command: str) -> int:
    """Run a command of the session's environment and return its exit status.

    ``session.run`` tells success from failure only, and verify has three outcomes.
    """
    env = {**os.environ, **session.env, "PATH": os.pathsep.join([session.bin, os.environ["PATH"]])}
    session.log(shlex.join(command))
    program, *arguments = command
    path = shutil.which(program, path=session.bin)
    if path is None:
        session.error(f"{program} is not in the environment {session.virtualenv.location}")
    set_env = {name: value for name, value in env.items() if value is not None}
    return subprocess.run([path, *arguments], env=set_env, check=False).returncode


def _say_how_to_read(session: nox.Session) -> None:
    """Print the command that serves the site: browsers load ES modules over HTTP only."""
    if (ROOT / SITE).is_dir():
        serve = f"python -m http.server --directory {SITE} 8000 --bind 127.0.0.1"
        session.log(f"read the site, at http://127.0.0.1:8000/, with: {serve}")


# --- the book -------------------------------------------------------------------------------


@nox.session(default=False)
@_noted
def html(session: nox.Session) -> None:
    """Build the site into _build/html."""
    _prepare(session, "book")
    session.run("python", "-m", "bookcode", "build", *session.posargs)
    _say_how_to_read(session)


@nox.session
@_noted
def verify(session: nox.Session) -> None:
    """Rebuild and check every statement: status 0 green, 1 red, 3 something was not checked."""
    _prepare(session, "book")
    status = _exit_status(session, "python", "-m", "bookcode", "verify", *session.posargs)
    _say_how_to_read(session)
    if status == UNCHECKED:
        _unchecked.add("verify")
        session.warn("nothing is red, but not everything was checked (named above): status 3")
        try:
            session.notify("unchecked")
        except ValueError:  # sessions in parallel queue nothing: each is a process of its own
            raise SystemExit(UNCHECKED) from None
    elif status != 0:
        session.error(f"verify is red (status {status})")


@nox.session(default=False, python=False)
def unchecked(session: nox.Session) -> None:
    """End with status 3 if verify left something unchecked and nothing is red; verify queues it."""
    if not _unchecked:
        session.log("verify left nothing unchecked in this run")
    elif _failed:
        session.log(f"something is red ({', '.join(sorted(_failed))}), which outranks status 3")
    else:
        # nox would turn any failure into 1, and this is not one.
        raise SystemExit(UNCHECKED)


@nox.session(default=False)
@_noted
def reproducible(session: nox.Session) -> None:
    """Build the book twice, as differently as can be: the sites are the same, byte for byte."""
    _prepare(session, "book")
    session.run("python", "-m", "bookcode", "reproducible", *session.posargs)


@nox.session(default=False)
def live(session: nox.Session) -> None:
    """Serve the book at http://127.0.0.1:8000/ and rebuild pages as files change."""
    _prepare(session, "book", "live")
    session.run("python", "-m", "bookcode", "live", *session.posargs)


@nox.session(default=False)
def i18n(session: nox.Session) -> None:
    """Bring the catalogues of translations up to date; --pending lists what is still to do."""
    _prepare(session, "book")
    status = _exit_status(session, "python", "-m", "bookcode", "i18n", *session.posargs)
    if status != 0:
        session.error(f"some messages are neither translated nor listed (status {status})")


@nox.session(default=False)
def lab(session: nox.Session) -> None:
    """Repeat the experiments with PyTorch and compare them with their record; --write renews it."""
    _prepare(session, "lab")
    session.run("python", "-m", "bookcode.lab", *session.posargs)


@nox.session(default=False)
def linkcheck(session: nox.Session) -> None:
    """Check the links that leave the site; without a network it says so and does not fail."""
    _prepare(session, "book")
    status = _exit_status(session, "python", "-m", "bookcode", "linkcheck", *session.posargs)
    if status == UNCHECKED:
        session.skip("nothing is dead, but not every link was settled (see above)")
    if status != 0:
        session.error(f"dead links (status {status})")


# --- the code -------------------------------------------------------------------------------


@nox.session
@_noted
def tests(session: nox.Session) -> None:
    """Run the tests; those marked `browser` only where a Chromium is found."""
    _prepare(session, "book", "live", "tests", tools=("nox",))
    session.run("python", "-m", "pytest", *_browser_options(session), *session.posargs)


def _browser_options(session: nox.Session) -> list[str]:
    """Name the Chromium that the tests use, or say that there is none and deselect them."""
    named = os.environ.get("BOOKCODE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found:
        session.log(f"browser tests use {found} ({'BOOKCODE_CHROMIUM' if named else 'from PATH'})")
        session.env["BOOKCODE_CHROMIUM"] = found
        return []
    missing = f"no Chromium on PATH ({', '.join(CHROMIUMS)}) nor in BOOKCODE_CHROMIUM"
    if os.environ.get("CI") and any((ROOT / "tests/browser").rglob("test_*.py")):
        session.error(f"{missing}, and CI has to run the browser tests")
    session.warn(f"{missing}: tests marked `browser` are skipped")
    return ["-m", "not browser"]


@nox.session(default=False)
@_noted
def mutants(session: nox.Session) -> None:
    """Change ledger, facts, lock, claims and text, and see that a check turns red."""
    _prepare(session, "book", "tests")
    status = _exit_status(session, "python", "-m", "bookcode", "mutants", *session.posargs)
    if status == UNCHECKED:
        session.warn("no mutant survived, but not all were run within the time given")
    elif status != 0:
        session.error(f"mutants survived, or could not be made (status {status})")


@nox.session
@_noted
def lint(session: nox.Session) -> None:
    """Check style, format and types: ruff and mypy --strict."""
    _prepare(session, "book", "live", "tests", "lint", tools=("nox",))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", "--strict", *LINT_PATHS)


@nox.session(default=False)
def benchmarks(session: nox.Session) -> None:
    """Run benchmarks by name: nox -s benchmarks -- build --rounds 3."""
    known = {path.stem: path for path in sorted((ROOT / "tests/benchmarks").glob("*.py"))}
    name, *arguments = session.posargs or [""]
    if name not in known:
        session.error(f"name one of {', '.join(known)}: nox -s benchmarks -- NAME [OPTION…]")
    _prepare(session, "book", "live", tools=("sphinx-autobuild",))  # the tool to compare with
    session.run("python", str(known[name].relative_to(ROOT)), *arguments)
