"""GTP, the Go Text Protocol, version 2, as Othello programs use it: moves are ``d3`` (row 1 at the top) or ``pass``.

Each reply starts with ``=`` or ``?`` and the command's number, if any, and ends with an empty line. Commands that
arrive during a search are queued. GoGui's rules extension (``gogui-rules_…``) lets a controller play a game whose
rules it does not know.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from quietmove.engine.common import VERSION
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import milliseconds
from quietmove.engine.errors import GameError, ThreadError
from quietmove.engine.games.base import MAX_PLY
from quietmove.engine.protocol.dialect import DEFAULT_DEPTH, QueuedDialect
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.protocol.options import (
    OPTIONS,
    DialectSettings,
    Spin,
    Time,
    apply_option,
    find_option,
    parse_decimal,
)
from quietmove.engine.values import Limits, SearchResult


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The clock of one side.

    :param milliseconds: the time left for the next ``moves`` moves, or for the rest of the game if ``moves`` is 0.
    """

    milliseconds: int
    moves: int = 0


class GtpClocks:
    """The clocks of both sides, as last set by the controller."""

    def __init__(self) -> None:
        self._periods: tuple[TimeLeft, TimeLeft] | None = None  # main time and overtime period from time_settings
        self._left: dict[int, TimeLeft] = {}

    def reset(self) -> None:
        """Restart the clocks for a new game."""
        self._left.clear()

    def set(self, main: int, period: int, moves: int) -> None:
        """Set the main time and overtime period in milliseconds. A nonzero period with 0 moves means no limit."""
        unlimited = period > 0 and moves == 0
        self._periods = None if unlimited else (TimeLeft(main), TimeLeft(period, moves))
        self._left.clear()

    def tell(self, side: int, milliseconds: int, moves: int) -> None:
        """Set the time left for ``side``."""
        self._left[side] = TimeLeft(milliseconds, moves)

    def left(self, side: int) -> TimeLeft | None:
        """Return the time left for ``side``, or None if there is no limit."""
        if self._periods is None:
            return self._left.get(side)
        main, period = self._periods
        left = self._left.setdefault(side, main)
        if left.milliseconds <= 0 and left.moves == 0 and period.moves:
            left = self._left[side] = period
        return left

    def spend(self, side: int, milliseconds: int) -> None:
        """Deduct a move's time from the clock of ``side``, in case the controller does not send ``time_left``."""
        left = self.left(side)
        if left is None:
            return
        moves = max(0, left.moves - 1)
        if left.moves == 1 and self._periods is not None:
            self._left[side] = self._periods[1]
        else:
            self._left[side] = TimeLeft(max(0, left.milliseconds - milliseconds), moves)


RESERVE = 50  # milliseconds of the clock reserved for communication delays
ANALYZE_COMMANDS = (  # shown in GoGui's analyze menu
    "string/Evaluation/quietmove-evaluate",
    "plist/Legal moves/gogui-rules_legal_moves",
    "move/Recommended move/reg_genmove %c",
)
ANY_WORDS = "..."  # any number of arguments
COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
MAX_SHOWN = 60  # maximum length of a word quoted in an error
SIZE = 8
NAMES = ("Black", "White")

INTERRUPT = "# interrupt"  # a comment with which GoGui requests an immediate move


class CommandError(QuietmoveError):
    """A failed command. The message is sent after ``?``."""


def read_color(word: str) -> int:
    """Parse a colour and return the side.

    :raises CommandError: if it is not a colour.
    """
    if word.lower() not in COLORS:
        raise CommandError(f"colour: must be black or white, not {word[:MAX_SHOWN]!r}")
    return COLORS[word.lower()]


def read_time(word: str) -> int:
    """Parse a number of seconds, possibly with decimals, and return milliseconds.

    :raises CommandError: if it is not a non-negative number.
    """
    seconds = parse_decimal(word)
    if seconds is None:
        raise CommandError(f"must be a non-negative number of seconds, not {word[:MAX_SHOWN]!r}")
    return int(1000 * seconds)


