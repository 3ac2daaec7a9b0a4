"""The command line: thin; every command's work is done elsewhere."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from bookcode.commands import LEDGER_COMMANDS

COMMANDS = {
    "build": "bookcode.verify.commands:build_command",
    "verify": "bookcode.verify.commands:verify_command",
    "sources": "bookcode.sources.commands:sources",
    "linkcheck": "bookcode.linkcheck.commands:linkcheck_command",
    "i18n": "bookcode.translation.commands:i18n_command",
    "live": "bookcode.live.commands:live_command",
    "new": "bookcode.scaffold.commands:new_command",
    "reproducible": "bookcode.reproducible.commands:reproducible_command",
    "mutants": "bookcode.mutants.commands:mutants_command",
    "explain": "bookcode.commands.explain:explain_command",
    "reality": "bookcode.reality.commands:reality_command",
    "measure": "bookcode.reality.commands:measure_command",
    **LEDGER_COMMANDS,
}
"""Name to "module:command"; a module is only imported when its command is asked for."""


class LazyGroup(click.Group):
    """A group that imports a command's module when it is used."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from difflib import get_close_matches

        if args and args[0] not in COMMANDS:
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            context.fail(f"no command {args[0]!r}{hint}")
        return super().resolve_command(context, args)


@click.group(cls=LazyGroup)
@click.version_option(package_name="bookcode")
def main() -> None:
    """The book's ledger and verifier."""


def project_root() -> Path:
    """The project's root: the nearest folder upwards with conf.py and book/.

    Raises:
        click.ClickException: when there is none.
    """
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "conf.py").exists() and (folder / "book").is_dir():
            return folder
    raise click.ClickException(
        "run this inside the project: no folder with conf.py and book/ above"
    )


if __name__ == "__main__":
    sys.exit(main())
