"""The tools of ``quietmove mcp``, which let an assistant set up, play and analyse games."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Annotated, Any, ParamSpec, TypeVar

import resvg_py  # noqa: F401 (draws the boards; if it is missing, the command reports it at its start)
from anyio.to_thread import run_sync
from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import Tool, ToolAnnotations
from pydantic import Field, ValidationError

from quietmove.addons.agents.picture import board_png
from quietmove.engine.api import Position, analyse, games
from quietmove.engine.common import VERSION
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import did_you_mean
from quietmove.engine.errors import GameError, UnknownGameError
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.limit import Limit
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.reasons import reasons
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import MoveReview, ReviewEffort, Searches, review, review_move
from quietmove.engine.values import Limits, Settings

TABLE_MEGABYTES = 16
MAX_SHOWN = 8  # maximum number of moves in a line of play
EXACT_MOVES = 16  # with at most this many moves left, reviews solve the position, in less than a tenth of a second
MAX_NODES = 1_000_000  # nodes per engine move at full strength
MAX_GAMES = 100  # maximum number of games at a time
MAX_MISTAKES = 15  # maximum number of mistakes in a review, which keeps it below 2 kB
NAMED_TERMS = "classic"  # Othello's evaluator with terms that people use: mobility, corners, parity and so on


class Server(MCPServer):
    """An MCP server that rejects unknown arguments and reports invalid ones in one line."""

    async def list_tools(self) -> list[Tool]:
        tools = await super().list_tools()
        for each in tools:
            each.input_schema["additionalProperties"] = False
        return tools

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        known = {each.name: each.input_schema["properties"] for each in await self.list_tools()}.get(name, arguments)
        for argument in arguments:
            if argument not in known:
                allowed = f"the arguments of {name} are {', '.join(known)}" if known else f"{name} takes no arguments"
                raise ToolError(f"no argument {argument!r}{did_you_mean(argument, known)}; {allowed}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            raise ToolError("; ".join(map(problem, error.__cause__.errors()))) from None


def problem(detail: Any) -> str:
    """Format a pydantic error as text, such as ``level: must be less than or equal to 20, not 21``."""
    name = ".".join(map(str, detail["loc"]))
    if detail["type"] == "missing":
        return f"{name}: is required"
    return f"{name}: {detail['msg'].replace('Input should be', 'must be')}, not {detail['input']!r}"


server = Server(
    "quietmove",
    version=VERSION,
    log_level="WARNING",
    instructions="Board games with an engine that plays and analyses them. new_game starts a game or replaces one; to "
    "have several, give each a game_id. Moves are strings such as f5; rows are counted from the top. Values are in "
    "points (discs in Othello) from the mover's point of view; estimate_before and estimate_after are from the first "
    "player's point of view.",
)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Seconds = Annotated[float, Field(gt=0, le=30, description="duration of the search")]
Id = Annotated[str, Field(description="the game, if there are several")]


@dataclass
class State:
    """The current position of a game; last_move is the move that led to it."""

    game_id: str
    game: str
    board: str
    moves: list[str]
    last_move: str
    to_move: str
    legal_moves: list[str]
    result: str


@dataclass
class Line:
    """A move, its value for the side to move, and the expected line of play."""

    move: str
    value: str
    depth: int
    line: str


@dataclass
class GameReview:
    """The mistakes of a game: how many each player made, and the worst ones in game order.

    Each line contains the move with its mark (?!, ? or ??) and value, then the best move with its value and the
    expected play.
    """

    moves: int
    mistakes: dict[str, int]
    worst: list[str]


@dataclass
class Explanation:
    """The effect of a move: its review, the reasons for the best move, the expected line, and the estimate's terms."""

    review: str
    reasons: list[str]
    expected: str
    legal_moves_left_to_the_opponent: int
    estimate_before: dict[str, str]
    estimate_after: dict[str, str]


FIRST = "1"  # the id of a game started without one
positions = {FIRST: Position()}
one_at_a_time = asyncio.Lock()


