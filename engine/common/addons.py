"""The registry of add-ons: games, commands, pages and API names that can be added or deleted without changing the core.

Each folder of ``quietmove.addons`` with a module ``addon`` is an add-on, described by the ``ADDON`` object in that
module. Other packages register theirs through an entry point in the group ``quietmove.addons``.

An :class:`Addon` contains locations (``module:attribute``), which are imported on first use. The add-ons themselves
are discovered only when the core meets an unknown command, prints its help, or looks up games, pages, names or hooks.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from quietmove.engine.common.errors import QuietmoveError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "quietmove.addons"
NO_ROWS: Mapping[str, Any] = {}
# The add-on that provides each command, for whoever deletes an add-on's folder and then types its command, for example
# from a guide: a deleted folder can no longer say what it provided.
SHIPPED = {
    "quietmove": {
        "book": "library",
        "classify": "lab",
        "database": "library",
        "lab": "lab",
        "mcp": "agents",
        "practice": "practice",
        "suite": "measure",
        "train": "train",
        "winner": "lab",
    },
    "quietmove-referee": {"bench": "measure", "check": "check", "serve": "web"},
    "quietmove-tournament": {
        "bench": "measure",
        "class": "hall",
        "queue": "runner",
        "report": "runner",
        "serve": "runner",
    },
}


class AddonError(QuietmoveError):
    """A missing or broken add-on, or a name that two add-ons claim."""


@dataclass(frozen=True)
class Addon:
    """Everything that one add-on contributes. A location is a string ``module:attribute``.

    :param commands: new commands for each program (``quietmove``, ``quietmove-referee``, ``quietmove-tournament``):
        maps the command's name to its location and its line in ``--help``.
    :param games: for each new game, the location of its class, or of a function that returns it, called with the game's
        parameters if there are any.
    :param pages: locations of functions that return an ``AddedPages`` for the web server.
    :param names: locations of the names added to ``import quietmove``.
    :param dialects: for each protocol of the engine, the location of its ``Dialect`` and a one-sentence description.
    :param seats: for each protocol of the referee, the location of its ``Seat``.
    :param formats: locations of the formats of the add-on's own tournaments.
    :param hooks: locations of functions that the core or another add-on calls if they are installed.
    :param needs: the purpose of each optional dependency (extra), for ``quietmove doctor``.
    """

    commands: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    games: Mapping[str, str] = field(default_factory=dict)
    pages: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    dialects: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    seats: Mapping[str, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    hooks: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for program, commands in self.commands.items():
            if program not in SHIPPED:
                raise ValueError(f"commands: expected one of {', '.join(SHIPPED)}, got {program!r}")
            for name, row in commands.items():
                if not isinstance(row, tuple) or len(row) != 2:
                    raise ValueError(f"commands: {name}: expected (location, line of help), got {row!r}")
        for location in (*self.locations(), *self.pages):
            if ":" not in location:
                raise ValueError(f"expected a location such as 'module:attribute', got {location!r}")

    def locations(self) -> Iterator[str]:
        """Yield the location of each named entry."""
        for rows in self.commands.values():
            yield from (location for location, _ in rows.values())
        yield from (location for location, _ in self.dialects.values())
        for entries in (self.games, self.names, self.seats, self.formats, self.hooks):
            yield from entries.values()


@cache
def installed() -> Mapping[str, Addon]:
    """Return the installed add-ons by name: those of this package in alphabetical order, then those of other packages.

    Broken add-ons are skipped, and the reason is printed to standard error.
    """
    addons: dict[str, Addon] = {}
    for name, location in _locations():
        try:
            addon = load(location)
            if not isinstance(addon, Addon):
                raise TypeError(f"{location}: expected an Addon, got {type(addon).__name__}")
            if name in addons:
                raise ValueError(f"{location}: another add-on has this name")
        except (Exception, SystemExit) as error:  # a module may raise anything
            _leave_out(name, error)
        else:
            addons[name] = addon
    return addons


def _leave_out(name: str, error: BaseException) -> None:
    """Report on standard error that an add-on is skipped, with the reason."""
    sys.stderr.write(f"note: add-on {name} is skipped: {_reason(error)}\n")


def _reason(error: BaseException) -> str:
    from quietmove.engine.common.text import printable

    return printable(f"{type(error).__name__}: {error}")


def _locations() -> Iterator[tuple[str, str]]:
    """Yield each add-on's name and location."""
    with suppress(ModuleNotFoundError):  # the whole folder can be deleted
        for folder in importlib.import_module(GROUP).__path__:
            for name in sorted(os.listdir(folder)):  # noqa: PTH208 (pathlib would slow the start)
                if os.path.exists(f"{folder}/{name}/addon.py"):  # noqa: PTH110
                    yield name, f"{GROUP}.{name}.addon:ADDON"
    for point in _entry_points(GROUP):
        yield point.name, point.value


