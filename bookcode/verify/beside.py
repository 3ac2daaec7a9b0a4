"""Checks beside the builds, the long ones in processes of their own.

A build keeps one core busy, and not for all of its time: what needs no built page is done then. The
heavy imports are those of the processes; whoever starts them need not wait for any.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bookcode.sources import FetchSet, Store, default_folder
from bookcode.sources.errors import SourcesError
from bookcode.sources.registry import Registry
from bookcode.translation.editions import LANGUAGES
from bookcode.verify.citing import check_sources
from bookcode.verify.links import check_links
from bookcode.verify.result import Result
from bookcode.verify.world import check_profiles


def workers() -> ProcessPoolExecutor:
    """Processes that start empty: a fork would take over the threads' locks as they are."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


def check_world(
    root: Path, wanted: FetchSet, say: Callable[[str], None], pool: ProcessPoolExecutor
) -> list[Result]:
    """What needs no build: words that are put together, citations and facts, profiles, reality.

    Args:
        wanted: which set of pinned sources is fetched if it is not there.
        say: told what takes long.
    """
    generated = pool.submit(_generated)
    results: list[Result] = []
    try:
        registry = Registry.load(root / "references")
        results.append(check_profiles(registry))
        results += check_sources(root, registry, wanted, say)
        say("holding the ledger against measured times and other people's figures ...")
        results += pool.submit(_reality, root).result()
    except SourcesError as error:
        results.append(_unusable(error))
    return [generated.result(), *results]


def check_site(site: Path) -> Result:
    """The links between the pages of all editions."""
    return check_links(site, tuple(LANGUAGES))


def _generated() -> Result:
    from bookcode.verify.generated import check_generated

    return check_generated()


def _reality(root: Path) -> list[Result]:
    from bookcode.reality.check import check_reality

    try:
        return [Result(**vars(found)) for found in check_reality(root, Store(default_folder(root)))]
    except SourcesError as error:  # made of more than its words, it would not arrive as it is
        return [_unusable(error)]


def _unusable(error: SourcesError) -> Result:
    return Result("sources", problems=[str(error)])
