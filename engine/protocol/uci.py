"""The UCI-style protocol described in ``protocol.md``.

Lines are read in the main thread and searches run in the session's thread, so that commands are handled during a
search. A failed command changes nothing and is answered with one ``info string error: …`` line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from quietmove.engine.common import VERSION
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import BusyError, GameError, ThreadError
from quietmove.engine.games.base import MAX_PLY, Game, Position
from quietmove.engine.protocol.describe import Command, describe_result, describe_terms, list_of_commands, wrapped
from quietmove.engine.protocol.dialect import Dialect, set_option
from quietmove.engine.protocol.lines import (
    CLOCKS,
    GO_FLAGS,
    GO_NUMBERS,
    BestMove,
    format_bestmove,
    format_info,
    parse_go,
)
from quietmove.engine.protocol.notation import (
    NOTATIONS,
    Coordinates,
    both_notations,
    play_moves,
    read_moves,
    read_position,
)
from quietmove.engine.protocol.options import OPTIONS, DialectSettings, Option, UciSettings
from quietmove.engine.protocol.wire import LINE_LIMIT
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value
from quietmove.engine.values import Info, Limits, SearchResult

TRACE_PREFIX = "info string trace "


def describe_event(event: Event, game: Game, spell: Callable[[int], str]) -> dict[str, Any]:
    """Return a search event as a JSON object.

    :param spell: converts a move to text.
    """
    fields: dict[str, Any]
    match event:
        case Enter():
            move = None if event.move is None else spell(event.move)
            fields = {"move": move, "side": game.sides[event.side], "depth": event.depth}
            fields |= {"alpha": event.alpha, "beta": event.beta}
        case Bounds():
            fields = {"move": spell(event.move), "alpha": event.alpha, "beta": event.beta}
        case Cutoff():
            untried = [spell(move) for move in event.untried]
            fields = {"move": spell(event.move), "value": event.value, "beta": event.beta}
            fields |= {"untried": untried, "saved": event.saved}
        case Value():
            fields = {"value": event.value, "bound": event.bound, "source": event.source}
    return {"event": type(event).__name__.lower(), "ply": event.ply, **fields}


def format_event(event: Event, game: Game, spell: Callable[[int], str]) -> str:
    """Return a search event as an output line, without the newline."""
    import json  # imported on demand: only traced searches write JSON

    return TRACE_PREFIX + json.dumps(describe_event(event, game, spell))


NO_MOVE = format_bestmove(BestMove("none"))
ERROR_LENGTH = 400  # maximum length of an error message in characters: it may quote a token of any length


@dataclass(frozen=True, slots=True)
class Found:
    """The result of the last ``go``: the position searched, its key at that time, and the best move."""

    position: Position
    key: int
    move: int


@dataclass(frozen=True, slots=True)
class SetUp:
    """The last ``position`` command: its tokens, and the resulting position, with its ply and key at that time.

    Every client that plays a game sends all its moves each time. Parsing only the new ones takes 4 instead of 50
    microseconds, a third of what a move with ``go depth 1`` takes.
    """

    tokens: list[str]
    position: Position
    ply: int
    key: int

    def is_continued(self, tokens: list[str], position: Position) -> bool:
        """Return whether ``tokens`` only add moves to this command, and ``position`` has not changed since."""
        known = len(self.tokens)
        if position is not self.position or (position.ply, position.key) != (self.ply, self.key):
            return False
        return tokens[:known] == self.tokens and (tokens[known : known + 1] == ["moves"]) != ("moves" in self.tokens)


class Uci(Dialect):
    """The UCI-style protocol for programs, which skips unknown words.

    :cvar commands: the commands by name.
    :cvar names_ponder_move: whether ``bestmove`` includes the expected reply.
    :cvar says_how_to_stop: whether a search without a limit begins with a note on how to end it.
    :ivar found: the result of the last ``go``, or None if it returned no move.
    """

    commands: ClassVar[Mapping[str, Command]]
    found: Found | None = None
    _set_up: SetUp | None = None
    _last_report: Info[int] | None = None  # the search's last report on its best line
    settings_type: ClassVar[type[DialectSettings]] = UciSettings
    options: ClassVar[tuple[Option, ...]] = OPTIONS
    names_ponder_move: ClassVar[bool] = True
    says_how_to_stop: ClassVar[bool] = False

    @classmethod
    def knows(cls, word: str) -> bool:
        return word in cls.commands

    @property
    def coordinates(self) -> Coordinates:
        return NOTATIONS[str(self.settings.get("notation"))]

    def skip_long_line(self) -> None:
        self.report(f"a line of more than {LINE_LIMIT} bytes was skipped")

    def handle(self, line: str) -> None:
        tokens = line.split()
        if not tokens or tokens[0] not in self.commands:
            tokens = skip_unknown(tokens, self.commands)
        if not tokens:
            return
        command = self.commands[tokens[0]]
        try:
            if command.by_hand and len(tokens) > 1:
                hint = "; use 'position ... moves M' to play moves" if tokens[0] == "moves" else ""
                raise QuietmoveError(f"takes no arguments, got {tokens[1]!r}{hint}")
            command.run(self, tokens)
        except Exception as error:  # a user's game may raise anything; the conversation continues
            self.report(f"{tokens[0]}: {error_text(error)}")

    def report(self, message: str) -> None:
        self._write(error_line(message))

    def identify(self, tokens: list[str]) -> None:
        """Send the engine's name and options."""
        options = (option.declare() for option in self.options)
        self._write(f"id name Quietmove {VERSION}", "id author the Quietmove authors", *options, f"{tokens[0]}ok")

    def answer_ready(self, tokens: list[str]) -> None:
        """Reply immediately during a search; otherwise load everything a search needs first."""
        try:
            self.session.get_ready(lambda: self._write("readyok"))
        except (BusyError, ThreadError):
            self._write("readyok")

    def new_game(self, tokens: list[str]) -> None:
        """Start a new game: set up the initial position, clear the table, and load what a search needs."""
        self.session.new_game()

    def set_option(self, tokens: list[str]) -> None:
        """Set an option: ``setoption name N [value V]``."""
        file = self.session.options.settings.evaluation_file
        set_option(self, tokens, self.options)
        if self.session.options.settings.evaluation_file not in ("", file):  # the file determines the evaluator
            self._write(f"info string note: Evaluation is {self.session.evaluator}")

    def set_position(self, tokens: list[str]) -> None:
        """Set up a position, or leave the current one unchanged if the line is invalid.

        Clients resend the game with each move, so if the line only adds moves to the last one, only these are parsed.
        """
        session, last = self.session, self._set_up
        session.require_idle()
        if last is None or not self._continue(last, tokens):
            session.set_up(read_position(session.game, tokens))
        self._set_up = SetUp(tokens, session.position, session.position.ply, session.position.key)

    def _continue(self, last: SetUp, tokens: list[str]) -> bool:
        """Play the moves that a line adds to the last ``position`` line; return False if that fails.

        In that case the caller parses the whole line: it is a different game, or the error message must give the
        number of a move in the whole game.
        """
        game = self.session.game
        position = self.session.position
        known = len(last.tokens)
        if not last.is_continued(tokens, position):
            return False
        with suppress(GameError):
            play_moves(game, position, tokens[known + (tokens[known : known + 1] == ["moves"]) :])
            return True
        return False

    def go(self, tokens: list[str]) -> None:
        """Search, or count leaves. Errors are also followed by a ``bestmove`` line, since the client waits for one."""
        session = self.session
        session.require_idle()  # a running search sends its own bestmove
        try:
            side = session.position.next_player
            read = partial(read_moves, session.game, session.position)
            limits, note = use_known_clock(parse_go(tokens[1:], side, read), side)
            if limits.goal == "perft":
                failed = partial(self._on_error, self._write)
                session.perft(min(limits.depth or 0, MAX_PLY), self._on_leaves, self._on_total, failed)
                return
            if note:
                self._write(f"info string note: {note}")
            if self.says_how_to_stop and not limits.is_limited:
                self._write("info string note: enter 'stop' to end this search")
            in_this_thread = session.is_short(limits)
            self._last_report = None
            lines: list[str] = []  # the output of a search in this thread, written together at the end
            tell = (lambda *new: lines.extend(new)) if in_this_thread else self._write
            session.go(
                limits,
                partial(self._on_info, tell),
                partial(self._on_result, tell),
                partial(self._on_error, tell),
                self._on_event,
                in_this_thread=in_this_thread,
            )
            if lines:
                self._write(*lines)
        except Exception as error:
            self._on_error(self._write, error)
            self._write(NO_MOVE)

    def stop(self, tokens: list[str]) -> None:
        """Stop the search, which then sends its best move."""
        self.session.stop()

    def ponderhit(self, tokens: list[str]) -> None:
        """Notify the search that the expected move was played."""
        self.session.ponderhit()

    def draw(self, tokens: list[str]) -> None:
        """Print the board and a command that sets it up again."""
        game, position = self.session.game, self.session.position
        self._write(*game.draw(position).splitlines(), f"  position fen {game.format_position(position)}")

    def list_moves(self, tokens: list[str]) -> None:
        """Print the legal moves, as letters and as numbers, or the result if the game is over."""
        game, position = self.session.game, self.session.position
        moves = position.legal_moves()
        text = f"{len(moves)} legal: {both_notations(game, moves)}" if moves else describe_result(game, position)
        self._write(text)

    def explain(self, tokens: list[str]) -> None:
        """Print the evaluation terms and their total, or the result if the game is over."""
        game, position = self.session.game, self.session.position
        self._write(*([describe_result(game, position)] if position.is_over() else describe_terms(game, position)))

    def key(self, tokens: list[str]) -> None:
        """Print the position's key in the transposition table."""
        self._write(f"  {self.session.position.key:016x}")

    def undo(self, tokens: list[str]) -> None:
        """Take back the last move."""
        self.session.undo()

    def help(self, tokens: list[str]) -> None:
        """Print the commands and the parameters of ``go``."""
        words = " ".join((*(f"{name} N" for name in GO_NUMBERS), *GO_FLAGS, "searchmoves M ..."))
        self._write(*list_of_commands(self.commands.values()), *wrapped(f"Parameters of go: {words}", "  ", "    "))

    def quit(self, tokens: list[str]) -> None:
        """End the conversation."""
        self.over = True

    def _on_info(self, tell: Callable[..., None], info: Info[int]) -> None:
        if info.rank == 1:
            self._last_report = info
        source = [f"info string book: {info.book_moves} moves known"] if info.book_moves else []
        tell(*source, format_info(info.with_moves(self.spell)))

    def _on_result(self, tell: Callable[..., None], result: SearchResult) -> None:
        """Print the result of ``go`` and save it for ``play``.

        If more nodes were searched after the last report, as in an iteration that was cut off, repeat the report with
        the final number of nodes.
        """
        position = self.session.position
        self.found = None if result.move is None else Found(position, position.key, result.move)
        try:
            move = "none" if result.move is None else self.spell(result.move)
            ponder = None if result.ponder is None or not self.names_ponder_move else self.spell(result.ponder)
        except Exception as error:  # a user's game may fail to format its move
            tell(error_line(f"go: {error_text(error)}"), NO_MOVE)
        else:
            last = self._last_report
            final = last and last.at_the_end(result)
            if last and final and (final.nodes or 0) > (last.nodes or 0):
                tell(format_info(final.with_moves(self.spell)))
            tell(format_bestmove(BestMove(move, ponder)))

    def _on_event(self, event: Event) -> None:
        self._write(format_event(event, self.session.game, self.spell))

    def _on_leaves(self, move: int, count: int) -> None:
        self._write(f"{self.spell(move)}: {count}")

    def _on_total(self, total: int | None) -> None:
        self._write("info string perft stopped" if total is None else f"Nodes searched: {total}")

    def _on_error(self, tell: Callable[..., None], error: Exception) -> None:
        tell(error_line(f"go: {error_text(error)}"))


