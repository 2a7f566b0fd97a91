"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    needs={"train": "quietmove train"},
    commands={
        "quietmove": {
            "train": (
                "quietmove.engine.tools.training.command:train",
                "Make weights for the evaluations of Othello.",
            ),
        },
    },
)
