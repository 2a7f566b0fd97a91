"""Add-ons: what the folders of ``quietmove.addons``, and packages of others, add to the three programs.

An add-on of this package is a folder with a module ``addon``, which holds one value, ``ADDON``. A package of others
names such a value by an entry point of the group ``quietmove.addons``. What an add-on registers are locations,
``module:attribute``, which are imported when they are used. Nothing is listed until a command is unknown to the core,
help is asked for, or a program looks for pages, seats, games or hooks.
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
# The commands that this package's add-ons bring, so that a message can name the folder that was deleted.
SHIPPED = {
    "quietmove": {
        "book": "library",
        "classify": "lab",
        "database": "library",
        "lab": "lab",
        "mcp": "agents",
        "practice": "practice",
        "train": "train",
        "winner": "lab",
    },
    "quietmove-referee": {"serve": "web"},
    "quietmove-tournament": {"class": "hall", "report": "runner", "serve": "runner"},
}


class AddonError(QuietmoveError):
    """An add-on is missing, or two add-ons claim the same name."""


@dataclass(frozen=True)
class Addon:
    """What one add-on adds. Every location is a string ``module:attribute``.

    :param commands: for each program (such as ``quietmove-referee``) its commands; for each command its location and
        its line of help.
    :param pages: locations of functions that return an ``AddedPages`` of the web server.
    :param names: for each name that ``import quietmove`` offers, its location.
    :param seats: for each protocol that an engine's configuration can name, the location of its seat.
    :param games: for each game, the location of its class.
    :param hooks: for each point at which the core asks for a function, the location of that function.
    :param needs: for each extra of the package that it needs, the use of the extra, for ``quietmove doctor``.
    """

    commands: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    pages: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    seats: Mapping[str, str] = field(default_factory=dict)
    games: Mapping[str, str] = field(default_factory=dict)
    hooks: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)


@cache
def installed() -> Mapping[str, Addon]:
    """Return all add-ons by name: those of this package in alphabetical order, then those of other packages.

    An add-on that cannot be imported is left out, and standard error says why.
    """
    addons: dict[str, Addon] = {}
    for name, location in _locations():
        try:
            addon = load(location)
            if not isinstance(addon, Addon):
                raise TypeError(f"{location}: expected an Addon, got {type(addon).__name__}")
        except Exception as error:  # the module may raise anything
            sys.stderr.write(f"note: add-on {name} cannot be used: {type(error).__name__}: {error}\n")
        else:
            addons[name] = addon
    return addons


def _locations() -> Iterator[tuple[str, str]]:
    """Yield the name and the location of each add-on."""
    with suppress(ModuleNotFoundError):  # the whole folder can be deleted
        for folder in importlib.import_module(GROUP).__path__:
            for name in sorted(os.listdir(folder)):  # noqa: PTH208 (pathlib costs the start more than this)
                if os.path.exists(f"{folder}/{name}/addon.py"):  # noqa: PTH110
                    yield name, f"{GROUP}.{name}.addon:ADDON"
    for name, point in entry_points_of(GROUP).items():
        yield name, point.value


def entry_points_of(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group in all installed packages, by name."""
    if not any(_may_have_group(folder, group.encode()) for folder in sys.path):
        return {}
    from importlib.metadata import entry_points  # takes 29 ms to import, a fifth of the start

    return {point.name: point for point in entry_points(group=group)}


def _may_have_group(folder: str, group: bytes) -> bool:
    """Return whether a package in a folder of ``sys.path`` may have entry points of a group; an archive may."""
    try:
        names = os.listdir(folder or os.curdir)  # noqa: PTH208 (pathlib costs the start more than this)
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
    """Import ``module:attribute`` and return the attribute."""
    module, _, name = location.partition(":")
    return getattr(importlib.import_module(module), name)


def added(kind: str, program: str = "", core: Mapping[str, object] = NO_ROWS) -> dict[str, Any]:
    """Return the rows of one kind that all add-ons register, by name.

    :param kind: a field of :class:`Addon` that is a mapping.
    :param program: the program, for ``commands``.
    :param core: the rows of the core, which no add-on can replace.
    :raises AddonError: if two claim the same name.
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

    :raises AddonError: if two claim the same command.
    """
    return added("commands", program, core)


def find_hook(name: str) -> Any:
    """Return the function that an add-on registers for a hook of the core, or None if there is no such add-on."""
    location = added("hooks").get(name)
    return load(location) if location else None


def need_hook(name: str, addon: str, option: str) -> Any:
    """Return the function of a hook.

    :param addon: the add-on that registers it, and ``option`` what the user asked for, both for the message.
    :raises AddonError: if no add-on registers it.
    """
    if (function := find_hook(name)) is None:
        raise AddonError(f"{option} needs the add-on {addon}, which is not installed")
    return function
