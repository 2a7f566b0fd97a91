"""Version 2 of the protocol of NBoard, an Othello program: one command per line. Unknown commands are ignored.

The NBoard program manages the game: ``go`` only asks for a move; only ``move`` and ``set game`` change the board. Every
known command first ends a running search, so that no report refers to an outdated board.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

from quietmove.engine.common import VERSION
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError, GameFileError, NotationError, OptionError, PositionError
from quietmove.engine.games.base import MAX_PLY, Position
from quietmove.engine.games.othello.game_files.game import Losses, initial_position, replay
from quietmove.engine.games.othello.game_files.ggf import read_from
from quietmove.engine.protocol.dialect import DEFAULT_DEPTH, Dialect
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.values import Info, Limits, SearchResult

END_BEYOND = 8  # search to the end of the game if it is at most this many plies beyond the depth
OUTCOME_BEYOND = 10  # up to this many plies beyond, search only for the winner (median: 1/20 of the nodes)
MIN_WIN = 2.0  # discs reported for a win of unknown size, since results are even numbers
MAX_LINES = 64
PASS = "PA"
ABOUT_POSITION = frozenset(("move", "hint", "go", "analyze"))  # commands that need a position


class NBoard(Dialect):
    """A conversation with NBoard. Failed commands are reported in its status line and change nothing.

    The exception is ``set game``: if it fails, the position is unknown until the next game.
    """

    @classmethod
    def knows(cls, word: str) -> bool:
        return word == "nboard"

    def open(self) -> None:
        self._depth = DEFAULT_DEPTH
        self._has_position = True  # False after a failed 'set game': NBoard's position is then unknown
        self._outcome = False  # whether the search looks only for the winner
        self._start = self.session.position.copy()  # the game's starting position
        self._moves: list[int] = []  # the moves of the game so far
        self._unanalysed: list[Position] | None = None  # positions still to be analysed, the next one last

    def handle(self, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        if word not in COMMANDS:
            return
        self._stop()
        try:
            if word in ABOUT_POSITION and not self._has_position:
                raise PositionError("there is no position: the last 'set game' failed")
            COMMANDS[word](self, rest.strip())
        except QuietmoveError as error:
            self._status(f"error: {word}: {' '.join(str(error).split())}")

    def skip_long_line(self) -> None:
        """Ignore the line, like any unknown command."""

    def spell(self, move: int) -> str:
        text = self.session.game.format_move(move)
        return PASS if text == "pass" else text

    def _status(self, text: str) -> None:
        self._write(f"status {text}".rstrip())

    # ---- the game

    def begin_protocol(self, version: str) -> None:
        """Send the engine's name."""
        self._write(f"set myname Quietmove {VERSION}")

    def set(self, text: str) -> None:
        """Set the game or the depth. A contempt value is accepted and ignored."""
        what, _, value = text.partition(" ")
        if what == "game":
            self._has_position = False
            game = self.session.game
            if game.name != "othello":
                raise GameError(f"game {game.name}: this game has no format for game records")
            games = list(read_from(BytesIO(value.encode("utf-8", "replace")), Losses()))
            if len(games) != 1:
                raise GameFileError(f"game: expected one game of Othello with its usual rules, got {len(games)}")
            self._moves = [move for _, move in replay(games[0])]
            self._has_position = True
            self._start = initial_position(games[0])
            position = self._start.copy()
            for move in self._moves:
                position.play(move)
            self.session.set_up(position)
        elif what == "depth":
            depth = parse_integer(value.strip())
            if depth is None or not 1 <= depth <= MAX_PLY:
                raise OptionError(f"depth: must be a whole number from 1 to {MAX_PLY}, not {value[:20]!r}")
            self._depth = depth

    def move(self, text: str) -> None:
        """Play a move. An evaluation and a time after slashes are ignored."""
        written = text.partition("/")[0].strip()
        moves = play_moves(self.session.game, self.session.position, [written])
        if not moves:
            raise NotationError("must be followed by a move")
        self._moves += moves

    def ping(self, number: str) -> None:
        """Confirm that no search is running."""
        self._write(f"pong {number}".rstrip())

    def learn(self, _: str) -> None:
        """Acknowledge the game without learning from it: the book does not change while the engine runs."""
        self._write("learned")

    def quit(self, _: str) -> None:
        """End the conversation."""
        self.over = True

    # ---- thinking

    def end(self) -> None:
        """Handle the end of input, which interrupts a search as any command does."""
        self.over = True

    def hint(self, text: str) -> None:
        """Report the best moves while searching."""
        lines = parse_integer(text) or 1
        self._configure(multipv=max(1, min(MAX_LINES, lines)))
        self._think("analysing", lambda _: None)

    def go(self, _: str) -> None:
        """Report the move the engine would play."""
        self._configure(multipv=1)
        if self.session.position.is_over():
            self._status("the game is over")
            return

        def answer(result: SearchResult) -> None:
            assert result.move is not None, "a search of a position with moves returns a move"
            value = ""
            if result.score is not None:
                value = f"/{self._value(result.score.value, result.depth):.2f}/{result.time / 1000:.2f}"
            self._write(f"=== {self.spell(result.move)}{value}")

        self._think("thinking", answer)

    def analyze(self, _: str) -> None:
        """Report the value of each position for its side to move, from the last position of the game to the first."""
        self._configure(multipv=1)
        position = self._start.copy()
        positions = [position.copy()]
        for move in self._moves:
            position.play(move)
            positions.append(position.copy())
        self._unanalysed = positions
        self._status("Quietmove is analysing the game")
        self._analyse_next()

    def _analyse_next(self) -> None:
        """Analyse the next position, if any. The table keeps the results of later positions."""
        positions = self._unanalysed
        while positions and positions[-1].is_over():
            position = positions.pop()
            self._tell_value(len(positions), -position.result() if position.side_to_move else position.result())
        if positions is None:
            return
        if not positions:
            self._end_analysis()
            self._status("")
            return
        position = positions.pop()
        self.session.set_up(position)

        def finish(result: SearchResult) -> None:
            if self._unanalysed is positions and result.score is not None:
                self._tell_value(len(positions), result.score.value)
                self._post(self._analyse_next)

        self.session.go(self._limits(position, outcome=False), lambda _: None, finish, self._fail)

    def _tell_value(self, number: int, value: int) -> None:
        self._write(f"analysis {number} {value / 100:.2f}")

    def _stop(self) -> None:
        analysing, self._unanalysed = self._unanalysed is not None, None
        self.session.stop()
        if analysing:
            self._end_analysis()

    def _end_analysis(self) -> None:
        """Return to the last position of the game."""
        self._unanalysed = None
        position = self._start.copy()
        for move in self._moves:
            position.play(move)
        self.session.set_up(position)

    def _configure(self, multipv: int) -> None:
        self.session.configure(self.session.options.changed("multipv", multipv))

    def _limits(self, position: Position, outcome: bool) -> Limits:
        """Return the limits of a search: to the end of the game if that is near, else the chosen depth.

        :param outcome: whether to search for just the winner if the end is a little further away.
        """
        end = position.moves_left()
        if outcome and self._depth + END_BEYOND < end <= self._depth + OUTCOME_BEYOND:
            return Limits(goal="wld")
        return Limits(depth=end if end <= self._depth + END_BEYOND else self._depth)

    def _think(self, doing: str, answer: Callable[[SearchResult], None]) -> None:
        self._status(f"Quietmove is {doing}")

        def finish(result: SearchResult) -> None:
            self._write(f"nodestats {result.nodes} {result.time / 1000:.2f}")
            answer(result)
            self._status("")

        limits = self._limits(self.session.position, outcome=True)
        self._outcome = limits.goal == "wld"
        self.session.go(limits, self._report, finish, self._fail)

    def _report(self, info: Info[int]) -> None:
        line = "".join(map(self.spell, info.pv))
        word, fourth = ("book", info.book_moves) if info.book_moves else ("search", 0)
        value = self._value(info.score.value, info.depth)
        self._write(f"{word} {line} {value:.2f} {fourth} {self._reached(info)}")

    def _reached(self, info: Info[int]) -> str:
        """Return the depth of a report, or the confidence in percent if it reached the end of the game."""
        if info.depth < self.session.position.moves_left():
            return str(info.depth)
        return f"{info.confidence}%{'W' * self._outcome}"

    def _value(self, score: int, depth: int) -> float:
        """Return a score in discs, or the smallest win or loss if only the winner is known."""
        if self._outcome and depth >= self.session.position.moves_left():
            return MIN_WIN * ((score > 0) - (score < 0))
        return score / 100

    def _fail(self, error: Exception) -> None:
        self._status(f"error: the search failed: {error}")


COMMANDS: dict[str, Callable[[NBoard, str], None]] = {
    "nboard": NBoard.begin_protocol,
    "set": NBoard.set,
    "move": NBoard.move,
    "hint": NBoard.hint,
    "go": NBoard.go,
    "ping": NBoard.ping,
    "learn": NBoard.learn,
    "analyze": NBoard.analyze,
    "quit": NBoard.quit,
}
