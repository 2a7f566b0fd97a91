"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.referee.web.explorer:explorer_pages",),
    commands={
        "quietmove": {
            "book": (
                "quietmove.engine.tools.book.command:book",
                "Build an opening book of Othello, and show what is in one.",
            ),
            "database": (
                "quietmove.engine.tools.database.command:database",
                "Collect games of Othello, and show what was played in a position.",
            ),
        },
    },
)
