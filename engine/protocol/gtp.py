"""GTP, the Go Text Protocol, version 2 as Othello programs speak it: moves like ``d3``, row 1 at the top, or ``pass``.

Each command is answered by ``=`` or ``?``, the number that came before the command, and an empty line. Commands that
come while the engine thinks wait for their turn. The rules extension of GoGui (``gogui-rules_…``) lets a controller
play a game whose rules it does not know.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from quietmove import __version__
from quietmove.engine.errors import GameError, QuietmoveError
from quietmove.engine.games.base import MAX_PLY
from quietmove.engine.protocol.dialect import Dialect, call_now
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.protocol.options import OPTIONS, apply_option, find_option
from quietmove.engine.protocol.rows import DialectSettings, Spin, parse_decimal
from quietmove.engine.values import Limits, SearchResult

__all__ = ["COMMANDS", "Gtp", "GtpSettings"]

SIZE = 8
COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
NAMES = ("Black", "White")
DEFAULT_DEPTH = 8  # where nothing limits a move: a fraction of a second, the same move everywhere
RESERVE = 50  # milliseconds of a clock that are kept for the pipe and the process
SHOWN = 60  # characters of a word that an error repeats
INTERRUPT = "# interrupt"  # a comment by which GoGui asks for the move at once
ANALYZE_COMMANDS = (
    "string/Evaluation/quietmove-evaluate",
    "plist/Legal moves/gogui-rules_legal_moves",
    "move/Recommended move/reg_genmove %c",
)


@dataclass(frozen=True, slots=True)
class GtpSettings(DialectSettings):
    """The command line: what limits a move beside the controller's clock.

    :param move_time: milliseconds.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: int | None = None


