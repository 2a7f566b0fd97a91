"""GTP, the Go Text Protocol, version 2 as Othello programs speak it: moves like ``d3``, row 1 at the top, or ``pass``.

Each command is answered by ``=`` or ``?``, the number that came before the command, and an empty line. Commands that
come while the engine thinks wait for their turn. The rules extension of GoGui (``gogui-rules_…``) lets a controller
play a game whose rules it does not know.
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
    """One side's clock.

    :param milliseconds: what is left, for the next ``moves`` moves, or with 0 for all.
    """

    milliseconds: int
    moves: int = 0


class GtpClocks:
    """Both clocks, from the controller's last word on them."""

    def __init__(self) -> None:
        self._periods: tuple[TimeLeft, TimeLeft] | None = None  # the main time and a period of time_settings
        self._left: dict[int, TimeLeft] = {}

    def reset(self) -> None:
        """Begin a game with full clocks."""
        self._left.clear()

    def set(self, main: int, period: int, moves: int) -> None:
        """Set milliseconds for a game and for a period of moves after it; a period without moves means no limit."""
        unlimited = period > 0 and moves == 0
        self._periods = None if unlimited else (TimeLeft(main), TimeLeft(period, moves))
        self._left.clear()

    def tell(self, side: int, milliseconds: int, moves: int) -> None:
        """Set what is left for ``side``."""
        self._left[side] = TimeLeft(milliseconds, moves)

    def left(self, side: int) -> TimeLeft | None:
        """Return what is left for ``side``, None without a limit."""
        if self._periods is None:
            return self._left.get(side)
        main, period = self._periods
        left = self._left.setdefault(side, main)
        if left.milliseconds <= 0 and left.moves == 0 and period.moves:
            left = self._left[side] = period
        return left

    def spend(self, side: int, milliseconds: int) -> None:
        """Take the time of a move off the clock of ``side``, in case the controller does not say what is left."""
        left = self.left(side)
        if left is None:
            return
        moves = max(0, left.moves - 1)
        if left.moves == 1 and self._periods is not None:
            self._left[side] = self._periods[1]
        else:
            self._left[side] = TimeLeft(max(0, left.milliseconds - milliseconds), moves)


RESERVE = 50  # milliseconds: so much of a clock is kept for the pipe and the process
ANALYZE_COMMANDS = (  # GoGui offers these in its menu of analyses
    "string/Evaluation/quietmove-evaluate",
    "plist/Legal moves/gogui-rules_legal_moves",
    "move/Recommended move/reg_genmove %c",
)
ANY_WORDS = "..."  # stands for any number of words after a command
COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
MOST_SHOWN = 60  # an error repeats so many characters of a word
SIZE = 8
NAMES = ("Black", "White")

INTERRUPT = "# interrupt"  # a comment by which GoGui asks for the move at once


class CommandError(QuietmoveError):
    """A command that is answered by ``?`` and this text."""


def read_color(word: str) -> int:
    """Return the side that a colour names.

    :raises CommandError: if it names none.
    """
    if word.lower() not in COLORS:
        raise CommandError(f"colour: must be black or white, not {word[:MOST_SHOWN]!r}")
    return COLORS[word.lower()]


def read_time(word: str) -> int:
    """Return seconds, which may have decimals, in milliseconds.

    :raises CommandError: if the word writes none.
    """
    seconds = parse_decimal(word)
    if seconds is None:
        raise CommandError(f"must be a number of seconds of at least 0, not {word[:MOST_SHOWN]!r}")
    return int(1000 * seconds)


def read_count(word: str) -> int:
    """Return a whole number of moves.

    :raises CommandError: if the word writes none.
    """
    count = parse_integer(word)
    if count is None or count < 0:
        raise CommandError(f"must be a whole number of at least 0, not {word[:MOST_SHOWN]!r}")
    return count