@cache
def entry_points_of(group: str) -> Mapping[str, EntryPoint]:
    """Return all entry points of a group, by name, as installed when the process first asked."""
    return {point.name: point for point in _entry_points(group)}


def _entry_points(group: str) -> list[EntryPoint]:
    if not any(_may_have_group(folder, group.encode()) for folder in sys.path):
        return []
    from importlib.metadata import entry_points  # takes 29 ms to import

    return list(dict.fromkeys(entry_points(group=group)))  # a folder may be listed twice in sys.path


def _may_have_group(folder: str, group: bytes) -> bool:
    """Return whether a package in this ``sys.path`` entry may define entry points in the group (an archive may)."""
    try:
        names = os.listdir(folder or os.curdir)  # noqa: PTH208 (pathlib would slow the start)
    except NotADirectoryError:
        return True
    except OSError:
        return False
    for name in names:
        if name.endswith(("dist-info", "egg-info")):
            with suppress(OSError), open(f"{folder or os.curdir}/{name}/entry_points.txt", "rb") as file:  # noqa: PTH123
                if b"[%b]" % group in file.read():
                    return True
    return False


def load(location: str) -> Any:
    """Import ``module:attribute`` and return the attribute.

    :raises AddonError: if the module needs an add-on that was deleted.
    """
    module, _, name = location.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if (needed := missing_addon(error)) is None:
            raise
        raise AddonError(f"{module.rpartition('.')[2]} needs the add-on {needed}, which is not installed") from error


def load_added(location: str) -> Any:
    """Return the object that an add-on registers at a location.

    :raises AddonError: if it cannot be imported.
    """
    try:
        return load(location)
    except AddonError:
        raise
    except (Exception, SystemExit) as error:  # a module may raise anything
        raise AddonError(f"add-on {_owner_of(location)} cannot be used: {_reason(error)}") from error


def missing_addon(error: BaseException | None, group: str = GROUP) -> str | None:
    """Return the name of the add-on whose absence caused an error, or None; the package's if all add-ons are absent.

    :param group: the package that contains the add-ons.
    """
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and f"{error.name}.".startswith(f"{group}."):
            return f"{error.name}."[len(group) + 1 :].partition(".")[0] or group
        error = error.__cause__
    return None


def make_pages(server: object) -> Iterator[Any]:
    """Yield the pages that add-ons add to a web server. Broken add-ons are skipped with a note on standard error.

    :param server: the argument for each function registered under ``pages``.
    """
    for name, addon in installed().items():
        for location in addon.pages:
            try:
                pages = load(location)(server)
            except (Exception, SystemExit) as error:  # an add-on may raise anything
                _leave_out(name, error)
            else:
                yield pages


def _owner_of(location: str) -> str:
    for name, addon in installed().items():
        if location in addon.locations():
            return name
    raise AssertionError(f"no add-on registers {location}")


def added(kind: str, program: str = "", core: Mapping[str, object] = NO_ROWS) -> dict[str, Any]:
    """Return all entries of one kind that add-ons register, by name.

    :param kind: the name of a mapping field of :class:`Addon`.
    :param program: the program's name, if ``kind`` is ``commands``.
    :param core: the core's own entries, which add-ons cannot replace.
    :raises AddonError: if a name is claimed twice.
    """
    rows: dict[str, Any] = {}
    owners = dict.fromkeys(core, "Quietmove itself")
    for addon_name, addon in installed().items():
        own = getattr(addon, kind)
        for name, row in (own.get(program, NO_ROWS) if program else own).items():
            if name in owners:
                both = f"both {owners[name]} and the add-on {addon_name} add {name!r}"
                raise AddonError(f"{kind}: {both}; uninstall one of them")
            owners[name] = f"the add-on {addon_name}"
            rows[name] = row
    return rows


def commands_of(program: str, core: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    """Return the commands that add-ons register for a program.

    :raises AddonError: if a command is claimed twice.
    """
    return added("commands", program, core)


def find_hook(name: str) -> Any:
    """Return the function registered for a hook, or None if no add-on registers it."""
    location = added("hooks").get(name)
    return load_added(location) if location else None


def need_hook(name: str, addon: str, option: str) -> Any:
    """Return the function registered for a hook, or raise an error if there is none.

    :param addon: the add-on that provides it, for the error message.
    :param option: the option that needs it, for the error message.
    :raises AddonError: if no add-on registers the hook, or its function cannot be imported.
    """
    if (function := find_hook(name)) is None:
        raise AddonError(f"{option} needs the add-on {addon}, which is not installed")
    return function