class CommandError(QuietmoveError):
    """A command that is answered by ``?`` and this text."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """One side's clock.

    :param milliseconds: what is left, for the next ``moves`` moves, or with 0 for all.
    """

    milliseconds: int
    moves: int = 0


class Gtp(Dialect):
    """One conversation with a controller. A method for each command takes its words and returns the answer."""

    settings_type = GtpSettings
    rows = (
        Spin("--depth", "depth", "plies of a move; 8 if nothing limits it", 1, MAX_PLY, holder=GtpSettings),
        Spin("--nodes", "nodes", "nodes of a move", 1, 10**15, holder=GtpSettings),
        Spin("--move-time", "move_time", "milliseconds of a move", 1, 10**9, holder=GtpSettings),
    )
    clock = staticmethod(time.perf_counter)

    def __init__(
        self,
        write: Callable[..., None],
        interactive: bool = False,
        settings: DialectSettings | None = None,
        post: Callable[[Callable[[], None]], None] = call_now,
    ) -> None:
        super().__init__(write, interactive, settings, post)
        chosen = settings if isinstance(settings, GtpSettings) else GtpSettings()
        self._limits = Limits(depth=chosen.depth, nodes=chosen.nodes, movetime=chosen.move_time)
        self._periods: tuple[TimeLeft, TimeLeft] | None = None  # the main time and a period of time_settings
        self._left: dict[int, TimeLeft] = {}
        self._waiting: deque[str] = deque()  # lines that came while the engine thinks
        self._number = ""  # of the command that is carried out
        self._thinking = False
        self._failure: Exception | None = None  # of the search that runs
        self._ended = False

    # ---- lines in and out

    def handle(self, line: str) -> None:
        """Carry out a line; while the engine thinks it waits."""
        if line.strip().lower() == INTERRUPT:
            self.session.stop()
        self._waiting.append(line)
        self._read_on()

    def end(self) -> None:
        """Answer what waits, with searches that stop at once."""
        self._ended = True
        if not self.session.close():
            self.over = True
        self._read_on()

    def _read_on(self) -> None:
        """Take the lines that wait, one after another, until the engine must think."""
        while self._waiting and not self._thinking and not self.over:
            self._take(self._waiting.popleft())
        if self._ended and not self._thinking:
            self.over = True

    def _take(self, line: str) -> None:
        words = "".join(letter if letter > " " else " " for letter in line.partition("#")[0]).split()
        if not words:
            return
        self._number = words.pop(0) if words[0].isascii() and words[0].isdecimal() else ""
        try:
            if not words or words[0] not in COMMANDS:
                raise CommandError("unknown command" if words else "a command must follow the number; nothing came")
            answer = COMMANDS[words[0]](self, words[1:])
        except QuietmoveError as error:
            self._refuse(error)
        else:
            if answer is not None:
                self._reply("=", answer)

    def _reply(self, sign: str, text: str) -> None:
        """Send an answer and the empty line behind it."""
        blank = " " if text and not text.startswith("\n") else ""
        self._write(*f"{sign}{self._number}{blank}{text}".split("\n"), "")

    def _refuse(self, error: Exception) -> None:
        self._reply("?", " ".join(str(error).split()))

    # ---- what this is

    def protocol_version(self, words: list[str]) -> str:
        """Answer the version of the protocol."""
        expect(words)
        return "2"

    def name(self, words: list[str]) -> str:
        """Answer the name of the program."""
        expect(words)
        return "Quietmove"

    def version(self, words: list[str]) -> str:
        """Answer the version of the program."""
        expect(words)
        return __version__

    def known_command(self, words: list[str]) -> str:
        """Answer whether there is a command of that name."""
        (word,) = expect(words, "COMMAND")
        return str(word in COMMANDS).lower()

    def list_commands(self, words: list[str]) -> str:
        """Answer the names of all commands, one a line."""
        expect(words)
        return "\n".join(COMMANDS)

    def quit(self, words: list[str]) -> str:
        """End the conversation."""
        expect(words)
        self.over = True
        return ""

    def set_option(self, words: list[str]) -> str:
        """Set an option of the engine, as ``setoption`` of the UCI-style protocol does: its name, then its value."""
        if not words:
            raise CommandError("NAME and VALUE must follow")
        names = {option.name.lower() for option in OPTIONS}
        ends = (end for end in range(len(words), 0, -1) if " ".join(words[:end]).lower() in names)
        end = next(ends, 1)  # the name may have several words
        option = find_option(" ".join(words[:end]))
        if option.field == "game":
            raise CommandError("option Game: this protocol plays othello on 8x8 squares alone")
        apply_option(self.session, option, " ".join(words[end:]))
        return ""

    # ---- the board

    def boardsize(self, words: list[str]) -> str:
        """Accept the one size there is, and clear the board."""
        (word,) = expect(words, "SIZE")
        if parse_integer(word) is None:
            raise CommandError(f"boardsize: a whole number is allowed; {word[:SHOWN]!r} came")
        if parse_integer(word) != SIZE:
            raise CommandError("unacceptable size")
        return self.clear_board([])

    def clear_board(self, words: list[str]) -> str:
        """Go back to the start position, and empty the table."""
        expect(words)
        self.session.new_game()
        self._left.clear()
        return ""

    def komi(self, words: list[str]) -> str:
        """Accept a number; Othello has no komi."""
        (word,) = expect(words, "NUMBER")
        if parse_decimal(word.removeprefix("-")) is None:
            raise CommandError(f"komi: a number is allowed; {word[:SHOWN]!r} came")
        return ""

    def set_game(self, words: list[str]) -> str:
        """Accept the one game there is; controllers of several games send this."""
        if [word.lower() for word in words] != ["othello"]:
            raise CommandError("unsupported game")
        return self.clear_board([])

    def list_games(self, words: list[str]) -> str:
        """Answer the games that :meth:`set_game` accepts."""
        expect(words)
        return "Othello"

    def play(self, words: list[str]) -> str:
        """Make a move of a color."""
        color, text = expect(words, "COLOR", "MOVE")
        position = self.session.position
        passed = self._turn_to(read_color(color))
        try:
            position.play(self.session.game.parse_move(position, text))
        except GameError as error:
            if passed:
                position.undo()
            raise CommandError(f"illegal move: {error}") from None
        return ""

    def undo(self, words: list[str]) -> str:
        """Take the last move back."""
        expect(words)
        if self.session.position.ply == 0:
            raise CommandError("cannot undo")
        self.session.undo()
        return ""

    def showboard(self, words: list[str]) -> str:
        """Answer the board, for a person."""
        expect(words)
        return "\n" + self.session.game.draw(self.session.position)

    def final_score(self, words: list[str]) -> str:
        """Answer the discs by which a color has won, the empty squares given to the winner: ``B+12``; ``0`` if none."""
        expect(words)
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

    # ---- thinking

    def time_settings(self, words: list[str]) -> str:
        """Take the time for a game and for a period of moves after it, in seconds."""
        main, period, moves = (read_count(word) for word in expect(words, "MAIN", "PERIOD", "MOVES"))
        unlimited = period > 0 and moves == 0
        self._periods = None if unlimited else (TimeLeft(1000 * main), TimeLeft(1000 * period, moves))
        self._left.clear()
        return ""

    def time_left(self, words: list[str]) -> str:
        """Take what is left on a color's clock, in seconds, and for how many moves; 0 stands for all moves."""
        color, seconds, moves = expect(words, "COLOR", "SECONDS", "MOVES")
        self._left[read_color(color)] = TimeLeft(1000 * read_count(seconds), read_count(moves))
        return ""

    def genmove(self, words: list[str]) -> str | None:
        """Choose a move of a color and make it."""
        (color,) = expect(words, "COLOR")
        return self._think(read_color(color), self.session.position.play)

    def reg_genmove(self, words: list[str]) -> str | None:
        """Choose a move of a color; the board stays as it is."""
        (color,) = expect(words, "COLOR")
        return self._think(read_color(color), None)

    def _think(self, side: int, make: Callable[[int], None] | None) -> str | None:
        """Search a move of ``side``; the answer comes when it is found, or now if the game is over."""
        if self.session.position.is_over():
            return "pass"
        passed = self._turn_to(side)
        began = self.clock()
        self._failure = None

        def answer(result: SearchResult) -> None:
            self._thinking = False
            self._spend(side, round(1000 * (self.clock() - began)))
            if passed and (make is None or self._failure):
                self.session.undo()
            if self._failure or result.move is None:
                self._refuse(CommandError(f"the search failed: {self._failure}"))
            else:
                if make is not None:
                    make(result.move)
                self._reply("=", self.spell(result.move))
            self._read_on()

        self._thinking = True
        try:
            self.session.go(
                self._limits_of(side), lambda _: None, lambda result: self._post(lambda: answer(result)), self._fail
            )
        except QuietmoveError:
            self._thinking = False
            raise
        if self._ended:
            self.session.close()
        return None

    def _fail(self, error: Exception) -> None:
        self._failure = error

    def _limits_of(self, side: int) -> Limits:
        """Return what limits a move of ``side``: its clock, the command line, or the usual depth."""
        left = self._clock_of(side)
        if left is not None:
            time_left = max(1, left.milliseconds - RESERVE)
            return replace(self._limits, time=time_left, movestogo=left.moves or None)
        return self._limits if self._limits != Limits() else Limits(depth=DEFAULT_DEPTH)

    def _clock_of(self, side: int) -> TimeLeft | None:
        """Return the clock of ``side``, from the controller's last word on it; None without a limit."""
        if self._periods is None:
            return self._left.get(side)
        main, period = self._periods
        left = self._left.setdefault(side, main)
        if left.milliseconds <= 0 and left.moves == 0 and period.moves:
            left = self._left[side] = period
        return left

    def _spend(self, side: int, milliseconds: int) -> None:
        """Take the time of a move off the clock of ``side``, in case the controller does not say what is left."""
        left = self._clock_of(side)
        if left is None:
            return
        moves = max(0, left.moves - 1)
        if left.moves == 1 and self._periods is not None:
            self._left[side] = self._periods[1]
        else:
            self._left[side] = TimeLeft(max(0, left.milliseconds - milliseconds), moves)

    def evaluate(self, words: list[str]) -> str:
        """Answer the static value in discs, for the side to move."""
        expect(words)
        position = self.session.position
        if position.is_over():
            raise CommandError("the game is over")
        return f"{position.static_value() / 100:+.2f} discs for {NAMES[position.side_to_move]}, who is to move"

    # ---- the rules, for a controller that does not know them

    def game_id(self, words: list[str]) -> str:
        """Answer the name of the game."""
        expect(words)
        return "Othello"

    def rules_board(self, words: list[str]) -> str:
        """Answer the squares, the top row first: X Black, O White."""
        expect(words)
        squares = self.session.game.format_position(self.session.position).split()[0].replace("-", ".")
        return "\n" + "\n".join(" ".join(squares[SIZE * row : SIZE * (row + 1)]) for row in range(SIZE))

    def rules_board_size(self, words: list[str]) -> str:
        """Answer the squares a side."""
        expect(words)
        return str(SIZE)

    def legal_moves(self, words: list[str]) -> str:
        """Answer the legal moves; none if the game is over."""
        expect(words)
        return " ".join(sorted(map(self.spell, self.session.position.legal_moves())))

    def side_to_move(self, words: list[str]) -> str:
        """Answer whose turn it is."""
        expect(words)
        return NAMES[self.session.position.side_to_move].lower()

    def final_result(self, words: list[str]) -> str:
        """Answer the result in words."""
        expect(words)
        if not self.session.position.is_over():
            return "unknown"
        result = self.session.position.result() // 100
        return f"{NAMES[result < 0]} wins by {abs(result)}" if result else "draw"

    def analyze_commands(self, words: list[str]) -> str:
        """Answer what GoGui offers in its menu of analyses."""
        expect(words)
        return "\n".join(ANALYZE_COMMANDS)

    def interrupt(self, words: list[str]) -> str:
        """Tell by its presence that the comment ``# interrupt`` ends a search with its answer."""
        expect(words)
        return ""


