"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove-referee": {
            "serve": (
                "quietmove.referee.web.command:serve",
                "Play and watch games in a browser.",
            ),
        },
    },
)
