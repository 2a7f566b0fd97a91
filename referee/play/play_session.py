"""A session of ``quietmove play``: taking turns, printing messages and saving games."""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from quietmove.engine.api import Position
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameFileError, IllegalMoveError
from quietmove.engine.games.base import NATURE, Game
from quietmove.engine.games.othello.game_files.conversion import convert
from quietmove.engine.games.othello.opening_names import opening_name
from quietmove.engine.protocol.describe import describe_result, describe_score, describe_time, pluralize
from quietmove.engine.protocol.notation import PROJECT, Numbers, both_notations, read_move
from quietmove.engine.protocol.pictures import last_marks
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.referee.api import Engine, Reply
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame, games_folder, is_program, new_path, read_game, write_game
from quietmove.referee.play.console import Console, draw_board
from quietmove.referee.play.game import GameInProgress, Training
from quietmove.referee.play.opponents import Opponent, opponent_of

BOTH = frozenset((0, 1))
RESIGN = "resign"
SHOWN_MILLISECONDS = 2000  # announce a thinking time of at least this length
MAX_SEED = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Start:
    """The settings of a game.

    :param humans: the sides that people play.
    :param seed: the seed of all random choices.
    :param random_first: whether the first move is made at random.
    :param numbers: the coordinate system for squares typed as numbers.
    :param training: the trained opening, or None for a game from its start.
    """

    game: Game
    humans: frozenset[int]
    opponent: Opponent
    seed: int
    random_first: bool = False
    numbers: Numbers = PROJECT
    training: Training | None = None

    def begin(self) -> GameInProgress:
        """Return a new game after the moves of the trained opening, if there is one."""
        game = GameInProgress(self.game, self.seed)
        if self.training:
            game.train(self.training)
        return game