COMMANDS = {
    "uci": Command("uci", "print name, author and options, then uciok", Uci.identify),
    "isready": Command("isready", "reply readyok when ready", Uci.answer_ready),
    "ucinewgame": Command("ucinewgame", "start a new game: initial position, empty table", Uci.new_game),
    "setoption": Command("setoption name N value V", "set an option; 'uci' lists them", Uci.set_option),
    "position": Command("position startpos|fen ... [moves ...]", "set up a position and play moves", Uci.set_position),
    "go": Command("go ...", "search and print bestmove; 'go perft N' counts leaves", Uci.go),
    "stop": Command("stop", "stop the search, which then prints bestmove", Uci.stop),
    "ponderhit": Command("ponderhit", "the expected move was played", Uci.ponderhit),
    "d": Command("d", "draw the board", Uci.draw, by_hand=True),
    "moves": Command("moves", "list the legal moves in both notations", Uci.list_moves, by_hand=True),
    "eval": Command("eval", "show the terms of the evaluation", Uci.explain, by_hand=True),
    "key": Command("key", "show the position's 64-bit key in the transposition table", Uci.key, by_hand=True),
    "undo": Command("undo", "take back the last move", Uci.undo, by_hand=True),
    "help": Command("help", "show this list", Uci.help, by_hand=True),
    "quit": Command("quit", "exit; so does the end of input", Uci.quit),
}