def tool(function: Callable[Arguments, Result], *, reads_only: bool = False) -> Callable[Arguments, Result]:
    """Register a function as a tool, reporting errors with their own messages.

    Requests use the games one at a time, in order of arrival. A cancelled request is still completed.

    :param reads_only: whether the tool changes no game, so that a client can call it without asking its user.
    """

    @wraps(function)
    async def offered(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        async with one_at_a_time:
            try:
                return await run_sync(partial(function, *arguments, **named))
            except QuietmoveError as error:
                raise ToolError(str(error)) from None

    server.tool(annotations=ToolAnnotations(read_only_hint=reads_only))(offered)
    return function


reading_tool = partial(tool, reads_only=True)


def state(game_id: str) -> State:
    position = game_of(game_id)
    result, names = "", position._game.players
    if (points := position.result) is not None:
        winner = names[points < 0]
        result = f"{winner} wins by {abs(points):g}" if points else "draw"
    to_move = "" if position.is_over else names[position._position.side_to_move]
    moves = list(position.moves)
    last = moves[-1] if moves else ""
    return State(game_id, position.game, drawing(position), moves, last, to_move, position.legal_moves, result)


def game_of(game_id: str, *, going: bool = False) -> Position:
    """Return the position of a game.

    :param going: whether to reject a game that is over.
    :raises GameError: if no game has this id, or the game is rejected.
    """
    if game_id not in positions:
        raise GameError(f"game_id: must be one of {', '.join(positions)}, not {game_id!r}")
    if going and positions[game_id].is_over:
        raise GameError("game: already over; start another with new_game, or go back with undo")
    return positions[game_id]


def drawing(position: Position) -> str:
    """Return the board as text, with rows numbered from the top only, as in move names."""
    text = str(position)
    if not position.game.startswith("othello"):
        return text
    text = re.sub(r"^(  [1-8] .*) [1-8]$", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"^ +[1-8](?: [1-8])*\n", "", text, flags=re.MULTILINE)


@tool
def new_game(
    game: Annotated[
        str, Field(description="a name from list_games, optionally followed by a space and its parameters")
    ] = "othello",
    position: Annotated[str, Field(description="a position as text; empty for the initial position")] = "",
    moves: Annotated[str, Field(description="moves to make from there: f5 d6 c3")] = "",
    game_id: Annotated[
        str, Field(max_length=40, description="a name for the game; replaces an existing game with this name")
    ] = FIRST,
) -> State:
    """Start a game, or set up a position."""
    word = game.split()[:1]
    if not word or word[0] not in games():  # only the user may run Python files
        raise UnknownGameError(f"game: must be one of {', '.join(games())}, not {game!r}")
    if (kind := get_game(game).kind) != "perfect":
        what = "dice" if kind == "chance" else "hidden cards"
        raise UnknownGameError(f"game: must have perfect information and no chance; {game} has {what}")
    started = Position(game, position or None, moves)
    if game_id not in positions and len(positions) >= MAX_GAMES:
        raise GameError(f"game_id: must be one of {', '.join(positions)}, because there are already {MAX_GAMES} games")
    positions[game_id] = started
    return state(game_id)


@reading_tool
def list_games() -> dict[str, str]:
    """List the games that can be played, with their rules."""
    rules = {}
    for name in games():
        if (game := get_game(name)).kind == "perfect":
            rules[name] = game.rules.text
    return rules


@reading_tool
def show(game_id: Id = FIRST) -> State:
    """Show the position, the side to move and the legal moves."""
    return state(game_id)


@reading_tool
def board_picture(game_id: Id = FIRST) -> Image:
    """Show the board as a picture: dots mark legal moves, and the last move is red."""
    position = game_of(game_id)
    return Image(data=board_png(position._game, position._position, position._last_move()), format="png")


@reading_tool
def legal_moves(game_id: Id = FIRST) -> list[str]:
    """List the legal moves: ["pass"] for a forced pass, or an empty list if the game is over."""
    return game_of(game_id).legal_moves


@tool
def play(moves: Annotated[str, Field(description="one or more moves: f5, or f5 d6 c3")], game_id: Id = FIRST) -> State:
    """Make moves: all of them, or none if any is illegal."""
    game_of(game_id).push(moves)
    return state(game_id)


@tool
def undo(count: Annotated[int, Field(ge=1, description="number of moves")] = 1, game_id: Id = FIRST) -> State:
    """Take back moves."""
    position = game_of(game_id)
    if count > len(position.moves):
        raise GameError(f"count: must be at most {len(position.moves)} (the number of moves made), not {count}")
    for _ in range(count):
        position.pop()
    return state(game_id)


@tool
def engine_move(
    level: Annotated[
        int, Field(ge=0, le=FULL_STRENGTH, description="0 beginner, 10 club player, 20 full strength")
    ] = 5,
    game_id: Id = FIRST,
) -> State:
    """Let the engine move for the side to move; last_move is its move."""
    position = game_of(game_id, going=True)
    search = analyse(position, Limit(nodes=MAX_NODES), level=level, seed=random.getrandbits(31), hash=TABLE_MEGABYTES)
    position.push(search.best_move)
    return state(game_id)


@reading_tool
def analyse_position(
    seconds: Seconds = 1.0,
    depth: Annotated[
        int | None, Field(ge=1, le=60, description="in plies; the search stops at the first limit reached")
    ] = None,
    lines: Annotated[int, Field(ge=1, le=10, description="number of best moves")] = 3,
    game_id: Id = FIRST,
) -> list[Line]:
    """Search for the best moves in the position."""
    limit = Limit(depth=depth, movetime=max(1, round(1000 * seconds)))
    lines_by_rank = {}
    for info in analyse(game_of(game_id, going=True), limit, multipv=lines, hash=TABLE_MEGABYTES):
        line = " ".join(info.pv[:MAX_SHOWN])
        lines_by_rank[info.rank] = Line(info.move, short_score(info.score.value, info.score.bound), info.depth, line)
    return [lines_by_rank[rank] for rank in sorted(lines_by_rank)]


@reading_tool
def review_game(
    nodes: Annotated[int, Field(ge=100, le=200_000, description="number of moves searched for each position")] = 10_000,
    game_id: Id = FIRST,
) -> GameReview:
    """Review the game: count the mistakes, and compare the worst ones with the best moves."""
    position = game_of(game_id)
    game = position._game
    start = Position(position.game, position._start)
    record = ReviewedGame("game", game, start._position, tuple(position._moves))
    effort = ReviewEffort(Settings(), Limits(nodes=nodes), EXACT_MOVES)
    reviews = list(review(record, effort, Table(TABLE_MEGABYTES)))
    mistakes = [each for each in reviews if each.mark]
    counts = {name: sum(each.side == side for each in mistakes) for side, name in enumerate(game.players)}
    worst = sorted(mistakes, key=lambda each: each.value - each.best_value)[:MAX_MISTAKES]
    worst.sort(key=lambda each: each.number)
    return GameReview(len(reviews), counts, [described(game, each) for each in worst])


@reading_tool
def explain_move(
    move: Annotated[str, Field(description="a legal move")],
    nodes: Annotated[int, Field(ge=100, le=1_000_000, description="number of moves searched")] = 50_000,
    game_id: Id = FIRST,
) -> Explanation:
    """Compare a move with the best one, with reasons, the expected line and the change in the static estimate."""
    position = game_of(game_id, going=True)
    game = position._game
    number = game.parse_move(position._position, position.read(move))
    effort = ReviewEffort(Settings(), Limits(nodes=nodes), EXACT_MOVES)
    copy = position._position.copy()
    move_review = review_move(
        game, copy, len(position.moves) + 1, number, None, effort, Table(TABLE_MEGABYTES), Searches()
    )
    why = reasons(position._position, move_review.line, move_review.best_line) if move_review.best != number else []
    before = terms(position)
    after = Position(position.game, position.fen, move)
    replies = 0 if after.is_over or after.legal_moves == ["pass"] else len(after.legal_moves)
    line = " ".join(game.format_move(each) for each in move_review.line[:MAX_SHOWN])
    return Explanation(described(game, move_review), [each.text for each in why], line, replies, before, terms(after))


def terms(position: Position) -> dict[str, str]:
    """Return the static estimate's terms, or a finished game's result, from the first player's point of view."""
    sign = 1 if position.turn == position.players[0] else -1
    if position.is_over:
        return {"result": f"{position.result:+g}"}
    game = position._game
    copy = position._position.copy()
    if NAMED_TERMS in game.evaluators:
        copy.choose_evaluator(NAMED_TERMS)
    return {name: short_score(sign * value, "exact") for name, value in game.explain(copy)}


def described(game: Game, each: MoveReview) -> str:
    """Format a reviewed move as one line, such as ``12. White f4?? -3.5; best d3 1.2: d3 c5 e6``."""
    move = f"{each.number}. {game.players[each.side]} {game.format_move(each.move)}{each.mark}"
    line = " ".join(game.format_move(move) for move in each.best_line[:MAX_SHOWN])
    value, best_value = (
        ("" if each.exact else "about ") + short_score(score) for score in (each.value, each.best_value)
    )
    return f"{move} {value}; best {game.format_move(each.best_line[0])} {best_value}: {line}"
