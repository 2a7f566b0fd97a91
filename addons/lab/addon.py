"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.lab.trees_page:tree_pages",),
    commands={
        "quietmove": {
            "classify": (
                "quietmove.addons.lab.classify:classify",
                "Say which search technique fits a game, and its cost.",
            ),
            "lab": (
                "quietmove.addons.lab.command:lab",
                "Measure an idea of the search.",
            ),
            "winner": (
                "quietmove.addons.lab.winner:winner",
                "Tell who has a line in any cells of tic-tac-toe.",
            ),
        },
    },
    names={name: f"quietmove.addons.lab.notebook:{name}" for name in ("LabReport", "Trace", "lab", "trace")},
)
