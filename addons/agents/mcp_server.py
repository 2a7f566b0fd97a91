"""The tools of ``quietmove mcp``: one game that the assistant sets up, plays and analyses."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Annotated, ParamSpec, TypeVar

import resvg_py  # noqa: F401 (draws the boards; the command says at its start if it is not there)
from anyio.to_thread import run_sync
from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from quietmove.addons.agents.picture import board_png
from quietmove.engine.api import Position, analyse, games
from quietmove.engine.common import VERSION
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError, UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.rules import rules_of
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import MoveReview, ReviewEffort, review, review_move
from quietmove.engine.values import Limits, Settings

TABLE_MEGABYTES = 16
MOST_SHOWN = 8  # maximum moves in a line of play
EXACT_MOVES = 16  # with at most this many moves left, reviews solve the position: below a tenth of a second
MOST_NODES = 1_000_000  # nodes per engine move at full strength

server = MCPServer(
    "quietmove",
    version=VERSION,
    log_level="WARNING",
    instructions="Board games with an engine that plays and analyses them. There is one game at a time; new_game "
    "starts it. Moves are strings such as f5; rows are counted from the top. Values are points (discs in Othello), "
    "from the moving side's point of view; estimate_before and estimate_after are from the first player's.",
)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Seconds = Annotated[float, Field(gt=0, le=30, description="time of the search")]


@dataclass
class State:
    """The current position."""

    game: str
    board: str
    moves: list[str]
    to_move: str
    legal_moves: list[str]
    result: str


@dataclass
class Line:
    """A move, its value for the side to move, and the expected line of play."""

    move: str
    value: str
    depth: int
    line: list[str]


@dataclass
class ReviewedMove:
    """A move of the game compared with the best one; mark is ?!, ? or ?? depending on its loss."""

    number: int
    player: str
    move: str
    value: str
    mark: str
    best: str
    best_value: str
    best_line: list[str]


@dataclass
class Explanation:
    """The effect of a move: its review, the expected line, and the static estimate's terms before and after it."""

    review: ReviewedMove
    expected: list[str]
    legal_moves_left_to_the_opponent: int
    estimate_before: dict[str, str]
    estimate_after: dict[str, str]


class CurrentGame:
    """The client's game."""

    position = Position()


current = CurrentGame()
one_at_a_time = asyncio.Lock()


