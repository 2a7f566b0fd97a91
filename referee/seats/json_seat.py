"""Seat for a player that speaks JSON. A request is a line with all that the player may know; a reply is a line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any

from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Grid, Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.clock import Clock
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer, Turn
from quietmove.referee.seats.process_seat import RESTART, ProcessSeat, debug_hint

NO_SQUARE = {"x": -1, "y": -1}  # Botzone's pass, and its first request to the player who moves first
KEPT = ("data", "globaldata")  # keys whose values in a Botzone bot's reply are sent back to it on its next turn


class JsonSeat(ProcessSeat):
    """A player that speaks JSON. Every non-empty line that it writes is a reply.

    The player cannot report that it is ready, so the clock of its first move starts once it has read the request. Each
    request contains the whole game, so a player needs no memory between turns.
    """

    can_resign = True
    settings = (RESTART,)

    _has_read = False  # whether the process has read a request
    _actions: Mapping[int, str] = MappingProxyType({})  # the legal moves of the last request, by number
    _kept: Mapping[str, Any] = MappingProxyType({})  # the values of KEPT in the last reply of this game

    async def _begin_next_game(self) -> None:
        self._kept = {}

    async def _answers_between_games(self) -> bool:
        return not self.process.is_closed

    async def think(self, turn: Turn) -> Answer:
        self.process.inbox.begin_turn(forget=True)
        started = now()
        self.process.send(self.request_line(turn))
        if not self._has_read:
            self._has_read = await self.process.wait_read(started + self.config.start_timeout_ms / 1000)
            started = now()
        deadline = self._start_clock(turn, started)
        while (line := await self.process.read_line(deadline)) and not line.text.strip():
            pass
        return self._answer(line, self.move_of(line.text) if line else None, started)

    def objection(self, position: Position, answer: Answer, error: GameError | None) -> str:
        if error is None:
            example = get_game(self.game).format_move(min(position.legal_moves()))
            hint = debug_hint(self.config.command)
            return f"which is not a move: must be a line of JSON such as {json.dumps({'move': example})}{hint}"
        return super().objection(position, answer, error)

    def request_line(self, turn: Turn) -> str:
        """Return the line that requests a move."""
        limit, clock = self.config.limit, turn.clocks[self.color]
        limits = {"depth": limit.depth, "nodes": limit.nodes, "movetime_ms": limit.movetime_ms}
        message = request(self.game, turn)
        self._actions = dict(zip(message["legalActions"], message["legal_moves"], strict=True))
        message |= {
            "color": self.color,
            "limit": {name: value for name, value in limits.items() if value is not None},
            "clocks": {color: _times(each) for color, each in turn.clocks.items()},
            "remainingOverageTime": None if clock.limit_ms is None else clock.limit_ms / 1000,
        }
        return json.dumps({**message, **self._kept}, separators=(",", ":"))

    def move_of(self, line: str) -> str | None:
        """Return the move in a reply, in the game's notation, or None if the reply contains no move."""
        move, reply = read_answer(line, self._actions)
        self._kept = {key: reply[key] for key in KEPT if key in reply}
        return move


def _times(clock: Clock) -> dict[str, int | None]:
    """Return the state of a clock. An expired clock is sent as 1 ms, because its margin is still running."""
    left = None if clock.remaining_ms is None else int(max(1.0, clock.remaining_ms))
    return {"left_ms": left, "increment_ms": clock.control.increment_ms, "moves_to_go": clock.movestogo}


def request(name: str, turn: Turn) -> dict[str, Any]:
    """Return the request for a turn in the game called ``name``, without the clock.

    The referee's guide lists the keys.
    """
    game = get_game(name)
    fields = turn.start if turn.view is None else turn.view
    position = game.parse_position(fields.split()) if fields else game.initial()
    for move in turn.moves if turn.view is None else ():
        position.play(game.parse_move(position, move))
    actions = sorted(position.legal_moves())
    player = position.side_to_move
    squares = game.squares(position)
    legal = list(map(game.format_move, actions))
    return {
        "game": name,
        "board": squares and [0 if piece == "-" else 1 + game.owner(piece) for piece in squares],
        "columns": game.board_columns,
        "position": game.format_position(position),
        "start": turn.start or None,
        "moves": turn.moves,
        "legal_moves": legal,
        # Kaggle's keys, used by its OpenSpiel games and Connect X
        "observationString": game.draw(position),
        "legalActions": actions,
        "legalActionStrings": legal,
        "currentPlayer": player,
        "playerId": player,
        "isTerminal": False,
        "mark": player + 1,
        "step": len(turn.moves),
        **botzone_request(game.grid, turn.moves),
    }


def botzone_request(grid: Grid | None, moves: Sequence[str]) -> dict[str, Any]:
    """Return the opponent's and the player's moves in Botzone's format, or {} for a game without squares."""
    if grid is None or grid.rows is None:
        return {}
    places = [NO_SQUARE if move == "pass" else {"x": ord(move[0]) - ord("a"), "y": int(move[1:]) - 1} for move in moves]
    first = [] if len(places) % 2 else [NO_SQUARE]
    return {"requests": first + places[1 - len(places) % 2 :: 2], "responses": places[len(places) % 2 :: 2]}


def read_answer(line: str, actions: Mapping[int, str]) -> tuple[str | None, dict[str, Any]]:
    """Parse a reply; return its move, in the game's notation, and the whole reply as a dictionary.

    A move is ``{"move": "d3"}``; or ``{"submission": 19}`` or a bare number, which is a Kaggle action; or Botzone's
    ``{"response": {"x": 3, "y": 2}}``. The move is None if the line has none of these forms.

    :param actions: the legal moves, by number.
    """
    try:
        reply = parse_json(line, finite=False)
    except ValueError:
        return None, {}
    reply = {"submission": reply} if type(reply) is int else reply
    match reply:
        case {"move": str(text)}:
            return text.strip(), reply
        case {"submission": int(action)} if type(action) is int:
            return actions.get(action, f"action {action}"), reply
        case {"response": {"x": -1, "y": -1}}:
            return "pass", reply
        case {"response": {"x": int(x), "y": int(y)}} if 0 <= x < len(ascii_lowercase) and y >= 0:
            return f"{ascii_lowercase[x]}{y + 1}", reply
    return None, reply if isinstance(reply, dict) else {}
