"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.referee.web.practice:practice_pages",),
    hooks={
        "practised": "quietmove.referee.game.practice:practised",
        "training": "quietmove.addons.practice.training:training_of",
    },
    commands={
        "quietmove": {
            "practice": (
                "quietmove.referee.play.practice:practice",
                "Practise your own mistakes.",
            ),
        },
    },
)
