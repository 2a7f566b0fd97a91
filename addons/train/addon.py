"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    needs={"train": "quietmove train"},
    commands={
        "quietmove": {
            "train": (
                "quietmove.addons.train.command:train",
                "Train weights for Othello's evaluations.",
            ),
        },
    },
)
