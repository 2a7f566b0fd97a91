"""The UCI-style protocol for people at a terminal, with bare moves, ``play`` and Tab completion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quietmove.engine.common import VERSION
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import did_you_mean
from quietmove.engine.errors import GameError, NotationError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import game_names
from quietmove.engine.protocol.describe import Command, rules_text
from quietmove.engine.protocol.lines import GO_WORDS
from quietmove.engine.protocol.notation import SQUARE, play_moves, read_position, written_moves
from quietmove.engine.protocol.options import Check, Combo, EvaluatorChoice, FileChoice, GameChoice, Option, UciSettings
from quietmove.engine.protocol.uci import COMMANDS, Uci, error_text, skip_unknown

NO_HINT = "; 'help' lists the commands"


@dataclass(frozen=True, slots=True)
class InteractiveSettings(UciSettings):
    """Settings at a terminal: moves are written in the notation of the drawn board."""

    notation: str = "algebraic"


class Interactive(Uci):
    """The UCI-style protocol as typed by a person: unknown commands are errors instead of being skipped."""

    settings_type = InteractiveSettings
    edited = True
    says_how_to_stop = True
    greeting = f"Quietmove {VERSION}, an Othello engine: 'help' lists the commands, 'quit' exits."

    def handle(self, line: str) -> None:
        words = line.split()
        has_command = words and words[0] in self.commands
        if not words or has_command or skip_unknown(words, self.commands):
            super().handle(line)
        else:
            try:
                self._make_moves(words)
            except QuietmoveError as error:
                self.report(str(error))
            except Exception as error:  # a game written by a user may raise anything
                self.report(f"{words[0]}: {error_text(error)}")

    def end(self) -> None:
        """End the conversation immediately: its reader has left the terminal."""
        self.over = True

    def complete(self, line: str) -> list[str]:
        last = line.rpartition(" ")[2]
        start = line[: len(line) - len(last)]
        try:
            words = following(self, start.split())
        except QuietmoveError:  # an invalid line: the error follows when it is entered
            words = []
        return [start + word for word in words if word.lower().startswith(last.lower())]

    def undo(self, tokens: list[str]) -> None:
        super().undo(tokens)
        self.draw(tokens)

    def rules(self, tokens: list[str]) -> None:
        """Print the rules of the game."""
        self._write(*rules_text(self.session.game))

    def play(self, tokens: list[str]) -> None:
        """Play the best move of the last ``go`` and draw the board.

        :raises GameError: if this position has not been searched.
        :raises BusyError: if a search is running.
        """
        self.session.require_idle()
        position = self.session.position
        if self.found is None or self.found.position is not position or self.found.key != position.key:
            raise GameError("this position has not been searched; use 'go' first")
        position.play(self.found.move)
        self.draw(tokens)

    def _make_moves(self, words: Sequence[str]) -> None:
        """Play the moves on a line without a command, and draw the board. After an error, nothing has changed."""
        session = self.session
        trial = session.position.copy()
        moves = []
        try:
            for move in written_moves(session.game, trial, words):
                trial.play(move)
                moves.append(move)
        except GameError as error:
            hint = did_you_mean(words[0], tuple(self.commands))
            if isinstance(error, NotationError) and not moves and SQUARE.fullmatch(words[0]) and session.game.grid:
                raise NotationError(f"{words[0]!r} is not a square of this board") from None
            if hint or (isinstance(error, NotationError) and not moves):
                raise NotationError(f"no command {words[0]!r}{hint or NO_HINT}") from None
            raise
        session.require_idle()
        for move in moves:
            session.position.play(move)
        self.draw([])


Interactive.commands = COMMANDS | {
    "rules": Command("rules", "show the rules of the game", Interactive.rules, by_hand=True),
    "?": Command("?", "same as help", Interactive.help, by_hand=True),
    "exit": Command("exit", "same as quit", Interactive.quit, by_hand=True),
    "undo": Command("undo", "take back the last move", Interactive.undo, by_hand=True),
    "play": Command("play", "play the best move of the last 'go'; or just type a move", Interactive.play, by_hand=True),
}


def following(dialect: Interactive, before: list[str]) -> Iterable[str]:
    session = dialect.session
    command = before[0] if before else ""
    if command == "setoption":
        return following_setoption(dialect, before[1:])
    if command == "position":
        if "moves" in before:
            return legal_moves(dialect, read_position(session.game, before))
        return ("moves",) if len(before) > 1 else ("startpos", "fen")
    if command == "go":
        return (*GO_WORDS, *(legal_moves(dialect, session.position) if "searchmoves" in before else ()))
    if command in dialect.commands:
        return ()
    position = session.position.copy()
    play_moves(session.game, position, before)
    return (*legal_moves(dialect, position), *(() if before else dialect.commands))


def following_setoption(dialect: Interactive, before: list[str]) -> Iterable[str]:
    if not before:
        return ("name",)
    if "value" in before:
        name = " ".join(before[1 : before.index("value")]).lower()
        return next((values_of(dialect, option) for option in dialect.options if option.name.lower() == name), ())
    given = [word.lower() for word in before[1:]]
    rest = [
        option.name.split()[len(given) :]
        for option in dialect.options
        if option.name.lower().split()[: len(given)] == given
    ]
    return [" ".join(words) or "value" for words in rest]


def values_of(dialect: Interactive, option: Option) -> Iterable[str]:
    if isinstance(option, Check):
        return ("true", "false")
    if isinstance(option, Combo):
        return option.choices
    if isinstance(option, GameChoice):
        return game_names()
    if isinstance(option, FileChoice):
        return ("default",)
    return ("default", *dialect.session.game.evaluators) if isinstance(option, EvaluatorChoice) else ()


def legal_moves(dialect: Interactive, position: Position) -> list[str]:
    return sorted(map(dialect.session.game.format_move, position.legal_moves()))
