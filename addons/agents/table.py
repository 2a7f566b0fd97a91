"""A game in progress as arrays: code shared by the PettingZoo and Gymnasium environments."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from copy import copy, deepcopy
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from quietmove.addons.agents.picture import board_png
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.common.origin import install_command
from quietmove.engine.errors import GameError, IllegalMoveError, PositionError, UnknownGameError, require_text
from quietmove.engine.games.base import NATURE
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.pictures import last_marks

PICTURE_MODES = ("ansi", "rgb_array")  # render returns the board as text or as pixels
RENDER_MODES = ("human", *PICTURE_MODES)  # human: each reset and step prints the board
ILLEGAL_REWARD = -1.0
MAX_TEXT = 4096  # maximum length of a position observed as text, in characters
LARGEST = 127  # maximum value in an observation

TEST_OPTION = "options"  # PettingZoo's API tests reset each environment with options={"options": 1}

Observation = dict[str, Any]  # "observation" and "action_mask", arrays of int8


class Table:
    """A game of any kind. Chance moves, such as dice rolls, are drawn according to their weights.

    :param game: a name from :func:`quietmove.games`, with the game's parameters.
    :ivar position: the current position.
    :ivar moves: the moves made, including chance moves, in the game's notation.
    :ivar start: the starting position in the game's notation, or "" for the game's initial position.
    :raises UnknownGameError: if there is no such game.
    """

    def __init__(self, game: str) -> None:
        require_text("game", game, UnknownGameError)
        self.game = get_game(game)
        self._actions = self.game.actions
        self._chance = random.Random()
        self.begin(None, {})
        self.action_space = Discrete(len(self._actions))
        self.observation_space = Dict(
            {
                "observation": Box(0, LARGEST, self.planes(0).shape, np.int8),
                "action_mask": Box(0, 1, (len(self._actions),), np.int8),
            }
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        other = copy(self)
        other.position = self.position.copy()
        other._chance = deepcopy(self._chance, memo)
        other.moves, other._numbers = self.moves[:], self._numbers[:]
        return other

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Start a game.

        :param seed: the seed for all random choices, including deals, or None to continue the current random sequence.
        :param options: see :func:`starting_fen`.
        :raises PositionError: if the position is invalid.
        :raises ArgumentError: if there is an unknown option.
        """
        start = starting_fen(options)
        position = self.game.parse_position(start.split()) if start else None
        if seed is not None:
            self._chance.seed(seed)
        self.start = start
        self.position = position or self.game.begin(self._chance.getrandbits(31))
        self.moves: list[str] = []
        self._numbers: list[int] = []
        self._let_nature_move()

    def play(self, action: Any) -> None:
        """Make a move, and the chance moves after it.

        :raises ArgumentError: if the action is not a number; the state is unchanged.
        :raises IllegalMoveError: if the move is illegal; the state is unchanged.
        """
        try:
            number = int(action)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(f"action: must be the number of a move, not {action!r}") from None
        legal = self._legal_actions()
        if number not in legal:
            allowed = f"must be one of {legal}, not {number}" if legal else "the game is over"
            raise IllegalMoveError(f"action: {allowed}")
        self.make(self._actions[number])

    def make(self, move: int) -> None:
        """Make a legal move, given as the game's own number, and the chance moves after it."""
        self._advance(move)
        self._let_nature_move()

    def _let_nature_move(self) -> None:
        while self.position.side_to_move == NATURE and (outcomes := self.position.outcomes()):
            moves, weights = zip(*outcomes, strict=True)
            (move,) = self._chance.choices(moves, weights)
            self._advance(move)

    def _advance(self, move: int) -> None:
        self.position.play(move)
        self.moves.append(self.game.format_move(move))
        self._numbers.append(move)

    @property
    def rewards(self) -> tuple[float, float]:
        """The final rewards of the two players: 1 for a win, -1 for a loss, 0 for a draw."""
        score = self.position.result()
        won = float((score > 0) - (score < 0))
        return won, -won

    def observe(self, side: int) -> Observation:
        """Return player ``side``'s observation, with a mask of the legal moves, which is all zeros out of turn."""
        mask = np.zeros(len(self._actions), np.int8)
        if self.position.side_to_move == side:
            mask[self._legal_actions()] = 1
        return {"observation": self.planes(side), "action_mask": mask}

    def _legal_actions(self) -> list[int]:
        return [self._actions.index(move) for move in self.position.legal_moves()]

    def planes(self, side: int) -> Any:
        """Return the position as player ``side`` knows it: an array of shape (rows, columns, planes), or text.

        A text is an array of :data:`MAX_TEXT` ASCII codes, padded with 0; other characters become ``?``.

        :raises GameError: if the text is longer.
        """
        if isinstance(self.position, OthelloPosition):
            black, white = self.position.black, self.position.white
            return othello_planes(np.array((white, black) if side else (black, white), np.uint64), self.position.size)
        if (encoded := self.game.planes(self.position, side)) is not None:
            columns, planes = encoded
            return np.array(planes, np.int8).reshape(len(planes), -1, columns).transpose(1, 2, 0)
        game = self.game
        shown = game.view(self.position, side) if isinstance(game, HiddenCards) else game.format_position(self.position)
        text = shown.encode("ascii", "replace")
        if len(text) > MAX_TEXT:
            raise GameError(
                f"game {self.game.name}: must have squares, or positions whose text has at most {MAX_TEXT} "
                f"characters, not {len(text)}"
            )
        return np.frombuffer(text.ljust(MAX_TEXT, b"\0"), np.int8).copy()

    def render(self, mode: str | None) -> Any:
        """Return the position as text or as pixels of shape (height, width, 3), or print it in ``human`` mode."""
        if mode is None:
            return None
        if mode == "human":
            sys.stdout.write(f"{self.game.draw(self.position)}\n\n")
            sys.stdout.flush()
            return None
        if mode == "ansi":
            return f"{self.game.draw(self.position)}\n"
        from PIL import Image  # importing Pillow takes a tenth of a second

        png = board_png(self.game, self.position, last_marks(self.game, self.position, self._numbers))
        return np.asarray(Image.open(BytesIO(png)).convert("RGB"))


