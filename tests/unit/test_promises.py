"""What CHANGELOG.md promises of the command lines: each command, option and choice stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from quietmove.commands import dialect_command, quietmove
from quietmove.engine.common.addons import AddonError
from quietmove.engine.protocol.dialects import all_dialects
from quietmove.referee.cli import referee
from quietmove.tournament.cli import commands
from tests.fakes.addons import is_deleted, needs_deleted_addon

TESTS = Path(__file__).parents[1]
# The recorded command lists of the core and of each add-on.
PROMISED = (TESTS / "golden" / "commands.txt", *TESTS.glob("addons/*/commands.txt"))
PROGRAMS = {"quietmove": quietmove, "quietmove-referee": referee, "quietmove-tournament": commands}
PROGRAMS |= {f"quietmove --protocol {each.name}": dialect_command(each.name) for each in all_dialects()}


UNUSABLE: list[str] = []  # commands that need a deleted add-on


def words(path: str, command: click.Command) -> Iterator[str]:
    """Yield a line for each command, each of its parameters and each choice of a parameter."""
    yield path
    for parameter in command.params:
        for name in (*parameter.opts, *parameter.secondary_opts):
            yield f"{path} {name}"
            yield from (f"{path} {name} {each}" for each in getattr(parameter.type, "choices", ()))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            try:
                found = command.get_command(context, name)
            except AddonError as error:
                if not needs_deleted_addon(error):
                    raise
                UNUSABLE.append(f"{path} {name}")
                continue
            assert found is not None
            yield from words(f"{path} {name}", found)


def test_no_command_option_or_choice_is_gone() -> None:
    found = {line for path, command in PROGRAMS.items() for line in words(path, command)}
    promised = {line for path in PROMISED for line in path.read_text(encoding="utf-8").splitlines()}
    if is_deleted("addons/games"):
        promised, found = (
            {line for line in lines if not line.startswith("quietmove lab ")} for lines in (promised, found)
        )
    if is_deleted("addons/dialects"):
        promised -= {f"quietmove-referee check --protocol {name}" for name in ("gtp", "nboard")}
    promised = {line for line in promised if not any(f"{line} ".startswith(f"{name} ") for name in UNUSABLE)}
    assert not promised - found, "an option that goes needs a new first number of the version"
    assert not found - promised, "a new option is promised from now on: add it to commands.txt"
