"""From TOML tables to records: which fields each kind of record has, and what they must say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion

from ._fields import Table
from .members import leaves_artifact
from .model import (
    UNITS,
    Artifact,
    Citation,
    Evidence,
    Fact,
    FetchSet,
    GitSource,
    Kind,
    Release,
    Source,
    WebSource,
)

_FACT_KEY: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}")
_UPSTREAM: Final = re.compile(r"[\w.-]+/[\w.-]+@(?:[0-9a-f]{7,40}|v?\d+(?:\.\d+)+[\w.+-]*)")
MAX_ANCHORS: Final = 3


def artifact(table: Table) -> Artifact:
    """`[artifacts."name==version"]`"""
    record = Artifact(
        id=table.name,
        at=table.at,
        name=table.text("name", required=True),
        version=table.text("version", required=True),
        file=table.text("file", required=True),
        sha256=table.sha256("sha256", required=True) or "",
        bytes=table.count("bytes"),
        python=table.text("python"),
        licence=table.text("licence", required=True),
        set=table.choice("set", FetchSet) or FetchSet.NONE,
        reason=table.text("reason", required=True),
        note=table.text("note"),
    )
    if record.name and record.version and table.name != f"{record.name}=={record.version}":
        table.problem(f"the id must be {f'{record.name}=={record.version}'!r}")
    if record.file:
        _check_file(table, record)
    return record


def _check_file(table: Table, record: Artifact) -> None:
    """The file name must be of this distribution and version, and fetched sets are wheels."""
    if leaves_artifact(record.file) or "/" in record.file:
        table.problem(f"{record.file!r} is not a plain file name", "file")
        return
    try:
        if record.file.endswith(".whl"):
            name, version, _, _ = parse_wheel_filename(record.file)
        else:
            name, version = parse_sdist_filename(record.file)
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion) as error:
        table.problem(f"{record.file!r} is not the name of a wheel or sdist: {error}", "file")
        return
    if name != canonicalize_name(record.name) or str(version) != record.version:
        table.problem(f"{record.file!r} is not a file of {table.name}", "file")
    if record.set is FetchSet.NONE:
        return
    if not record.file.endswith(".whl"):
        table.problem("only wheels are fetched: downloading an sdist runs its build", "set")
    if not re.fullmatch(r"3\.\d+", record.python):
        table.problem(f"'python' must be a version such as 3.12, not {record.python!r}", "python")


def git(table: Table) -> GitSource:
    """`[git."repository@commit"]`"""
    record = GitSource(
        id=table.name,
        at=table.at,
        repo=table.text("repo", required=True),
        commit=table.text("commit", required=True),
        url=table.text("url"),
        note=table.text("note"),
    )
    if record.commit and not _COMMIT.fullmatch(record.commit):
        table.problem(f"'commit' must be 7 to 40 hexadecimal digits: {record.commit!r}", "commit")
    if record.repo and not re.fullmatch(r"[\w.-]+/[\w.-]+", record.repo):
        table.problem(f"'repo' must be owner/name, not {record.repo!r}", "repo")
    return record


def web(table: Table) -> WebSource:
    """`[web."id"]`"""
    record = WebSource(
        id=table.name,
        at=table.at,
        url=table.text("url", required=True),
        title=table.text("title", required=True),
        date=table.date("date"),
        note=table.text("note"),
    )
    if record.url and not record.url.startswith("https://"):
        table.problem(f"'url' must begin with https://, not {record.url!r}", "url")
    return record


def release(table: Table) -> Release:
    """`[releases."name==version"]`"""
    return Release(
        id=table.name,
        at=table.at,
        name=table.text("name", required=True),
        version=table.text("version", required=True),
        note=table.text("note"),
    )


SOURCE_READERS: Final[Mapping[str, Callable[[Table], Source]]] = {
    "artifacts": artifact,
    "git": git,
    "web": web,
    "releases": release,
}


def citation(table: Table) -> Citation:
    """`[citations.id]`"""
    evidence = table.choice("evidence", Evidence)
    pinned = evidence is Evidence.PINNED
    record = Citation(
        id=table.name,
        at=table.at,
        claim=table.text("claim", required=True),
        evidence=evidence or Evidence.UNVERIFIED,
        source=table.maybe("source", required=evidence is not Evidence.AUTHOR_NOTE),
        path=table.maybe("path", required=pinned),
        lines=table.span("lines"),
        lines_sha256=table.sha256("lines_sha256", required=pinned),
        file_sha256=table.sha256("file_sha256", required=pinned),
        anchors=table.texts("anchors"),
        date=table.date("date"),
        conditions=table.text("conditions"),
        trust=table.text("trust"),
        note=table.text("note"),
        upstream=table.text("upstream"),
    )
    if record.upstream and not (_UPSTREAM.fullmatch(record.upstream) and record.path):
        table.problem(
            "'upstream' must be owner/name@ a commit or a release tag such as v1.2, of a path;"
            f" not {record.upstream!r}",
            "upstream",
        )
    if record.path and leaves_artifact(record.path):
        table.problem(f"the path {record.path!r} leaves the artifact", "path")
    if pinned and record.lines is None:
        table.problem("'lines' is missing")
    if pinned and not 1 <= len(record.anchors) <= MAX_ANCHORS:
        table.problem(f"needs one to {MAX_ANCHORS} anchors, has {len(record.anchors)}", "anchors")
    if evidence in (Evidence.PINNED, Evidence.RECORDED) and record.date is None:
        table.problem(f"{record.evidence.value}, but 'date' is missing")
    if record.lines and not record.path:
        table.problem("'lines' without a path", "lines")
    for anchor in record.anchors:
        table.check_regex("anchors", anchor)
    return record


def fact(table: Table) -> Fact:
    """`[facts."dotted.key"]`"""
    scale = table.decimal("scale")
    record = Fact(
        key=table.name,
        at=table.at,
        value=table.decimal("value", required=True) or Decimal(0),
        unit=table.text("unit", required=True),
        citation=table.text("citation", required=True),
        kind=table.choice("kind", Kind) or Kind.CONVENTION,
        machine=table.text("machine"),
        path=table.maybe("path"),
        pattern=table.regex("pattern", groups=1),
        scale=Decimal(1) if scale is None else scale,
        sparsity=table.decimal("sparsity"),
        sparsity_pattern=table.regex("sparsity_pattern", groups=1),
        factors=table.texts("factors"),
        conditions=table.text("conditions"),
        conditions_pattern=table.regex("conditions_pattern"),
        conditions_by=table.maybe("conditions_by"),
        contradicts=table.texts("contradicts"),
        disputed=table.text("disputed"),
        note=table.text("note"),
    )
    if not _FACT_KEY.fullmatch(record.key):
        table.problem("a key is dotted lower case, with hyphens inside a part")
    table.one_of("unit", record.unit, UNITS, "unit")
    _check_extraction(table, record)
    _check_conditions(table, record)
    return record


def _check_extraction(table: Table, record: Fact) -> None:
    ways = [w for w in ("path", "pattern", "factors") if getattr(record, w)]
    if len(ways) > 1:
        table.problem(f"{' and '.join(ways)}: one way to read a value is enough", ways[1])
    if record.factors and record.kind is not Kind.DERIVATION:
        table.problem("only a derivation has 'factors'", "factors")
    if record.kind is Kind.DERIVATION and not record.factors:
        table.problem("a derivation needs 'factors', the facts it is computed from")
    if record.scale <= 0:
        table.problem("'scale' must be above 0", "scale")
    if record.sparsity is not None and record.sparsity <= 0:
        table.problem("'sparsity' must be above 0", "sparsity")
    if record.sparsity is not None and record.sparsity_pattern:
        table.problem("either 'sparsity' or 'sparsity_pattern'", "sparsity")
    if not (record.path or record.pattern):
        for field in ("sparsity", "sparsity_pattern", "conditions_pattern"):
            if getattr(record, field) is not None:
                table.problem(f"{field!r} without a value that is read out", field)


def _check_conditions(table: Table, record: Fact) -> None:
    if record.conditions_by not in (None, "author"):
        table.problem(f"'conditions_by' can only be 'author', not {record.conditions_by!r}")
    if not record.conditions:
        if record.conditions_pattern or record.conditions_by:
            table.problem("whose 'conditions'? none are given")
    elif bool(record.conditions_pattern) == bool(record.conditions_by):
        table.problem(
            "conditions come either from the source ('conditions_pattern')"
            " or from the author ('conditions_by')",
            "conditions",
        )
