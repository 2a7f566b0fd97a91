"""``quietmove database``: commands on a database of many games, one module each."""

from __future__ import annotations

from quietmove.engine.common.command_line import LazyGroup, examples

PLACES = {
    "add": ("quietmove.addons.library.database.add:add", "Add games from files."),
    "list": ("quietmove.addons.library.database.contents:list_games", "Print the number of games by year."),
    "remove": ("quietmove.addons.library.database.contents:remove", "Remove games by year, player or event."),
    "show": ("quietmove.addons.library.database.show:show", "Print the moves and games with a position."),
}

database = LazyGroup(
    "database",
    places=PLACES,
    help="Collect Othello games, and show the moves played in a position.",
    epilog=examples("quietmove database add WTH_2010.wtb games.ggf", "quietmove database show f5d6"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