Uci.commands = COMMANDS


def error_line(message: str) -> str:
    """Format an error line, limited in length."""
    text = " ".join(message.split())
    return "info string error: " + (text if len(text) <= ERROR_LENGTH else text[:ERROR_LENGTH] + "...")


def error_text(error: Exception) -> str:
    """Return an error's message, preceded by its class unless it is a :class:`QuietmoveError`."""
    return str(error) if isinstance(error, QuietmoveError) else f"{type(error).__name__}: {error}"


def skip_unknown(words: Sequence[str], commands: Mapping[str, Command]) -> list[str]:
    """Return the words from the first protocol command on, or [] if there is none."""
    for index, word in enumerate(words):
        if word in commands and not commands[word].by_hand:
            return list(words[index:])
    return []


def use_known_clock(limits: Limits, side_to_move: int) -> tuple[Limits, str]:
    """Use the opponent's clock if it is the only limit; return the limits, and a note for the user, usually empty."""
    has_limit = limits.depth or limits.nodes or limits.movetime is not None or limits.infinite
    if has_limit or limits.time is not None or limits.opponent_time is None:
        return limits, ""
    limits = replace(limits, time=limits.opponent_time, increment=limits.opponent_increment)
    color = ("Black", "White")[side_to_move]
    return limits, f"{color} is to move but {CLOCKS[side_to_move][0]} is missing; using {CLOCKS[1 - side_to_move][0]}"