def expect(words: list[str], *names: str) -> list[str]:
    """Return the words that follow a command, as many as there are names.

    :raises CommandError: if there are more or fewer.
    """
    if len(words) != len(names):
        raise CommandError(f"{', '.join(names) or 'nothing'} must follow; {len(words)} words came")
    return words


def read_color(word: str) -> int:
    """Return the side that a color names.

    :raises CommandError: if it names none.
    """
    if word.lower() not in COLORS:
        raise CommandError(f"color: black or white is allowed; {word[:SHOWN]!r} came")
    return COLORS[word.lower()]


def read_count(word: str) -> int:
    """Return a whole number of seconds or moves.

    :raises CommandError: if the word writes none.
    """
    count = parse_integer(word)
    if count is None or count < 0:
        raise CommandError(f"a whole number of at least 0 is allowed; {word[:SHOWN]!r} came")
    return count


COMMANDS: dict[str, Callable[[Gtp, list[str]], str | None]] = {
    "protocol_version": Gtp.protocol_version,
    "name": Gtp.name,
    "version": Gtp.version,
    "known_command": Gtp.known_command,
    "list_commands": Gtp.list_commands,
    "quit": Gtp.quit,
    "boardsize": Gtp.boardsize,
    "clear_board": Gtp.clear_board,
    "komi": Gtp.komi,
    "play": Gtp.play,
    "genmove": Gtp.genmove,
    "reg_genmove": Gtp.reg_genmove,
    "undo": Gtp.undo,
    "time_settings": Gtp.time_settings,
    "time_left": Gtp.time_left,
    "final_score": Gtp.final_score,
    "showboard": Gtp.showboard,
    "set_game": Gtp.set_game,
    "list_games": Gtp.list_games,
    "gogui-rules_game_id": Gtp.game_id,
    "gogui-rules_board": Gtp.rules_board,
    "gogui-rules_board_size": Gtp.rules_board_size,
    "gogui-rules_legal_moves": Gtp.legal_moves,
    "gogui-rules_side_to_move": Gtp.side_to_move,
    "gogui-rules_final_result": Gtp.final_result,
    "gogui-analyze_commands": Gtp.analyze_commands,
    "gogui-interrupt": Gtp.interrupt,
    "quietmove-evaluate": Gtp.evaluate,
    "quietmove-set_option": Gtp.set_option,
}