def tool(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Register a function as a tool, reporting errors with their own messages.

    Requests use the game one at a time, in order of arrival. A cancelled request is still completed.
    """

    @wraps(function)
    async def offered(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        async with one_at_a_time:
            try:
                return await run_sync(partial(function, *arguments, **named))
            except QuietmoveError as error:
                raise ToolError(str(error)) from None

    server.tool()(offered)
    return function


def state() -> State:
    position = current.position
    result = ""
    if (points := position.result) is not None:
        winner = position.players[points < 0]
        result = f"{winner} wins by {abs(points):g}" if points else "draw"
    to_move = "" if position.is_over else position.side_to_move
    return State(position.game, str(position), list(position.moves), to_move, position.legal_moves(), result)


def require_going() -> Position:
    """Return the current position if it has a move to make.

    :raises GameError: if the game is over.
    """
    if current.position.is_over:
        raise GameError("game: it is over; start another with new_game, or go back with undo")
    return current.position


@tool
def new_game(
    game: Annotated[
        str, Field(description="a name from list_games, optionally followed by a space and its parameters")
    ] = "othello",
    position: Annotated[str, Field(description="a position as text; empty for the initial position")] = "",
    moves: Annotated[str, Field(description="moves to make from there: f5 d6 c3")] = "",
) -> State:
    """Start a game, or set up a position."""
    word = game.split()[:1]
    if not word or word[0] not in games():  # only the user may run Python files
        raise UnknownGameError(f"game: must be one of {', '.join(games())}, not {game!r}")
    if (kind := get_game(game).kind) != "perfect":
        what = "dice" if kind == "chance" else "hidden cards"
        raise UnknownGameError(f"game: must have perfect information and no chance; {game} has {what}")
    current.position = Position(game, position or None, moves)
    return state()


@tool
def list_games() -> dict[str, str]:
    """List the games with their rules."""
    found = {}
    for name in games():
        if (game := get_game(name)).kind == "perfect":
            found[name] = rules_of(game).text
    return found


@tool
def show() -> State:
    """Show the position, the side to move and the legal moves."""
    return state()


@tool
def board_picture() -> Image:
    """Show the board as a picture: dots mark legal moves, and the last move is red."""
    position = current.position
    return Image(data=board_png(position._game, position._position, position._last_move()), format="png")


@tool
def legal_moves() -> list[str]:
    """List the legal moves; ["pass"] for a forced pass, empty if the game is over."""
    return current.position.legal_moves()


@tool
def play(moves: Annotated[str, Field(description="one or more moves: f5, or f5 d6 c3")]) -> State:
    """Make moves: all of them, or none if any is illegal."""
    current.position.play(moves)
    return state()


@tool
def undo(count: Annotated[int, Field(ge=1, description="how many moves")] = 1) -> State:
    """Take back moves."""
    if count > len(current.position.moves):
        raise GameError(f"count: must be at most {len(current.position.moves)}, the moves made, not {count}")
    for _ in range(count):
        current.position.undo()
    return state()


@tool
def engine_move(
    level: Annotated[
        int, Field(ge=0, le=FULL_STRENGTH, description="0 beginner, 10 club player, 20 full strength")
    ] = 5,
) -> State:
    """Let the engine move for the side to move."""
    position = require_going()
    found = analyse(position, nodes=MOST_NODES, level=level, seed=random.getrandbits(31), hash=TABLE_MEGABYTES)
    position.play(found.best_move or "")
    return state()


@tool
def analyse_position(
    seconds: Seconds = 1.0,
    depth: Annotated[
        int | None, Field(ge=1, le=60, description="in plies; the search stops at the first limit reached")
    ] = None,
    lines: Annotated[int, Field(ge=1, le=10, description="number of best moves")] = 3,
) -> list[Line]:
    """Search for the best moves in the position."""
    limits = {"movetime": round(1000 * seconds), "depth": depth}
    found = {}
    for info in analyse(require_going(), **limits, multipv=lines, hash=TABLE_MEGABYTES):
        found[info.rank] = Line(info.move, short_score(info.score, info.bound), info.depth, list(info.pv[:MOST_SHOWN]))
    return [found[rank] for rank in sorted(found)]


@tool
def review_game(
    nodes: Annotated[int, Field(ge=100, le=200_000, description="moves searched for each position")] = 10_000,
) -> list[ReviewedMove]:
    """Review the game: compare each move with the best one."""
    position = current.position
    game = position._game
    start = Position(position.game, position._start)
    record = ReviewedGame("game", game, start._position, tuple(position._moves))
    effort = ReviewEffort(Settings(), Limits(nodes=nodes), EXACT_MOVES)
    return [described(each) for each in review(record, effort, Table(TABLE_MEGABYTES))][::-1]


@tool
def explain_move(
    move: Annotated[str, Field(description="a legal move")],
    nodes: Annotated[int, Field(ge=100, le=1_000_000, description="moves searched")] = 50_000,
) -> Explanation:
    """Compare a move with the best one, and show the expected line and the change in the static estimate."""
    position = require_going()
    game = position._game
    number = game.parse_move(position._position, position.read(move))
    effort = ReviewEffort(Settings(), Limits(nodes=nodes), EXACT_MOVES)
    copy = position._position.copy()
    found = review_move(game, copy, len(position.moves) + 1, number, None, effort, Table(TABLE_MEGABYTES))
    before = terms(position)
    after = Position(position.game, position.fen, move)
    replies = 0 if after.is_over or after.legal_moves() == ["pass"] else len(after.legal_moves())
    line = [game.format_move(each) for each in found.line[:MOST_SHOWN]]
    return Explanation(described(found), line, replies, before, terms(after))


def terms(position: Position) -> dict[str, str]:
    """Return the terms of the static estimate, from the first player's point of view."""
    sign = 1 if position.side_to_move == position.players[0] else -1
    if position.is_over:
        return {"result": f"{position.result:+g}"}
    return {name: short_score(sign * value, "exact") for name, value in position._game.explain(position._position)}


def described(each: MoveReview) -> ReviewedMove:
    game = current.position._game
    names = [game.format_move(move) for move in each.best_line[:MOST_SHOWN]]
    value, best = (short_score(score, "exact") for score in (each.value, each.best_value))
    move = game.format_move(each.move)
    return ReviewedMove(each.number, game.players[each.side], move, value, each.mark, names[0], best, names)
