"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.practice.page:practice_pages",),
    hooks={
        "practised": "quietmove.addons.practice.positions:practised",
        "training": "quietmove.addons.practice.training:training_of",
    },
    commands={
        "quietmove": {
            "practice": (
                "quietmove.addons.practice.command:practice",
                "Practise the positions in which you made mistakes.",
            ),
        },
    },
)
