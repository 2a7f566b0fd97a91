"""Seat for a program of the Othello project.

The referee sends line one, which contains the program's colour and limits; then the players only exchange moves.

As for the course's own referee, every line is a move, except for empty lines and comments, which start with ``#``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import PROGRAMS, Numbers, without_comment
from quietmove.referee.config.model import COLOR_PLACE, Color, EngineConfig, split_opening
from quietmove.referee.config.validation import Setting
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer, Failure, Turn
from quietmove.referee.seats.process_seat import ProcessSeat, debug_hint, other_reading


class ProjectSeat(ProcessSeat):
    """A program of the Othello project. Its lines are read in order, so an early line counts as the next answer.

    The program cannot report that it is ready. It counts as started once it has read line one, which both colours
    receive before the game. Black can think from then on, so its clock starts; without line one, with the process.
    """

    settings = (
        Setting(
            "coordinates",
            "slide",
            "column and row; slide: 1-8, row from the bottom; zero: 0-7, row from the top",
            tuple(PROGRAMS),
        ),
        Setting("unit", "s", "the unit of the times in line one; seconds may have decimals", ("s", "ms")),
        Setting(
            "line",
            "one",
            f"one: line one tells the program its colour and limits; none: the program only exchanges moves, and "
            f"{COLOR_PLACE} in its command becomes B or W",
            ("one", "none"),
        ),
        Setting(
            "openings",
            "none",
            "line: games can start with opening moves, the sixth field of line one, such as f5d6c3; none: they start "
            "at the initial position",
            ("none", "line"),
        ),
    )

    whole_games = True
    only_othello = True

    passing = "write 'pass'"

    _has_moved = False  # whether the program has already moved in this game
    _started_at = 0.0  # the time at which it read line one or, without one, was started

    def __init__(self, config: EngineConfig, game: str) -> None:
        super().__init__(config, game)
        self.coordinates: Numbers = PROGRAMS[str(self.setting("coordinates"))]

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        yield from super().problems(config)
        limit = config.limit
        if limit.nodes is not None or limit.increment_ms or limit.moves is not None:
            yield f"limit: must be depth=N, movetime=MILLISECONDS or tc=SECONDS for protocol=project, not {limit}"
        if cls.setting_of(config, "line") == "none":
            command = " ".join(config.command)
            if command and COLOR_PLACE not in command:
                yield f"command: must contain {COLOR_PLACE} with line=none, which becomes B or W, not {command}"
            if cls.setting_of(config, "openings") == "line":
                yield "openings: must be none with line=none, because openings are sent in line one"

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        yield from super().game_problems(game, opening)
        if game == "othello" and opening:
            yield f"opening: must be empty with protocol=project, not {' '.join(opening)}"

    @classmethod
    def game_problems_for(cls, config: EngineConfig, game: str, opening: Sequence[str]) -> Iterator[str]:
        if game != "othello" or cls.setting_of(config, "openings") == "none":
            yield from cls.game_problems(game, opening)
        elif split_opening(opening)[0] or "pass" in opening:
            yield f"opening: must be moves without a pass with protocol=project, not {' '.join(opening)}"

    async def launch(self) -> Failure | None:
        words = (word.replace(COLOR_PLACE, self.color[0].upper()) for word in self.config.command)
        self.config = replace(self.config, command=tuple(words))
        return await super().launch()

    async def _begin_first_game(self) -> Failure | None:
        if self.setting("line") == "none":
            self._started_at = now()
            return None
        self.process.send(self.line_one(self.color, self.opening))
        in_time = await self.process.wait_read(now() + self.config.start_timeout_ms / 1000)
        self._started_at = now()
        if self.process.is_closed and not self.process.inbox.has_lines:
            return Failure("crash", await self.process.describe_end(" before its first move"))
        if not in_time:
            return Failure("stall", f"did not read line one within {self.config.start_timeout_ms} ms")
        return None

    async def think(self, turn: Turn) -> Answer:
        self.process.inbox.begin_turn(forget=False)
        started = self._started_at
        if len(turn.moves) > len(self.opening):
            started = now()
            self.process.send(self.to_wire(turn.moves[-1]))
        self._has_moved = len(turn.moves) > len(self.opening) + 1
        deadline = self._start_clock(turn, started)
        while (line := await self.process.read_line(deadline)) and not without_comment(line.text):
            pass
        return self._answer(line, self.from_wire(line.text) if line else None, started)

    def line_one(self, color: Color, opening: Sequence[str] = ()) -> str:
        """Return the line that gives the program its colour and limits."""
        limit = self.config.limit
        unit_ms = 1000 if self.setting("unit") == "s" else 1
        times = ((milliseconds or 0) / unit_ms for milliseconds in (limit.movetime_ms, limit.base_ms))
        move_limit, game_limit = (f"{time:.3f}".rstrip("0").rstrip(".") for time in times)
        words = ["game", color[0].upper(), limit.depth or 0, move_limit, game_limit, "".join(opening)]
        return " ".join(map(str, words)).rstrip()

    def objection(self, position: Position, answer: Answer, error: GameError | None) -> str:
        """Return the reason why an answer is not played.

        For a first move, the text also names other coordinates, or the other colour, for which the move would be legal.
        After a legal move, such a match would be a coincidence.
        """
        assert self.grid is not None, "the game of such programs is Othello"
        game = get_game(self.game)
        text = without_comment(answer.line or "")
        legal = [game.format_move(move) for move in sorted(position.legal_moves())]
        if self.must_pass(position):
            return super().objection(position, answer, error)
        hint = self._other_spelling(text, legal)
        if not hint and not self._has_moved:
            hint = self._other_program(text, legal) or other_reading(self.coordinates, self.grid, text, legal)
            hint = hint or self._other_color(game, position, text)
        if error is None:
            example = f"such as {self.to_wire(legal[0])!r}, or 'pass'"
            wrong = f"which is not a move: must be {self.coordinates.describe(self.grid)}, {example}"
            hint = hint or (debug_hint(self.config.command) if any(map(str.isalpha, text)) else "")
        else:
            wrong = super().objection(position, answer, error)
        return wrong + hint

    def _other_color(self, game: Game, position: Position, text: str) -> str:
        """Return a hint if the move would be legal for the opponent, else ""."""
        *squares, side = game.format_position(position).split()
        other = game.sides[1 - game.sides.index(side)]
        with suppress(GameError):
            game.parse_move(game.parse_position([*squares, other]), self.from_wire(text) or text)
            return f"; it would be legal for {'White' if self.color == 'black' else 'Black'}: are the colours swapped?"
        return ""

    def _other_spelling(self, text: str, legal: Sequence[str]) -> str:
        """Return a hint if the line is a legal move written as ``d3`` or holds the numbers of one, otherwise ""."""
        if text.lower() in legal:
            return f"; it would be legal as {self.to_wire(text.lower())!r}, numbers instead of a letter and a number"
        numbers = " ".join(re.findall(r"\d+", text))
        return (
            f"; it would be legal as {numbers!r} alone" if numbers != text and self.from_wire(numbers) in legal else ""
        )

    def _other_program(self, text: str, legal: Sequence[str]) -> str:
        """Return a hint if the line is a legal move in other coordinates of the Othello project, otherwise ""."""
        names = [name for name, each in PROGRAMS.items() if each.read(self.grid, text) in legal]
        return f"; it would be legal with coordinates={names[0]}" if names else ""

    def to_wire(self, move: str) -> str:
        return self.coordinates.write(self.grid, move)

    def from_wire(self, text: str) -> str | None:
        """Return the canonical text of a line's move, or None if it is not a move in this player's coordinates."""
        text = without_comment(text)
        return "pass" if text.lower() == "pass" else self.coordinates.read(self.grid, text)
