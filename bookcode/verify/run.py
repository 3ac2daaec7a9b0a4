"""The whole of verify: build from clean, check, summarize, and accept drift when asked to."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.sources import FetchSet
from bookcode.translation.editions import LANGUAGES, SOURCE
from bookcode.verify.beside import check_site, check_world, workers
from bookcode.verify.builds import Build, Layout, build_all
from bookcode.verify.locking import LockState, accept, read_state
from bookcode.verify.parity import check_parity
from bookcode.verify.progress import Progress
from bookcode.verify.result import RED, Result, exit_status, print_summary
from bookcode.verify.translations import check_translations
from bookcode.verify.world import check_expected

CHECK_POINTS = 48


@dataclass(frozen=True)
class Request:
    """What is asked of verify.

    Attributes:
        chapters: show problems of these chapters only ("02"); empty means all.
        accepting: whether drift is to be accepted.
        keys: the keys to accept; empty means all that drifted.
        why: the reason.
        sources: which set of pinned sources is fetched if it is not there.
        points: at how many points values, traces and JavaScript are compared.
        edition: the only edition to build; what needs the others counts as not checked.
    """

    chapters: Sequence[str] = ()
    accepting: bool = False
    keys: Sequence[str] = ()
    why: str = ""
    sources: FetchSet = FetchSet.FULL
    points: int = CHECK_POINTS
    edition: str | None = None

    @property
    def editions(self) -> list[str]:
        """The editions to build, the source language's first."""
        return [self.edition] if self.edition else list(LANGUAGES)


def verify(layout: Layout, request: Request, console: Console) -> int:
    """Run all checks; returns the exit status (0 green, 1 red, 3 something was not checked).

    Raises:
        NumbersError: before anything is built, for a chapter that does not exist.
    """
    known = sorted(path.parent.name for path in (layout.root / "book").glob("*/index.md"))
    folders = _folders(known, request.chapters)

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    say(f"building {' and '.join(request.editions)} from clean ...")
    with workers() as pool, ThreadPoolExecutor(1) as beside:
        world = beside.submit(check_world, layout.root, request.sources, say, pool)
        with Progress(console, request.editions) as progress:
            builds = build_all(
                layout,
                request.editions,
                clean=True,
                check_points=request.points,
                watch_of=progress.watch_of,
            )
        state, results = _checks(layout, builds, world, pool)
    chosen = [_only(result, folders, known) for result in results]
    if request.accepting and state is not None:
        return _accept(state, request, results, console)
    print_summary(chosen, console)
    if state is not None and state.drifts:
        say('if the new values are right: nox -s verify -- --accept [KEY ...] --why "..."')
    return exit_status(chosen)


def _checks(
    layout: Layout,
    builds: Sequence[Build],
    world: Future[list[Result]],
    pool: ProcessPoolExecutor,
) -> tuple[LockState | None, list[Result]]:
    """All results, in the order they are told in; and the lock, if it could be compared."""
    built = [result for b in builds for result in b.results()]
    if not all(b.exported for b in builds):
        return None, [*built, *world.result()]
    links = pool.submit(check_site, layout.site)
    source = builds[0].exported
    state: LockState | None = None
    if builds[0].edition == SOURCE:
        try:
            state = read_state(layout.root, [b.exported for b in builds])
            built.append(state.result())
        except NumbersError as error:
            built.append(Result("lock", problems=[str(error)]))
    else:
        built.append(Result("lock", unchecked=[f"only the edition {builds[0].edition} was built"]))
    built.append(check_expected(source, layout.root / "references" / "expected-figures.json"))
    pages = [check_parity(source), *check_translations(layout, builds)]
    return state, [*built, *world.result(), *pages, links.result()]


def _folders(known: Sequence[str], chapters: Sequence[str]) -> list[str]:
    """The folders of the chapters asked for.

    Raises:
        NumbersError: for a chapter that does not exist, with the nearest ones.
    """
    folders = []
    for chapter in chapters:
        found = [name for name in known if name == chapter or name.startswith(f"{chapter}-")]
        if not found:
            raise NumbersError(f"no chapter {chapter!r}{did_you_mean(chapter, known)}")
        folders += found
    return folders


def _only(result: Result, folders: Sequence[str], known: Sequence[str]) -> Result:
    """Without the problems that lie on pages of other chapters; what is of no chapter stays."""
    if not folders:
        return result
    others = [f"{name}/" for name in known if name not in folders]
    problems = [
        problem
        for problem in result.problems
        if not any(name in problem for name in others)
        or any(f"{name}/" in problem for name in folders)
    ]
    return Result(result.name, result.checked, result.what, problems, result.unchecked, result.note)


def _accept(state: LockState, request: Request, results: Sequence[Result], console: Console) -> int:
    """Accept drift, but only if nothing else is red."""
    others = [result for result in results if result.name != "lock"]
    if exit_status(others) == RED:
        print_summary(others, console)
        console.print("nothing accepted: something is red apart from drift")
        return RED
    accepted = accept(state, request.keys, request.why)
    for drift in accepted:
        console.print(f"accepted: {drift.key} {drift.change}", markup=False, highlight=False)
    console.print(f"wrote the lock; {len(accepted)} keys accepted, see {state.folder.name}/")
    left = [drift for drift in state.drifts if drift not in accepted]
    results = [Result("lock", len(state.drifts), "drifted keys", [str(d) for d in left]), *others]
    print_summary(results, console)
    return exit_status(results)


def layout_of(root: Path, out: Path | None = None) -> Layout:
    """The usual layout: output goes to ``_build`` in the project's root."""
    return Layout(root.resolve(), (out or root / "_build").resolve())
