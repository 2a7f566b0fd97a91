"""Expectiminimax with and without Star pruning, and the search over the deals of hidden cards."""

from shared import searched, show

from quietmove.engine.games.registry import get_game
from quietmove.engine.search.chance import ChanceDeepening
from quietmove.engine.search.hidden import HiddenDeepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

rows: dict[str, object] = {}
dice = get_game("einstein")
for text in ("145--26---3---c---fb--eda B 4", "-5--2-6-a--3b--c1-----d-- W 2"):
    for algorithm in ("minimax", "alphabeta", "pvs"):
        for table in (None, Table(1)):
            position = dice.parse_position(text.split())
            search = ChanceDeepening(position, table, Settings(algorithm), Limits(depth=2))
            rows[f"{text} {algorithm} {table is not None}"] = [
                position.key,
                position.static_value(),
                *searched(search),
            ]
cards = get_game("whist 3x4 4")
view = cards.parse_position(cards.view(cards.begin(2), 0).split())
for algorithm in ("alphabeta", "pvs"):
    settings = Settings(algorithm, deals=8, seed=3)
    hidden = HiddenDeepening(view, Table(1), settings, Limits(nodes=3000), game=cards)
    rows[f"whist {algorithm}"] = [view.key, view.static_value(), *searched(hidden)]
show(rows)
