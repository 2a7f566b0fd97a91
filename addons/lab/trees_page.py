"""The JSON of the search tree page. Values and windows are from the first player's point of view, as in lectures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from quietmove.addons.lab import simulations, trees
from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.pages import AddedPages, PageServer
from quietmove.addons.web.requests import PageRequest, in_thread, parse_position
from quietmove.addons.web.routes import Role, Row
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.search.events import TURNED, Bounds, Cutoff, Value, turned, window_of
from quietmove.engine.search.node import ALGORITHMS
from quietmove.engine.values import Settings
from quietmove.referee.errors import SetupError

STATIC = Path(__file__).parent / "static"
MOST_POSITIONS = 2000  # maximum number of positions in a tree that is drawn whole
MOST_NODES = 200_000  # node limit per move of a tree whose positions are opened one by one
MOST_SECONDS = 5.0
FOLLOWED_SECONDS = 30.0  # time limit for a search shown in pieces; minimax needs three seconds to solve tic-tac-toe
PIECE = 1000  # number of frames per piece of a long search
TO_THE_END = 200  # plies: the engine's maximum depth
SHORT_GAME = 9  # with at most this many plies left, the default is to search to the end
USUAL_DEPTH = 3
MCTS = "mcts"


def describe_trees(names: Iterable[str]) -> Json:
    """Return the games with their kinds, default depths and initial positions, and all algorithms and orderings."""
    games = []
    for name in names:
        with suppress(GameError):  # a user's game that cannot be loaded
            game = get_game(name)
            first = game.initial()
            depth = None if first.moves_left() <= SHORT_GAME else USUAL_DEPTH
            games.append({"name": name, "kind": game.kind, "depth": depth, "start": game.format_position(first)})
    return {"games": games, "algorithms": [*ALGORITHMS, MCTS], "orderings": list(trees.TREE_ORDERINGS)}


class TreeRequest(PageRequest):
    """A request for the tree below ``position`` (empty for the initial one) after ``moves``."""

    game: str
    position: str = ""
    moves: str = ""
    algorithm: Literal["all", *ALGORITHMS, "mcts"] = "all"  # type: ignore[valid-type]  # all: side by side
    ordering: Literal[*trees.TREE_ORDERINGS] = "static"  # type: ignore[valid-type]
    depth: Annotated[int, Field(ge=0, le=60)] | None = None  # in plies; None searches to the end of the game
    quiescence: bool = False
    level: bool = False  # whether to return only the first level
    first: Annotated[int, Field(ge=0, le=10_000_000)] = 0  # first frame of the requested piece
    simulations: Annotated[int, Field(ge=1, le=500)] = 50  # simulations and seed are for Monte Carlo tree search
    seed: Annotated[int, Field(ge=0, le=1_000_000)] = 0


def tree_pages(server: PageServer) -> AddedPages:
    """Return the search tree page for the server's games."""
    sessions = server.sessions
    draw = in_thread(TreeRequest, sessions.checked(tree_of), asyncio.Lock())
    rows = [
        Row("GET", "/api/trees", lambda request: asyncio.to_thread(describe_trees, sessions.games), Role.PLAYER),
        Row("POST", "/api/tree", draw, Role.PLAYER),
    ]
    return AddedPages("/tree", "Search trees", "tree", STATIC, rows, rank=3)


def tree_of(request: TreeRequest) -> Json:
    """Return a tree with its search, or a piece of the search of a larger tree, or the first level of a very large one.

    For Monte Carlo tree search, return its simulations.

    :raises QuietmoveError: if the request is invalid.
    """
    game = get_game(request.game)
    if game.kind != "perfect":
        raise SetupError(f"game: must not have dice or hidden cards, as {game.name} does")
    position = parse_position(game, request.position)
    play_moves(game, position, [request.moves])
    position = position.copy()  # drop the move history
    head = {**describe_game(game), "side": position.side_to_move, "depth": request.depth}
    head |= {"position": game.format_position(position), "step": Steps(game, position.copy()).first()}
    if request.algorithm == MCTS:
        if position.is_over():
            raise SetupError("position: the game is already over; choose one with a legal move")
        return {**head, "shown": "simulations", **_simulations(game, position, request)}
    depth = TO_THE_END if request.depth is None else request.depth
    algorithms = ALGORITHMS if request.algorithm == "all" else (request.algorithm,)
    settings = Settings(algorithms[-1], request.ordering, request.quiescence)
    expired = _deadline(MOST_SECONDS)
    tree = None if request.level else trees.grow_tree(position, depth, algorithms, settings, MOST_POSITIONS, expired)
    if tree is not None:
        return {**head, "shown": "whole", **_describe_tree(game, position, tree)}
    if not request.level and depth and (walks := _pieces(game, position, depth, algorithms, request)):
        return {**head, "shown": "pieces", "walks": walks}
    branches = trees.look_ahead(position, depth, settings, MOST_NODES, expired) if depth else []
    return {**head, "shown": "level", **_level(game, position, branches)}


def _deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that returns True once ``seconds`` have passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


# ---- building responses


