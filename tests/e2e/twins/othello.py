"""Othello searched in all ways, to the end of the game too, traced, and the bench."""

from collections.abc import Iterator
from dataclasses import astuple, replace

from shared import played, searched, show

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.yardstick import Yardstick
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.tools import bench
from quietmove.engine.values import Limits, Settings

OTHELLO = get_game("othello")


def positions() -> Iterator[Position]:
    for seed, plies in ((1, 9), (2, 25), (3, 42), (4, 56)):
        yield played(OTHELLO, seed, plies)
    yield OTHELLO.parse_position(("XO" + "-" * 62 + " O").split())  # a pass
    full = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X"
    yield OTHELLO.parse_position(full.split())


def search(position: Position, settings: Settings, limits: Limits, megabytes: int = 1) -> list[object]:
    return searched(Deepening(position, Table(megabytes) if megabytes else None, settings, limits))


CLASSIC = Settings(evaluation="classic")  # uncompiled, its values take a tenth of the time of the network's
rows: dict[str, object] = {}
for number, position in enumerate(positions()):
    network = Settings(evaluation="network")
    rows[f"{number} network"] = [search(position, network, Limits(depth=2)), position.static_value()]
    position.choose_evaluator("")
    rows[f"{number} facts"] = [
        OTHELLO.format_position(position),
        position.key,
        position.legal_moves(),
        position.perft(3),
        position.static_value(),
        OTHELLO.explain(position),
        Minimax(position).value(2),
    ]
    for ordering in ORDERINGS:
        for quiescence in (False, True):
            for algorithm, depth, megabytes in (("pvs", 3, 1), ("alphabeta", 2, 0)):
                way = {"algorithm": algorithm, "ordering": ordering, "quiescence": quiescence}
                rows[f"{number} {algorithm} {ordering} {quiescence}"] = search(
                    position, replace(CLASSIC, **way), Limits(depth=depth), megabytes
                )
    rows[f"{number} minimax"] = search(position, Settings("minimax", "history", True), Limits(depth=2))
    rows[f"{number} lines"] = search(position, Settings(multipv=3), Limits(depth=3))
    for selectivity in (2, 5):
        rows[f"{number} selective {selectivity}"] = search(
            position, replace(CLASSIC, selectivity=selectivity), Limits(depth=5)
        )
    rows[f"{number} nodes"] = search(position, replace(CLASSIC, quiescence=True), Limits(nodes=1500))
for seed, plies in ((7, 51), (8, 50), (9, 52)):
    rows[f"solved {seed}"] = search(played(OTHELLO, seed, plies), Settings(), Limits())
    rows[f"solver stopped {seed}"] = search(played(OTHELLO, seed, plies), Settings(), Limits(nodes=2000))

for name in ("othello", "othello 6x6", "tree 3x3 2 worst", "tree"):
    for algorithm, ordering in (("minimax", "none"), ("alphabeta", "static"), ("pvs", "full")):
        events: list[object] = []
        position, settings = get_game(name).initial(), Settings(algorithm, ordering)
        traced = Deepening(position, None, settings, Limits(depth=3), trace=events.append)
        infos = [astuple(replace(info, time=0)) for info in traced.iterations()]
        told = [[type(event).__name__, *astuple(event)] for event in events]  # type: ignore[call-overload]
        rows[f"trace {name} {algorithm}"] = [infos, *told]
rows["bench"] = bench.run(2)[0]
for seed in range(4):
    late = played(OTHELLO, seed, 53)
    mine, theirs = (late.white, late.black) if late.side_to_move else (late.black, late.white)
    unit = Yardstick()
    rows[f"yardstick {seed}"] = [unit.value(mine, theirs), unit.nodes]

show(rows)
