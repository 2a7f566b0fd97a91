"""``quietmove book``: the opening book commands, one module each."""

from __future__ import annotations

from quietmove.engine.common.command_line import LazyGroup, examples

PLACES = {
    "build": ("quietmove.addons.library.book.build:build", "Build an Othello opening book."),
    "convert": ("quietmove.addons.library.book.convert:convert", "Convert books to and from Edax and Egaroucid."),
    "names": ("quietmove.addons.library.book.names:names", "Print named openings."),
    "show": ("quietmove.addons.library.book.show:show", "Print a position's book moves."),
}

book = LazyGroup(
    "book",
    places=PLACES,
    help="Build, show and convert Othello opening books.",
    epilog=examples("quietmove book show f5d6", "quietmove book build my.book --positions 20000 --depth 14"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
