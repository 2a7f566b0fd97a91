"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.referee.web.trees:tree_pages",),
    commands={
        "quietmove": {
            "classify": (
                "quietmove.engine.tools.classify:classify",
                "Say which search technique fits a game, and its cost.",
            ),
            "lab": (
                "quietmove.engine.tools.lab.command:lab",
                "Measure an idea of the search.",
            ),
            "winner": (
                "quietmove.engine.tools.winner:winner",
                "Tell who has a line in any cells of tic-tac-toe.",
            ),
        },
    },
    names={name: f"quietmove.engine.tools.notebook:{name}" for name in ("LabReport", "Trace", "lab", "trace")},
)
