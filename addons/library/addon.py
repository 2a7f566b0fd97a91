"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.library.explorer:explorer_pages",),
    hooks={
        "named_games": "quietmove.addons.library.database.names:with_names",
        "own_note": "quietmove.addons.library.own_book:note_after",
    },
    commands={
        "quietmove": {
            "book": (
                "quietmove.addons.library.book.command:book",
                "Build, show and convert Othello opening books.",
            ),
            "database": (
                "quietmove.addons.library.database.command:database",
                "Collect Othello games, and show the moves played in a position.",
            ),
        },
    },
)
