"""The row, the heaps and a game in plain Python: positions, searches in several ways, Sprague-Grundy values."""

from rows import played, searched, show

from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.game import UserGame
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.grundy import tree_value
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

NAMES = (
    "capture",
    "capture XX-OX-OO",
    "capture XO" + "-" * 28 + "XO",
    "nim",
    "nim 0,7,2",
    "nim 64",
    "nim 9,9,9,9,9,9",
    "subtraction",
    "subtraction 1000 64",
)
WAYS = (
    ("pvs", "full", True, 1),
    ("pvs", "none", False, 0),
    ("alphabeta", "history", True, 0),
    ("minimax", "static", True, 1),
)


class Take:
    """Take one, two or three of a heap; a state is the heap and the side to move."""

    def start(self) -> tuple[int, int]:
        return 15, 0

    def moves(self, state: tuple[int, int]) -> list[int]:
        return [count for count in (3, 2, 1) if count <= state[0]]

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        return state[0] - move, 1 - state[1]

    def result(self, state: tuple[int, int]) -> int:
        return 1 if state[1] else -1

    def side(self, state: tuple[int, int]) -> int:
        return state[1]


def search(position: Position, settings: Settings, limits: Limits, megabytes: int = 1) -> list[object]:
    return searched(Deepening(position, Table(megabytes) if megabytes else None, settings, limits))


rows: dict[str, object] = {}
for game in (*map(get_game, NAMES), UserGame("take", Take())):
    name = game.name
    for seed in range(3):
        position = played(game, seed, 4 * seed)
        rows[f"{name} {seed} facts"] = [
            game.format_position(position),
            position.key,
            position.legal_moves(),
            position.perft(2),
            position.result(),
            position.static_value(),
            position.moves_left(),
            Minimax(position).value(2),
            game.canonical(position),
        ]
        for algorithm, ordering, quiescence, megabytes in WAYS:
            settings = Settings(algorithm, ordering, quiescence)
            limits = Limits(depth=2 if algorithm == "minimax" else 3)
            rows[f"{name} {seed} {settings}"] = search(position, settings, limits, megabytes)
        rows[f"{name} {seed} nodes"] = search(position, Settings(), Limits(nodes=1000))
for name in ("nim 1,2,3", "subtraction 12 3", "capture X-O"):
    rows[f"{name} solved"] = search(get_game(name).initial(), Settings(), Limits())
rows["values"] = [tree_value(get_game(name).initial()) for name in ("nim 1,2,4", "subtraction 30 4")]
show(rows)