class PlaySession:
    """A person's session of ``quietmove play``. Call :meth:`turn` until :attr:`over` is set.

    :ivar over: whether the person wants to leave.
    :ivar start: the players and settings.
    :param path: the game's file, or None if it has none yet.
    :param game: a loaded game, or None for a new one.
    """

    def __init__(
        self,
        start: Start,
        console: Console,
        color: bool,
        path: Path | None = None,
        game: GameInProgress | None = None,
    ) -> None:
        self.over = False
        self.console = console
        self._color = color
        self.start = start
        self._shown = False  # whether the screen shows the current board
        self._opening = ""  # the last opening name printed
        self._path = path
        self._unnamed: Path | None = None  # the file created when the user named none
        self.game = game or start.begin()
        self._training = start.training  # None once the opening is over
        self._engine = self._open(start, self.game)

    def turn(self, obey: Callable[[str], None]) -> None:
        """Let the side to move make a move, or a person enter a command.

        :param obey: a function that runs a line that a person typed.
        :raises QuietmoveError: if the opponent fails.
        :raises EOFError, KeyboardInterrupt: if the person leaves.
        """
        game = self.game
        if self._training and game.has_left(self._training):
            self._end_opening(self._training)
        elif game.is_over:
            self._show()
            obey(self.console.read("game over> "))
        elif game.side == NATURE:
            self._announce(game.roll(), "nature rolls")
        elif self.start.random_first and game.is_fresh:
            self._announce(game.any_move(), f"{self._to_move} starts at random with")
        elif game.must_pass and (game.side in self.start.humans or not self._plays_whole_games):
            self._announce(game.position.legal_moves()[0], f"{self._to_move} must")
        elif self._engine is None or game.side in self.start.humans:
            self._show()
            obey(self.console.read(f"{self._to_move}> "))
        elif self._training:
            self._announce(self._training.reply(game.position, game.seed), f"{self._to_move} plays")
        else:
            milliseconds = self.start.opponent.config(game.seed).limit.movetime_ms or 0
            if milliseconds >= SHOWN_MILLISECONDS:
                self.console.write(f"{self._to_move} thinks for at most {milliseconds / 1000:g} s")
            reply = ask(self._engine, game)
            if reply.move == RESIGN:
                self._resign(game.side, self.start.opponent.words)
            else:
                self._announce(game.game.parse_move(game.position, reply.move), f"{self._to_move} plays", reply)

    def name(self, side: int) -> str:
        """Return the display name of a player."""
        who = ("you" if len(self.start.humans) == 1 else "") if side in self.start.humans else self.start.opponent.words
        return f"{self.game.game.players[side]} ({who})" if who else self.game.game.players[side]

    def greet(self) -> None:
        """Print who plays which side, and how typed numbers are interpreted."""
        grid = self.game.game.grid
        numbers = [f"Numbers are {self.start.numbers.describe(grid)}."] if grid else []
        training = self.start.training
        self.console.write(
            f"{self._title}: {self.name(0)} against {self.name(1)}.",
            *([training.describe()] if training else []),
            " ".join(["Type a move to play it; 'help' lists the commands; Tab completes.", *numbers]),
        )

    def make(self, words: list[str]) -> None:
        """Make the move that a person typed, as letters or as numbers.

        :raises NotationError, IllegalMoveError: if the words are not a move, or the move is not legal.
        """
        rules = self.game.game
        move = read_move(rules, self.game.position, " ".join(words), self.start.numbers)
        comment = self._training.comment(self.game.position, move) if self._training else ""
        self.game.play(move)
        self._changed()
        if comment:
            self.console.write(comment)

    def undo(self) -> None:
        """Go back to the person's last turn.

        :raises QuietmoveError: if there is no such turn, or the opponent cannot take back moves.
        """
        self._require_free("undo")
        self.game.note_help()
        if count := self.game.undo(self.start.humans):
            training = self.start.training
            self._training = training if training and not self.game.has_left(training) else None
            self._moved(count, "undone")
            return
        self._changed()
        self.console.write("the resignation is undone")

    def redo(self) -> None:
        """Redo the moves undone last."""
        self._moved(self.game.redo(self.start.humans), "redone")

    def switch(self) -> None:
        """Swap the players' sides.

        :raises QuietmoveError: if two people play, or the opponent cannot change sides during a game.
        """
        if self.start.humans == BOTH:
            raise QuietmoveError("switch: two people play, so there is no engine to change sides with")
        if self.game.moves:
            self._require_free("switch")
        self.game.resigned = None
        self.game.disown_moves()
        self.start = replace(self.start, humans=BOTH - self.start.humans)
        self._changed()
        self.greet()

    def begin_again(self) -> None:
        """Save the game, and start a new one between the same players."""
        self.save_begun()
        seed = random.Random(self.start.seed).randrange(MAX_SEED)
        self._begin(replace(self.start, seed=seed), None)
        self.greet()

    def set_level(self, level: int) -> None:
        """Set this engine's level and remove other limits.

        :raises QuietmoveError: if this engine does not play.
        """
        if self.start.humans == BOTH or self.start.opponent.engine:
            raise QuietmoveError("level: this engine plays neither side")
        self._begin(replace(self.start, opponent=Opponent(level)), self._path, self.game)
        self.console.write(f"{self.name(*(BOTH - self.start.humans))} from now on")

    def hint(self, seconds: float) -> Reply:
        """Return this engine's recommendation at full strength. Ctrl-C makes it return the best move so far.

        :raises IllegalMoveError: if there is no move to choose.
        """
        if not self.game.is_choice:
            raise IllegalMoveError("there is no move to choose: the game is over")
        self.game.note_help()
        config = replace(Opponent().config(self.game.seed), options=())  # no book, since it may choose a weaker move
        with Engine(config, game=self.game.game.name) as adviser:
            return ask(adviser, self.game, f"movetime={max(1, round(1000 * seconds))}", stops_at_interrupt=True)

    def describe(self, reply: Reply) -> str:
        rules = self.game.game
        facts = [both_notations(rules, [rules.parse_move(self.game.position, reply.move)], self.start.numbers)]
        if reply.score is not None:
            facts.append(f"score {describe_score(rules, reply.score.value)}")
        if reply.depth is not None:
            facts.append(f"depth {reply.depth}")
        return f"{', '.join(facts)}, {describe_time(reply.milliseconds)}"

    def save(self, path: Path | None) -> None:
        """Save the game in ``path``, by default its current file or a new one. A GGF file is an additional copy.

        :raises GameFileError: if the file cannot be written, or contains another game.
        """
        copy = path if path and path.suffix.lower() == ".ggf" else None
        path = self._write(None if copy else path)
        if copy:
            convert(path, copy)
        name = self.game.game.name
        if self.game.is_over:
            self.console.write(f"the game is saved: {path}")
            return
        flags = [] if self._plays_whole_games else self.start.opponent.flags  # a whole game cannot be continued
        named = ["--game", name] if is_program(name) else []
        numbers = [] if self.start.numbers is PROJECT else ["--coordinates", self.start.numbers.name]
        words = ["quietmove", "play", "--load", str(path), *named, *flags, *numbers]
        self.console.write("the game is saved; to continue it:", f"  {shlex.join(words)}")

    def load(self, path: Path) -> None:
        """Continue a saved game, after saving the current one.

        :raises QuietmoveError: if the file contains no game; the session is then unchanged.
        """
        saved = read_game(path, self.game.game.name)
        game = GameInProgress.of(saved)
        opponent = opponent_of(saved) or self.start.opponent
        start = Start(game.game, people_of(saved), opponent, game.seed, numbers=self.start.numbers)
        self.save_begun()
        self._begin(start, path if saved.people else None, game)
        self.greet()

    def save_begun(self) -> None:
        """Save the game if a player has moved. If it cannot be saved, print its moves."""
        if not self._is_begun:
            return
        try:
            self.save(None)
        except GameFileError as error:
            self.console.write(f"not saved: {error}", f"its moves: {' '.join(self.game.texts())}")

    def close(self) -> None:
        """Close the opponent's engine."""
        if self._engine is not None:
            self._engine.close()

    def resign(self) -> None:
        """Resign for the human player, or for the side to move if both players are human.

        :raises IllegalMoveError: if the game is over.
        """
        if self.game.is_over:
            raise IllegalMoveError("resign: the game is over")
        side = self.game.side if self.start.humans == BOTH else next(iter(self.start.humans))
        self._resign(side, "" if self.start.humans == BOTH else "you")

    def refresh(self) -> None:
        """Redraw the board before the next prompt."""
        self._shown = False

    def _begin(self, start: Start, path: Path | None, game: GameInProgress | None = None) -> None:
        game = game or start.begin()
        engine = self._open(start, game)
        self.close()
        if game is not self.game:
            self._unnamed = None
            self._training = start.training
        self.start, self._engine, self._path, self.game = start, engine, path, game
        self._shown = False

    @staticmethod
    def _open(start: Start, game: GameInProgress) -> Engine | None:
        """Return the opponent, ready to play, or None if two people play.

        :raises QuietmoveError: if it cannot play this game, or cannot continue it from its current position.
        """
        if start.humans == BOTH:
            return None
        engine = Engine(start.opponent.config(start.seed), game=start.game.name)
        if engine.whole_games and (game.moves or game.start or (start.random_first and 0 not in start.humans)):
            engine.close()
            what = "this game has already started" if game.moves or game.start else "its first move would be random"
            raise QuietmoveError(f"{start.opponent.words}: it plays only whole games from their start, but {what}")
        return engine

    @property
    def _plays_whole_games(self) -> bool:
        return self._engine is not None and self._engine.whole_games

    def _require_free(self, command: str) -> None:
        """Raise a QuietmoveError if the opponent cannot continue from a different position."""
        if self._plays_whole_games:
            raise QuietmoveError(
                f"{command}: not possible, because {self.start.opponent.words} only plays whole games; "
                "'new' starts another one"
            )

    @property
    def _is_begun(self) -> bool:
        """Whether there is something to save: a move, or the end of a game whose moves were all undone."""
        opening = self.start.training.moves if self.start.training else ()
        is_fresh = self.game.is_fresh or len(self.game.moves) <= len(opening)
        return not is_fresh or (self._path is not None and self.game.is_over)

    @property
    def _title(self) -> str:
        """The game's name; for a game in a file, without the folder."""
        name = self.game.game.name
        return Path(name).name if is_program(name) else name

    @property
    def _to_move(self) -> str:
        return self.game.game.players[self.game.side]

    def _announce(self, move: int, who: str, reply: Reply | None = None) -> None:
        """Make a move that no person chose, and print it."""
        self.console.write(
            f"{who} {self.describe(reply) if reply else both_notations(self.game.game, [move], self.start.numbers)}"
        )
        self.game.play(move)
        self._changed()

    def _end_opening(self, training: Training) -> None:
        """Print a summary of the opening; if there are positions to practise, save the game up to here."""
        self._training = None
        self._show()
        lines, review, count = training.look_over(self.game.begin(), self.game.numbers(), self.start.humans)
        self.console.write("The opening is over.", *lines)
        if count:
            self.keep_review(review)
            self._path = self._unnamed = None
            self.console.write(f"{pluralize(count, 'position')} to practise: 'quietmove practice --kind openings'")
        self.console.write("'undo' tries again, 'new' repeats the opening; or play on.")

    def _resign(self, side: int, who: str) -> None:
        self.console.write(f"{self.game.game.players[side]} ({who}) resigns" if who else f"{self._to_move} resigns")
        self.game.resigned = side
        self._changed()

    def _moved(self, count: int, what: str) -> None:
        self._changed()
        self.console.write(f"{pluralize(count, 'move')} {what}")

    def _write(self, path: Path | None = None) -> Path:
        """Write the game to a file, by default its current file or a new one, which becomes current; return its path.

        :raises GameFileError: if the file cannot be written, or contains another game.
        """
        person = "you" if len(self.start.humans) == 1 else ""
        names = [person if side in self.start.humans else self.start.opponent.title for side in (0, 1)]
        saved = self.game.saved(names, self.start.humans, self.start.opponent.strength)
        before = self._path
        path = path or before or new_path(games_folder(), self.game.game.name)
        write_game(saved, path, replaces=path == before)
        if self._unnamed and self._unnamed != path:
            self._unnamed.unlink(missing_ok=True)
            self._unnamed = None
        self._path = path
        return path

    def keep_review(self, review: Review) -> bool:
        """Save a review with the game unless the saved one is at least as deep; return whether it was saved.

        :raises GameFileError: if it cannot be written.
        """
        is_new = self.game.keep_review(review)
        if is_new:
            self._write(self._path or self._unnamed)
        return is_new

    def _changed(self) -> None:
        """Have the board redrawn, and save the game, so that at most one move is lost if this process is killed.

        If writing fails, :meth:`save_begun` reports it at the end.
        """
        self._shown = False
        if self._is_begun:
            with suppress(GameFileError):
                if self._path is None:
                    self._unnamed = new_path(games_folder(), self.game.game.name)
                self._write(self._path or self._unnamed)

    def _show(self) -> None:
        """Draw the board, as visible to the person, if it has changed; when the game is over, print the result too."""
        if self._shown:
            return
        self._shown = True
        game, rules = self.game, self.game.game
        viewer = game.side if game.side in self.start.humans else min(self.start.humans)
        view = game.position if game.is_over else game.seen_by(viewer)
        marks = last_marks(rules, game.position, game.numbers())
        resigned = game.resigned is not None
        self.console.write(*draw_board(rules, view, marks, self._color, self.start.numbers, resigned=resigned))
        if (opening := opening_name(game.position)) not in ("", self._opening):
            self._opening = opening
            self.console.write(f"  Opening: {opening}")
        if game.is_over:
            self.console.write(describe_result(rules, game.position, game.resigned))


def people_of(saved: SavedGame) -> frozenset[int]:
    """Return the sides that people play, or the first side if the file names none."""
    return frozenset(COLORS.index(color) for color in saved.people) or frozenset((0,))


def ask(engine: Engine, game: GameInProgress, limit: str | None = None, *, stops_at_interrupt: bool = False) -> Reply:
    """Return the engine's move for the side to move. See :meth:`Engine.best_move` for the parameters.

    :raises QuietmoveError: if the engine fails.
    """
    rules = game.game
    if rules.kind == "hidden":
        position = Position(rules.name, rules.format_position(game.position))
    else:
        position = Position(rules.name, game.start or None, game.texts())
    return engine.best_move(position, limit, stops_at_interrupt=stops_at_interrupt)
