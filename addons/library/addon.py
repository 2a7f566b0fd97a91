"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.library.explorer:explorer_pages",),
    commands={
        "quietmove": {
            "book": (
                "quietmove.addons.library.book.command:book",
                "Build an opening book of Othello, and show what is in one.",
            ),
            "database": (
                "quietmove.addons.library.database.command:database",
                "Collect games of Othello, and show what was played in a position.",
            ),
        },
    },
)
