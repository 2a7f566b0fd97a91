"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove-tournament": {
            "class": (
                "quietmove.addons.hall.class_commands:group",
                "Run a class whose people hand in programs that play each other.",
            ),
        },
    },
    formats={"ladder": "quietmove.addons.hall.ladder:Ladder"},
)
