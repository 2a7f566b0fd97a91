"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove-referee": {
            "check": ("quietmove.addons.check.command:check", "Check how an engine behaves outside a normal game.")
        },
    },
)