@dataclass(frozen=True, slots=True)
class GtpSettings(DialectSettings):
    """The command line: what limits a move beside the controller's clock.

    :param move_time: with its unit, milliseconds without one.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: str | None = None


class Gtp(QueuedDialect):
    """One conversation with a controller. A method for each command takes its words and returns the answer."""

    settings_type = GtpSettings
    rows = (
        Spin("--depth", "depth", "plies of a move; 8 if nothing limits it", 1, MAX_PLY, holder=GtpSettings),
        Spin("--nodes", "nodes", "nodes of a move", 1, 10**15, holder=GtpSettings),
        Time("--move-time", "move_time", "of a move: 500ms, 2s; a bare number is in ms", holder=GtpSettings),
    )

    def open(self) -> None:
        super().open()
        chosen = self.settings if isinstance(self.settings, GtpSettings) else GtpSettings()
        time = milliseconds(chosen.move_time or "", "ms")
        movetime = None if time is None else max(1, round(time))
        self._limits = Limits(depth=chosen.depth, nodes=chosen.nodes, movetime=movetime)
        self._clocks = GtpClocks()
        self._number = ""  # the number of the command that is carried out
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
                raise CommandError("unknown command" if words else "the number: must be followed by a command")
            run, names = COMMANDS[words[0]]
            given, expected = words[1:], names.split()
            if names != ANY_WORDS and len(given) != len(expected):
                raise CommandError(f"must be followed by {', '.join(expected) or 'nothing'}, not by {len(given)} words")
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

    # ---- what this is

    def known_command(self, word: str) -> str:
        """Answer whether there is a command of that name."""
        return str(word in COMMANDS).lower()

    def list_commands(self) -> str:
        """Answer the names of all commands, one a line."""
        return "\n".join(COMMANDS)

    def quit(self) -> str:
        """End the conversation."""
        self.over = True
        return ""

    def set_option(self, *words: str) -> str:
        """Set an option of the engine, as ``setoption`` of the UCI-style protocol does: its name, then its value."""
        if not words:
            raise CommandError("must be followed by NAME and VALUE")
        names = {option.name.lower() for option in OPTIONS}
        ends = (end for end in range(len(words), 0, -1) if " ".join(words[:end]).lower() in names)
        end = next(ends, 1)  # the name may have several words
        option = find_option(" ".join(words[:end]))
        if option.field == "game":
            raise CommandError("option Game: this protocol plays othello on 8x8 squares alone")
        apply_option(self.session, option, " ".join(words[end:]))
        return ""

    # ---- the board

    def boardsize(self, word: str) -> str:
        """Accept the one size there is, and clear the board."""
        if parse_integer(word) is None:
            raise CommandError(f"boardsize: must be a whole number, not {word[:MOST_SHOWN]!r}")
        if parse_integer(word) != SIZE:
            raise CommandError("unacceptable size")
        return self.clear_board()

    def clear_board(self) -> str:
        """Go back to the start position, and empty the table."""
        self.session.new_game()
        self._clocks.reset()
        return ""

    def komi(self, word: str) -> str:
        """Accept a number; Othello has no komi."""
        if parse_decimal(word.removeprefix("-")) is None:
            raise CommandError(f"komi: must be a number, not {word[:MOST_SHOWN]!r}")
        return ""

    def set_game(self, *words: str) -> str:
        """Accept the one game there is; controllers of several games send this."""
        if [word.lower() for word in words] != ["othello"]:
            raise CommandError("unsupported game")
        return self.clear_board()

    def play(self, color: str, text: str) -> str:
        """Make a move of a colour."""
        position = self.session.position
        passed = self._turn_to(read_color(color))
        try:
            position.play(self.session.game.parse_move(position, text))
        except GameError as error:
            if passed:
                position.undo()
            raise CommandError(f"illegal move: {error}") from None
        return ""

    def undo(self) -> str:
        """Take the last move back."""
        if self.session.position.ply == 0:
            raise CommandError("cannot undo")
        self.session.undo()
        return ""

    def showboard(self) -> str:
        """Answer the board, for a person."""
        return "\n" + self.session.game.draw(self.session.position)

    def final_score(self) -> str:
        """Answer the discs by which a colour has won, the empty squares given to the winner: ``B+12``, or ``0``."""
        if not self.session.position.is_over():
            raise CommandError("cannot score: the game is not over")
        result = self.session.position.result() // 100
        return f"{'B' if result > 0 else 'W'}+{abs(result)}" if result else "0"

    def _turn_to(self, side: int) -> bool:
        """Make it the turn of ``side``; return whether this took a pass of its opponent, who has no other move.

        :raises CommandError: if it is not the turn of ``side``.
        """
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
        """Answer the squares, the top row first: X Black, O White."""
        squares = self.session.game.format_position(self.session.position).split()[0].replace("-", ".")
        return "\n" + "\n".join(" ".join(squares[SIZE * row : SIZE * (row + 1)]) for row in range(SIZE))

    def legal_moves(self) -> str:
        """Answer the legal moves; none if the game is over."""
        return " ".join(sorted(map(self.spell, self.session.position.legal_moves())))

    def side_to_move(self) -> str:
        """Answer whose turn it is."""
        return NAMES[self.session.position.side_to_move].lower()

    def final_result(self) -> str:
        """Answer the result in words."""
        if not self.session.position.is_over():
            return "unknown"
        result = self.session.position.result() // 100
        return f"{NAMES[result < 0]} wins by {abs(result)}" if result else "draw"

    def evaluate(self) -> str:
        """Answer the static value in discs, for the side to move."""
        position = self.session.position
        if position.is_over():
            raise CommandError("the game is over")
        return f"{position.static_value() / 100:+.2f} discs for {NAMES[position.side_to_move]}, who is to move"

    # ---- thinking

    def time_settings(self, main: str, period: str, moves: str) -> str:
        """Take the time for a game and for a period of moves after it, in seconds."""
        self._clocks.set(read_time(main), read_time(period), read_count(moves))
        return ""

    def time_left(self, color: str, seconds: str, moves: str) -> str:
        """Take what is left on a colour's clock, in seconds, and for how many moves; 0 stands for all moves."""
        self._clocks.tell(read_color(color), read_time(seconds), read_count(moves))
        return ""

    def genmove(self, color: str) -> str | None:
        """Choose a move of a colour and make it."""
        return self._think(read_color(color), self.session.position.play)

    def reg_genmove(self, color: str) -> str | None:
        """Choose a move of a colour; the board stays as it is."""
        return self._think(read_color(color), None)

    def _think(self, side: int, make: Callable[[int], None] | None) -> str | None:
        """Search a move of ``side``; the answer comes when it is found, or now if the game is over."""
        if self.session.position.is_over():
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
                self._reply("=", self.spell(result.move))

        self.think(self._limits_of(side), answer, self._fail)
        return None

    def _fail(self, error: Exception) -> None:
        if isinstance(error, ThreadError):  # the search went on with fewer threads
            sys.stderr.write(f"error: {error}\n")
        else:
            self._failure = error

    def _limits_of(self, side: int) -> Limits:
        """Return what limits a move of ``side``: its clock, the command line, or the usual depth."""
        left = self._clocks.left(side)
        if left is not None:
            time_left = max(1, left.milliseconds - RESERVE)
            return replace(self._limits, time=time_left, movestogo=left.moves or None)
        return self._limits if self._limits != Limits() else Limits(depth=DEFAULT_DEPTH)


def says(text: str) -> Callable[[Gtp], str]:
    return lambda _: text


# What carries out a command, and the words that follow it.
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
    "gogui-interrupt": (says(""), ""),  # a controller that finds it listed sends INTERRUPT
    "quietmove-evaluate": (Gtp.evaluate, ""),
    "quietmove-set_option": (Gtp.set_option, ANY_WORDS),
}
