"""``quietmove database``: many games, and what was played in each position; one row and one file per command."""

from __future__ import annotations

from quietmove.engine.common.command_line import LazyGroup, examples

PLACES = {
    "add": ("quietmove.addons.library.database.add:add", "Add the games of files."),
    "show": ("quietmove.addons.library.database.show:show", "Print what was played in a position, and who played it."),
}

database = LazyGroup(
    "database",
    places=PLACES,
    help="Collect games of Othello, and show what was played in a position.",
    epilog=examples("quietmove database add WTH_2010.wtb games.ggf", "quietmove database show f5d6"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
