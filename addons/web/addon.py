"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove-referee": {
            "serve": (
                "quietmove.addons.web.command:serve",
                "Play and watch games in a browser.",
            ),
        },
    },
)
