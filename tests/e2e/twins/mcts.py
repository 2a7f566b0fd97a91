"""Monte Carlo tree search of every kind of game, at several seeds, and to a proof."""

from shared import played, searched, show

from quietmove.engine.games.base import NATURE
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.game import UserGame
from quietmove.engine.search.mcts import MonteCarlo
from quietmove.engine.search.uct import Uct
from quietmove.engine.tools.simulations import simulate
from quietmove.engine.values import Limits, Settings

NAMES = (
    "othello",
    "othello 4x4",
    "connect 7x6x4",
    "tictactoe",
    "capture",
    "einstein",
    "nim 1,2,3",
    "tree 3x4 2",
    "subtraction",
)


class Take:
    """Take one, two or three of a heap; a state is the heap."""

    def start(self) -> int:
        return 15

    def moves(self, state: int) -> list[int]:
        return [count for count in (3, 2, 1) if count <= state]

    def play(self, state: int, move: int) -> int:
        return state - move

    def result(self, state: int) -> int:
        return 0


rows: dict[str, object] = {}
for game in (*map(get_game, NAMES), UserGame("take", Take())):
    for seed in range(3):
        position = played(game, seed, 3 * seed)
        if position.side_to_move == NATURE:
            position.play(position.outcomes()[seed][0])
        settings = Settings(multipv=2, seed=seed, exploration=(60, 140, 0)[seed])
        rows[f"{game.name} {seed}"] = searched(MonteCarlo(position, 1, settings, Limits(nodes=2000)))
for name in ("nim 1,2,3", "tree 3x4 2", "subtraction 12 3"):
    rows[f"{name} proven"] = searched(MonteCarlo(get_game(name).initial(), 0, Settings(), Limits()))
position = get_game("tree 99x2").initial()
tree = Uct(position, position.legal_moves(), 0, 100, 7, lambda: False)
tree.run(5000)
rows["tree"] = [repr(branch) for branch in tree.branches()] + [tree.used, tree.hashfull, tree.simulations]
for name in ("tictactoe", "tree 3x4 2"):
    grown = simulate(get_game(name).initial(), 30, Settings(seed=3))
    rows[f"{name} traced"] = [repr(each) for each in (*grown.moves, *grown.simulations)]
show(rows)
