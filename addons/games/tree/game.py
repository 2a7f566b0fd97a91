"""The game ``tree``: parsing, formatting and drawing game trees, and trees specified by parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from quietmove.addons.games.tree.nodes import VALUE_LIMIT, Nested, Tree, TreePosition, format_value, uniform_tree
from quietmove.addons.games.tree.picture import tree_picture
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import MAX_MOVES, Game
from quietmove.engine.games.picture import Picture
from quietmove.engine.games.rules import Rules

LEAF_LIMIT = 50_000
DEPTH_LIMIT = 40
ORDERS = ("random", "perfect", "worst")
WALK_THROUGH = "[[3,5,6],[1,2,0],[9,7,8]]"
SHAPE = re.compile(r"(\d{1,2})x(\d{1,2})(?: (\d{1,9}))?(?: ([a-z]+))?")


class TreeGame(Game):
    """A tree as a game between a maximising and a minimising player."""

    point = "point"
    move_count = MAX_MOVES
    players = ("Max", "Min")
    sides = ("max", "min")
    rules = Rules(
        "A search tree",
        "A textbook tree. Max and Min move in turn, and Max begins. A move chooses one of the branches, numbered from "
        "left to right. The game is over at a leaf, whose number Max receives and Min pays.",
        "depth, branches and seed of a random tree; see 'tree' in the games' guide",
        ("minimax",),
        moves="1",
    )

    def __init__(self, name: str, make_tree: Callable[[], Tree]) -> None:
        self.name = name
        self._make_tree = make_tree
        self._tree: Tree | None = None

    def initial(self) -> TreePosition:
        if self._tree is None:
            self._tree = self._make_tree()
        return TreePosition(self._tree, 0, 0)

    def parse_position(self, fields: Sequence[str]) -> TreePosition:
        *texts, side = fields or [""]
        if side not in self.sides:
            texts, side = [*texts, side], self.sides[0]
        return TreePosition(Tree(parse_tree("".join(texts))), 0, self.sides.index(side))

    def format_position(self, position: TreePosition) -> str:
        return f"{format_tree(position.tree.nested(position.node))} {self.sides[position.side_to_move]}"

    def parse_move(self, position: TreePosition, text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,3}", text):
            raise NotationError(f"{text[:40]!r} is not a move; a move is the number of a child, from 1")
        return self.require_legal(position, int(text) - 1, text)

    def format_move(self, move: int) -> str:
        return str(move + 1)

    def draw(self, position: TreePosition) -> str:
        nested = position.tree.nested(position.node)
        if not isinstance(nested, list):
            return f"  {format_value(nested)}\n  game over"
        rows = []
        for number, child in enumerate(nested, 1):
            text = format_tree(child)
            rows.append(f"  {number}: {text if len(text) <= 100 else text[:97] + '...'}")
        return "\n".join([*rows, f"  {self.turn(position)}; depth {position.moves_left()}"])

    def picture(self, position: TreePosition, viewer: int | None = None) -> Picture:
        return tree_picture(position.tree, position.node, position.side_to_move)


def format_tree(nested: Nested) -> str:
    """Return the text of a tree for :func:`parse_tree`, without spaces."""
    if isinstance(nested, list):
        return "[" + ",".join(map(format_tree, nested)) + "]"
    return format_value(nested)


def parse_tree(text: str) -> Nested:
    """Parse nested lists with values in points, and return them with values in hundredths.

    :raises PositionError: if the text is not a tree, or the tree is too large.
    """
    try:
        read = parse_json(text)
    except ValueError:
        raise PositionError(
            f"tree: must be numbers in nested lists such as {WALK_THROUGH}, then max or min, not {text[:40]!r}"
        ) from None
    room = [LEAF_LIMIT]
    return check_node(read, 0, room)


def check_node(node: object, depth: int, room: list[int]) -> Nested:
    """Check a node and return it with values in hundredths; ``room[0]`` is the number of leaves still allowed."""
    if isinstance(node, list):
        if not 1 <= len(node) <= MAX_MOVES:
            raise PositionError(f"children of a node: must be 1 to {MAX_MOVES}, not {len(node)}")
        if depth == DEPTH_LIMIT:
            raise PositionError(f"tree: must be at most {DEPTH_LIMIT} plies deep")
        return [check_node(child, depth + 1, room) for child in node]
    if isinstance(node, bool) or not isinstance(node, int | float) or not abs(node) <= VALUE_LIMIT:
        raise PositionError(f"value: must be a number from -{VALUE_LIMIT} to {VALUE_LIMIT}, not {str(node)[:40]!r}")
    if round(100 * node) != round(100 * node, 6):
        raise PositionError(f"value: must have at most two decimals, not {str(node)[:40]!r}")
    room[0] -= 1
    if room[0] < 0:
        raise PositionError(f"tree: must have at most {LEAF_LIMIT} leaves")
    return round(100 * node)


def make_game(parameters: str = "") -> TreeGame:
    """Return the game ``tree`` (a small example) or ``tree BxD [SEED] [ORDER]`` (a uniform tree).

    :raises UnknownGameError: if the parameters are malformed, or the tree would be too large.
    """
    if not parameters:
        return TreeGame("tree", lambda: Tree(parse_tree(WALK_THROUGH)))
    match = SHAPE.fullmatch(parameters)
    if match is None or (match[4] or "random") not in ORDERS:
        raise UnknownGameError(
            f"game tree: must be BxD [SEED] [{'|'.join(ORDERS)}], such as '3x4 1 perfect', or no parameters,"
            f" not {parameters[:40]!r}"
        )
    branching = int(match[1])
    depth = int(match[2])
    seed = int(match[3] or 1)
    order = match[4] or "random"
    if not (1 <= branching <= MAX_MOVES and 1 <= depth <= DEPTH_LIMIT and branching**depth <= LEAF_LIMIT):
        raise UnknownGameError(
            f"game tree: must have 1 to {MAX_MOVES} children, 1 to {DEPTH_LIMIT} plies and at most {LEAF_LIMIT} leaves,"
            f" not {branching}x{depth}"
        )
    return TreeGame(f"tree {parameters}", lambda: uniform_tree(branching, depth, seed, order))