def read_count(word: str) -> int:
    """Parse a number of moves.

    :raises CommandError: if it is not a whole number of at least 0.
    """
    count = parse_integer(word)
    if count is None or count < 0:
        raise CommandError(f"must be a whole number of at least 0, not {word[:MAX_SHOWN]!r}")
    return count


@dataclass(frozen=True, slots=True)
class GtpSettings(DialectSettings):
    """Settings from the command line: limits for each move, in addition to the controller's clock.

    :param move_time: the time for a move, with a unit or in milliseconds.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: str | None = None


class Gtp(QueuedDialect):
    """A conversation with a controller. Each command has a method that takes its arguments and returns the reply."""

    settings_type = GtpSettings
    rows = (
        Spin("--depth", "depth", "depth in plies; 8 if there is no other limit", 1, MAX_PLY, holder=GtpSettings),
        Spin("--nodes", "nodes", "maximum number of nodes per move", 1, 10**15, holder=GtpSettings),
        Time("--move-time", "move_time", "time per move: 500ms, 2s; a bare number is in ms", holder=GtpSettings),
    )

    def open(self) -> None:
        super().open()
        chosen = self.settings if isinstance(self.settings, GtpSettings) else GtpSettings()
        time = milliseconds(chosen.move_time or "", "ms")
        movetime = None if time is None else max(1, round(time))
        self._limits = Limits(depth=chosen.depth, nodes=chosen.nodes, movetime=movetime)
        self._clocks = GtpClocks()
        self._number = ""  # the number of the current command
        self._plies: list[int] = []  # for each move of the controller, the moves played for it: implicit passes count
        self._failure: Exception | None = None  # the error that ended the running search

    # ---- lines in and out

    def handle(self, line: str) -> None:
        if line.strip().lower() == INTERRUPT:
            self.session.stop()
        super().handle(line)

    def take(self, line: str, arrival: float) -> None:
        words = "".join(letter if letter > " " else " " for letter in line.partition("#")[0]).split()
        if not words:
            return
        self._number = words.pop(0) if words[0].isascii() and words[0].isdecimal() else ""
        try:
            if not words or words[0] not in COMMANDS:
                raise CommandError("unknown command" if words else "expected a command after the number")
            run, names = COMMANDS[words[0]]
            given = words[1:]
            expected = names.split()
            if names != ANY_WORDS and len(given) != len(expected):
                raise CommandError(f"expected {', '.join(expected) or 'no arguments'}, got {len(given)}")
            answer = run(self, *given)
        except QuietmoveError as error:
            self._refuse(error)
        else:
            if answer is not None:
                self._reply("=", answer)

    def _reply(self, sign: str, text: str) -> None:
        blank = " " if text and not text.startswith("\n") else ""
        self._write(*f"{sign}{self._number}{blank}{text}".split("\n"), "")

    def _refuse(self, error: Exception) -> None:
        self._reply("?", " ".join(str(error).split()))

    # ---- identification

    def known_command(self, word: str) -> str:
        """Return whether a command exists."""
        return str(word in COMMANDS).lower()

    def list_commands(self) -> str:
        """Return the names of all commands, one per line."""
        return "\n".join(COMMANDS)

    def quit(self) -> str:
        """End the conversation."""
        self.over = True
        return ""

    def set_option(self, *words: str) -> str:
        """Set an engine option, given its name and value, like ``setoption`` in the UCI-style protocol."""
        if not words:
            raise CommandError("expected NAME and VALUE")
        names = {option.name.lower() for option in OPTIONS}
        ends = (end for end in range(len(words), 0, -1) if " ".join(words[:end]).lower() in names)
        end = next(ends, 1)  # option names may have several words
        option = find_option(" ".join(words[:end]))
        if option.field == "game":
            raise CommandError("option Game: this protocol supports only othello on an 8x8 board")
        apply_option(self.session, option, " ".join(words[end:]))
        return ""

    # ---- the board

    def boardsize(self, word: str) -> str:
        """Accept the only supported size and clear the board."""
        if parse_integer(word) is None:
            raise CommandError(f"boardsize: must be a whole number, not {word[:MAX_SHOWN]!r}")
        if parse_integer(word) != SIZE:
            raise CommandError("unacceptable size")
        return self.clear_board()

    def clear_board(self) -> str:
        """Set up the initial position and clear the transposition table."""
        self.session.new_game()
        self._clocks.reset()
        self._plies.clear()
        return ""

    def komi(self, word: str) -> str:
        """Accept a komi, which has no effect in Othello."""
        if parse_decimal(word.removeprefix("-")) is None:
            raise CommandError(f"komi: must be a number, not {word[:MAX_SHOWN]!r}")
        return ""

    def set_game(self, *words: str) -> str:
        """Accept Othello, the only supported game. Controllers that support several games send this command."""
        if [word.lower() for word in words] != ["othello"]:
            raise CommandError("unsupported game")
        return self.clear_board()

    def play(self, color: str, text: str) -> str:
        """Play a move for a colour."""
        position, side = self.session.position, read_color(color)
        if position.is_over() and text.lower() == "pass":
            self._plies.append(0)
            return ""
        passed = self._turn_to(side)
        try:
            position.play(self.session.game.parse_move(position, text))
        except GameError as error:
            if passed:
                position.undo()
            raise CommandError(f"illegal move: {error}") from None
        self._plies.append(1 + passed)
        return ""

    def undo(self) -> str:
        """Take back the last ``play`` or ``genmove``."""
        if not self._plies:
            raise CommandError("cannot undo")
        for _ in range(self._plies.pop()):
            self.session.undo()
        return ""

    def showboard(self) -> str:
        """Return a drawing of the board."""
        return "\n" + self.session.game.draw(self.session.position)

    def final_score(self) -> str:
        """Return the winner and the margin, such as ``B+12``, or ``0`` for a draw. Empty squares go to the winner."""
        if not self.session.position.is_over():
            raise CommandError("cannot score: the game is not over")
        result = self.session.position.result() // 100
        return f"{'B' if result > 0 else 'W'}+{abs(result)}" if result else "0"

    def _turn_to(self, side: int) -> bool:
        """Make it the turn of ``side``, or raise CommandError; return whether the opponent had to pass for this."""
        position = self.session.position
        legal = position.legal_moves()
        if not legal:
            raise CommandError("illegal move: the game is over")
        if position.side_to_move == side:
            return False
        if [self.spell(move) for move in legal] != ["pass"]:
            raise CommandError(f"illegal move: it is {NAMES[position.side_to_move]}'s turn")
        position.play(legal[0])
        return True

    # ---- GoGui's rules extension

    def board(self) -> str:
        """Return the squares, top row first, with X for Black and O for White."""
        squares = self.session.game.format_position(self.session.position).split()[0].replace("-", ".")
        return "\n" + "\n".join(" ".join(squares[SIZE * row : SIZE * (row + 1)]) for row in range(SIZE))

    def legal_moves(self) -> str:
        """Return the legal moves, or "" if the game is over."""
        return " ".join(sorted(map(self.spell, self.session.position.legal_moves())))

    def side_to_move(self) -> str:
        """Return the colour to move."""
        return NAMES[self.session.position.side_to_move].lower()

    def final_result(self) -> str:
        """Return the result as text."""
        if not self.session.position.is_over():
            return "unknown"
        result = self.session.position.result() // 100
        return f"{NAMES[result < 0]} wins by {abs(result)}" if result else "draw"

    def evaluate(self) -> str:
        """Return the static evaluation in discs, from the side to move's point of view."""
        position = self.session.position
        if position.is_over():
            raise CommandError("the game is over")
        return f"{position.static_value() / 100:+.2f} discs for {NAMES[position.side_to_move]}, who is to move"

    # ---- thinking

    def time_settings(self, main: str, period: str, moves: str) -> str:
        """Set the main time, the overtime period and its number of moves. Times are in seconds."""
        self._clocks.set(read_time(main), read_time(period), read_count(moves))
        return ""

    def time_left(self, color: str, seconds: str, moves: str) -> str:
        """Set a colour's remaining time in seconds, for a number of moves or, with 0, for the rest of the game."""
        self._clocks.tell(read_color(color), read_time(seconds), read_count(moves))
        return ""

    def genmove(self, color: str) -> str | None:
        """Search and play a move for a colour."""
        return self._think(read_color(color), self.session.position.play)

    def reg_genmove(self, color: str) -> str | None:
        """Search for a colour's move without playing it."""
        return self._think(read_color(color), None)

    def _think(self, side: int, make: Callable[[int], None] | None) -> str | None:
        """Start a search for ``side`` and reply when it ends. If the game is over, return ``pass``."""
        if self.session.position.is_over():
            if make is not None:
                self._plies.append(0)
            return "pass"
        passed = self._turn_to(side)
        began = self.clock()
        self._failure = None

        def answer(result: SearchResult) -> None:
            self._clocks.spend(side, round(1000 * (self.clock() - began)))
            if passed and (make is None or self._failure):
                self.session.undo()
            if self._failure or result.move is None:
                self._refuse(CommandError(f"the search failed: {self._failure}"))
            else:
                if make is not None:
                    make(result.move)
                    self._plies.append(1 + passed)
                self._reply("=", self.spell(result.move))

        self.think(self._limits_of(side), answer, self._fail)
        return None

    def _fail(self, error: Exception) -> None:
        if isinstance(error, ThreadError):  # the search continued with fewer threads
            sys.stderr.write(f"error: {error}\n")
        else:
            self._failure = error

    def _limits_of(self, side: int) -> Limits:
        """Return the limits for a move of ``side``: from its clock, the command line, or the default depth."""
        left = self._clocks.left(side)
        if left is not None:
            time_left = max(1, left.milliseconds - RESERVE)
            return replace(self._limits, time=time_left, movestogo=left.moves or None)
        return self._limits if self._limits != Limits() else Limits(depth=DEFAULT_DEPTH)