def _describe_tree(game: Game, position: Position, tree: trees.WalkedTree) -> Json:
    nodes = list(_nodes(game, position, tree.nodes))
    for place, value in tree.values.items():
        nodes[place]["value"] = turned(value, tree.nodes[place].side)
    walks = [{"algorithm": name, "steps": _steps(steps, tree.nodes)} for name, steps in tree.walks.items()]
    return {"nodes": nodes, "leaves": len(tree.values), "walks": walks}


def _pieces(
    game: Game, position: Position, depth: int, algorithms: tuple[str, ...], request: TreeRequest
) -> list[Json] | None:
    """Return a piece of each algorithm's search, or None if the tree has too many positions."""
    expired = _deadline(FOLLOWED_SECONDS)
    found = []
    for algorithm in algorithms:
        settings = Settings(algorithm, request.ordering, request.quiescence)
        piece = trees.follow(position, depth, settings, request.first, PIECE, expired)
        if piece is None:
            return None
        found.append(_piece(game, position, algorithm, piece))
    return found


def _piece(game: Game, position: Position, algorithm: str, piece: trees.Piece) -> Json:
    return {
        "algorithm": algorithm,
        "nodes": list(_nodes(game, position, piece.nodes)),
        "before": _steps(piece.before, piece.nodes),
        "steps": _steps(piece.steps, piece.nodes),
        "first": piece.first,
        "visited": piece.visited,
        "saved": piece.saved,
        "ended": piece.ended,
    }


def _nodes(game: Game, root: Position, nodes: tuple[trees.Node, ...]) -> Iterator[Json]:
    """Yield the positions of a tree, parents before children."""
    positions: list[Position] = []
    for node in nodes:
        position = root if node.parent is None else positions[node.parent].copy()
        if node.move is not None:
            position.play(node.move)
        positions.append(position)
        move = None if node.move is None else game.format_move(node.move)
        yield {"parent": node.parent, "move": move, "side": node.side, "board": game.squares(position)}


def _steps(steps: Iterable[trees.Step], nodes: Sequence[trees.Node]) -> list[Json]:
    return [_step(step, nodes[step.node].side) for step in steps]


def _step(step: trees.Step, side: int) -> Json:
    """Return an event at a position where ``side`` is to move, as JSON."""
    event = step.event
    fields: Json = {"event": type(event).__name__.lower(), "node": step.node, "saved": step.saved}
    match event:
        case Cutoff():
            child, *untried = step.children
            fields |= {"child": child, "value": turned(event.value, side), "untried": untried}
        case Value():
            bound = TURNED[event.bound] if side else event.bound
            fields |= {"value": turned(event.value, side), "bound": bound, "source": event.source}
        case _:
            fields |= dict(zip(("alpha", "beta"), window_of(event, side), strict=True))
            if isinstance(event, Bounds):
                fields["child"] = step.children[0]
    return fields


def _level(game: Game, position: Position, branches: list[trees.MoveValue]) -> Json:
    children = [
        {
            "move": game.format_move(branch.move),
            "side": branch.side,
            "over": branch.over,
            "value": turned(branch.value, branch.side),
            "positions": branch.positions,
            "board": game.squares(_after(position, [branch.move])),
        }
        for branch in branches
    ]
    value = turned(trees.value_of(branches), position.side_to_move)
    return {"board": game.squares(position), "value": value, "children": children}


# ---- Monte Carlo tree search; means and bounds are for the side making the move


def _simulations(game: Game, position: Position, request: TreeRequest) -> Json:
    """Run simulations from ``position``; return them and the positions of the tree they build."""
    grown = simulations.simulate(position, request.simulations, simulations.Settings(seed=request.seed))
    positions = [position]
    nodes: list[Json] = [{"parent": None, "move": None}]
    for link in grown.moves[1:]:
        assert link is not None
        parent, move = link
        positions.append(_after(positions[parent], [move]))
        nodes.append({"parent": parent, "move": game.format_move(move)})
    for node, reached in zip(nodes, positions, strict=True):
        node |= {"side": reached.side_to_move, "board": game.squares(reached)}
    told = [_simulation(game, positions[each.path[-1]], each) for each in grown.simulations]
    return {"nodes": nodes, "simulations": told}


def _after(position: Position, moves: Sequence[int]) -> Position:
    copy = position.copy()
    for move in moves:
        copy.play(move)
    return copy


def _simulation(game: Game, leaf: Position, told: simulations.Simulation) -> Json:
    """Return one simulation, whose path ends at ``leaf``."""
    end = _after(leaf, told.playout)
    score = end.result() if end.is_over() else None
    return {
        "path": told.path,
        "choices": [[_choice(choice) for choice in choices] for choices in told.choices],
        "expanded": told.expanded,
        "playout": [game.format_move(move) for move in told.playout],
        "winner": None if score is None else 2 if score == 0 else int(score < 0),
        "end": game.squares(end),
        "visits": told.visits,
        "means": [round(mean, 3) for mean in told.means],
    }


def _choice(choice: simulations.Choice) -> Json:
    """Return a move as seen by the selection; a None bound means infinity."""
    bound = None if choice.bound is None else round(choice.bound, 3)
    return {"place": choice.place, "bound": bound, "decided": choice.decided}
