"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove-tournament": {
            "class": (
                "quietmove.tournament.hall.class_commands:group",
                "Let a class hand in programs and play.",
            ),
        },
    },
)