def othello_planes(discs: Any, size: int) -> Any:
    """Convert two 64-bit sets, own and opponent's discs, to planes of shape (size, size, 2)."""
    around = (8 - size) // 2
    board = np.unpackbits(discs.astype("<u8").view(np.uint8), bitorder="little").reshape(2, 8, 8)
    return board[:, around : around + size, around : around + size].transpose(1, 2, 0).astype(np.int8)


def starting_fen(options: dict[str, Any] | None) -> str:
    """Return the option ``fen`` of a reset: the starting position as text, or "" for the initial position.

    :raises ArgumentError: if there is another option.
    :raises PositionError: if ``fen`` is not a string.
    """
    given = {name: value for name, value in (options or {}).items() if name != TEST_OPTION}
    if given.keys() - {"fen"}:
        raise ArgumentError(f"options: must be {{'fen': …}} or None, not {options!r}")
    fen = given.get("fen", "")
    require_text("fen", fen, PositionError)
    return str(fen)


def check_render_mode(mode: str | None, modes: Sequence[str] = RENDER_MODES) -> str | None:
    """Return ``mode`` unchanged if it is supported.

    :raises ArgumentError: if it is not among ``modes``.
    :raises ImportError: if a library that draws pictures is missing.
    """
    if mode is not None and mode not in modes:
        raise ArgumentError(f"render_mode: must be None, {', '.join(modes[:-1])} or {modes[-1]}, not {mode!r}")
    for library in ("PIL", "resvg_py") if mode == "rgb_array" else ():
        if find_spec(library) is None:
            needs = f"render_mode 'rgb_array' needs {library}: {install_command('environments')}"
            raise ImportError(needs, name=library)
    return mode
