"""The add-ons that this checkout has: each folder of ``addons`` can be deleted, together with its tests."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from quietmove.engine.common.addons import SHIPPED, AddonError, missing_addon

ROOT = Path(__file__).parents[2]


def is_deleted(path: str) -> bool:
    """Return whether a path, from the top of the checkout, is that of an add-on deleted from this checkout."""
    addon = re.match(r"(tests/)?addons(/\w+|/?$)", path)
    return addon is not None and not (ROOT / addon[0]).exists()


def command_is_deleted(program: str, name: str) -> bool:
    """Return whether a command belongs to an add-on deleted from this checkout."""
    addon = SHIPPED.get(program, {}).get(name)
    return addon is not None and is_deleted(f"addons/{addon}")


class AddonTests(pytest.Module):
    """A file of tests, which are skipped if the file imports an add-on that was deleted."""

    def _getobj(self) -> ModuleType:
        try:
            module: ModuleType = super()._getobj()
        except (self.CollectError, AddonError) as error:
            if name := missing_addon(error) or missing_addon(error, "tests.addons"):
                pytest.skip(f"the add-on {name} was deleted", allow_module_level=True)
            raise
        return module


def needs_deleted_addon(error: AddonError) -> bool:
    """Return whether an error says that an add-on is missing which was deleted from this checkout."""
    name = missing_addon(error)
    return name is not None and is_deleted(f"addons/{name}")


needs_dialects, needs_games, needs_web = (
    pytest.mark.skipif(is_deleted(f"addons/{name}"), reason=f"the add-on {name} was deleted")
    for name in ("dialects", "games", "web")
)


def present_games(*names: str) -> list[str]:
    """Return the names without those of the small games if their add-on was deleted."""
    small = ("capture", "einstein", "nim", "subtraction", "tree", "whist")
    return [name for name in names if not (is_deleted("addons/games") and name.split()[0] in small)]


def present_protocols(*names: str) -> list[str]:
    """Return the names without those of protocols whose add-on was deleted."""
    return [name for name in names if not (is_deleted("addons/dialects") and name in ("gtp", "nboard"))]
