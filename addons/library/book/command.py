"""``quietmove book``: the opening book; one row and one file per command."""

from __future__ import annotations

from quietmove.engine.common.command_line import LazyGroup, examples

PLACES = {
    "build": ("quietmove.addons.library.book.build:build", "Build an opening book of Othello."),
    "convert": ("quietmove.addons.library.book.convert:convert", "Convert books of Edax and Egaroucid, or to them."),
    "names": ("quietmove.addons.library.book.names:names", "Print the openings that have a name."),
    "show": ("quietmove.addons.library.book.show:show", "Print what the book knows of a position."),
}

book = LazyGroup(
    "book",
    places=PLACES,
    help="Build an opening book of Othello, show what is in one, and convert it.",
    epilog=examples("quietmove book show f5d6", "quietmove book build my.book --positions 20000 --depth 14"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