def says(text: str) -> Callable[[Gtp], str]:
    return lambda _: text


# The handler and the arguments of each command.
COMMANDS: dict[str, tuple[Callable[..., str | None], str]] = {
    "protocol_version": (says("2"), ""),
    "name": (says("Quietmove"), ""),
    "version": (says(VERSION), ""),
    "known_command": (Gtp.known_command, "COMMAND"),
    "list_commands": (Gtp.list_commands, ""),
    "quit": (Gtp.quit, ""),
    "boardsize": (Gtp.boardsize, "SIZE"),
    "clear_board": (Gtp.clear_board, ""),
    "komi": (Gtp.komi, "NUMBER"),
    "play": (Gtp.play, "COLOR MOVE"),
    "genmove": (Gtp.genmove, "COLOR"),
    "reg_genmove": (Gtp.reg_genmove, "COLOR"),
    "undo": (Gtp.undo, ""),
    "time_settings": (Gtp.time_settings, "MAIN PERIOD MOVES"),
    "time_left": (Gtp.time_left, "COLOR SECONDS MOVES"),
    "final_score": (Gtp.final_score, ""),
    "showboard": (Gtp.showboard, ""),
    "set_game": (Gtp.set_game, ANY_WORDS),
    "list_games": (says("Othello"), ""),
    "gogui-rules_game_id": (says("Othello"), ""),
    "gogui-rules_board": (Gtp.board, ""),
    "gogui-rules_board_size": (says(str(SIZE)), ""),
    "gogui-rules_legal_moves": (Gtp.legal_moves, ""),
    "gogui-rules_side_to_move": (Gtp.side_to_move, ""),
    "gogui-rules_final_result": (Gtp.final_result, ""),
    "gogui-analyze_commands": (says("\n".join(ANALYZE_COMMANDS)), ""),
    "gogui-interrupt": (says(""), ""),  # its presence tells a controller that INTERRUPT is supported
    "quietmove-evaluate": (Gtp.evaluate, ""),
    "quietmove-set_option": (Gtp.set_option, ANY_WORDS),
}
