"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.lab.trees_page:tree_pages", "quietmove.addons.lab.lessons:lesson_pages"),
    commands={
        "quietmove": {
            "classify": (
                "quietmove.addons.lab.classify:classify",
                "Recommend a search technique for a game, with its cost.",
            ),
            "lab": (
                "quietmove.addons.lab.command:lab",
                "Run an experiment with the search.",
            ),
            "winner": (
                "quietmove.addons.lab.winner:winner",
                "Print who has a line in a tic-tac-toe grid.",
            ),
        },
    },
    names={name: f"quietmove.addons.lab.notebook:{name}" for name in ("LabReport", "Trace", "lab", "trace")},
)
