"""Checks in processes of their own, beside the builds and beside each other.

A build keeps one core busy, and not for all of its time: what needs no built page is done then. The
heavy imports are those of the processes; whoever starts them need not wait for any.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bookcode.sources import FetchSet, default_folder
from bookcode.sources.errors import SourcesError
from bookcode.sources.registry import Registry
from bookcode.translation.editions import LANGUAGES
from bookcode.verify.citing import check_sources
from bookcode.verify.links import check_links
from bookcode.verify.result import Result


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
        profiles = pool.submit(_profiles, root)
        sources = check_sources(root, registry, wanted, say)
        say("holding the ledger against measured times and other people's figures ...")
        reality = pool.submit(_reality, root)
        results = [profiles.result(), *sources, *reality.result()]
    except SourcesError as error:
        results.append(Result("sources", problems=[str(error)]))
    return [generated.result(), *results]


def check_site(site: Path) -> Result:
    """The links between the pages of all editions."""
    return check_links(site, tuple(LANGUAGES))


def _generated() -> Result:
    from bookcode.verify.generated import check_generated

    return check_generated()


def _profiles(root: Path) -> Result:
    from bookcode.verify.world import check_profiles

    return check_profiles(Registry.load(root / "references"))


def _reality(root: Path) -> list[Result]:
    from bookcode.reality.check import check_reality
    from bookcode.sources import Store

    return [Result(**vars(found)) for found in check_reality(root, Store(default_folder(root)))]
