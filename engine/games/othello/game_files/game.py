"""Played games, in a form that all file formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.notation import START, format_square, parse_board

ReadGame = TypeVar("ReadGame")
FINISHED = "finished"
INITIAL = (START, "X")  # the fields of the usual initial position
SIDES = ("Black", "White")
VARIATIONS = "variations and comments"
MAX_NAMED = 20  # maximum number of problems listed per file: a file in the wrong format has one on every line


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as recorded in a file.

    :param place: its location in the file.
    :param board: the fields of its initial position, as for :func:`parse_board`.
    :param moves: the squares played; passes can be omitted.
    :param margin: Black's discs minus White's at the end, or None if not recorded.
    :param sides: the side of each move, with None for moves without one; empty if no sides are recorded.
    :param players: the names of Black and White, "" if not recorded.
    :param event: the tournament or server.
    :param date: the date, as recorded.
    :param ending: the reason why the game ended, named as in the referee's verdicts: ``finished`` on the board,
        ``resign``, ``timeout`` and so on; "" if not recorded.
    :param elapsed_ms: milliseconds used for each move, None for moves without a time; empty if no times are recorded.
    :param scores: the player's own evaluation at each move, in hundredths of a disc from the mover's point of view,
        with None for moves without a score; empty if no scores are recorded.
    :param clocks_ms: milliseconds left on the mover's clock after each move, with None for moves without a clock; empty
        if no clocks are recorded.
    :param beside: further data from the referee's own files, by key: ``people``, ``opponent`` and ``detail``.
    :param lines: all lines of the move tree, main line first, and all lines that end in a comment. Each consists of its
        moves from the beginning and its comment. Empty if there are no variations.
    """

    place: str
    board: tuple[str, str]
    moves: tuple[int, ...]
    margin: float | None = None
    sides: tuple[int | None, ...] = ()
    players: tuple[str, str] = ("", "")
    event: str = ""
    date: str = ""
    ending: str = ""
    elapsed_ms: tuple[int | None, ...] = ()
    scores: tuple[int | None, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    clocks_ms: tuple[int | None, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)


# The details that WTHOR, SGF and PGN can store.
HELD_FIELDS = frozenset(("players", "events", "dates", "results of games that stopped early"))


@dataclass
class Losses:
    """Information lost in a conversion, with the number of games affected.

    :ivar left_out: the number of games that were not converted, by reason.
    :ivar not_kept: the number of converted games that lost a detail, by detail.
    :ivar problems: the errors in damaged games, which are skipped; or None to raise the first error.
    """

    left_out: Counter[str] = field(default_factory=Counter)
    not_kept: Counter[str] = field(default_factory=Counter)
    problems: list[str] | None = None

    def read_each(self, reads: Iterable[Callable[[], ReadGame | None]]) -> Iterator[ReadGame]:
        """Yield the game that each function in ``reads`` returns, skipping damaged games and None."""
        for read in reads:
            try:
                game = read()
            except GameFileError as error:
                self.add(error)
                self.left_out["damaged"] += 1
                continue
            if game is not None:
                yield game

    def add(self, error: GameFileError) -> None:
        """Add an error to the list of problems, or raise it if there is no list."""
        if self.problems is None:
            raise error
        self.problems.append(str(error))

    def named_problems(self, path: Path) -> list[str]:
        """Return a line for each of the first :data:`MAX_NAMED` problems in a file, and one that counts the rest."""
        problems = [f"{path}: {problem}" for problem in self.problems or ()]
        more = len(problems) - MAX_NAMED
        return [*problems[:MAX_NAMED], f"{path}: more damaged games: {more:,}"] if more > 0 else problems

    def count_all_but_moves(self, game: PlayedGame, held: frozenset[str] = frozenset()) -> None:
        """Count all details of a game as lost, except its moves.

        :param held: names of the details that the output format can store.
        """
        present = {
            "players": any(game.players),
            "events": game.event,
            "dates": game.date,
            "times": game.elapsed_ms,
            "scores of moves": game.scores,
            VARIATIONS: game.lines,
            "results of games that stopped early": game.ending != FINISHED and (game.ending or game.margin is not None),
        }
        self.not_kept.update(name for name, there in present.items() if there and name not in held)

    def counted(self) -> Iterator[tuple[str, int]]:
        """Yield each loss, such as ``not kept: players``, and the number of games affected, most frequent first."""
        for title, losses in (("left out", self.left_out), ("not kept", self.not_kept)):
            yield from ((f"{title}: {what}", count) for what, count in losses.most_common() if count)


def replay(game: PlayedGame) -> Iterator[tuple[OthelloPosition, int]]:
    """Yield each position of a game with the move played there, including forced passes. The position object is reused.

    Passes after the end of the game are dropped. A forced pass after the last move is played, so that the end of the
    game is recognised.

    :raises GameFileError: if a move is illegal or recorded for the wrong side, or the result does not match.
    """
    position = initial_position(game)
    for count, move in enumerate(game.moves, 1):
        legal = position.legal_moves()
        if legal == [PASS] and move != PASS:
            yield position, PASS
            position.play(PASS)
            legal = position.legal_moves()
        if move == PASS and not legal:
            continue
        if game.sides and game.sides[count - 1] not in (None, position.side_to_move):
            name = format_square(move)
            side = SIDES[1 - position.side_to_move]
            raise GameFileError(f"{game.place}: move {count}, {name}, is recorded for {side}, who is not to move")
        if move not in legal:
            raise GameFileError(f"{game.place}: move {count}, {format_square(move)}, is not legal")
        yield position, move
        position.play(move)
    if position.legal_moves() == [PASS]:
        position.play(PASS)
    check_end(game, position)


def initial_position(game: PlayedGame) -> OthelloPosition:
    """Return a new object for the position in which a game begins."""
    return OthelloPosition(*parse_board(game.board))


def check_end(game: PlayedGame, position: OthelloPosition) -> None:
    if not position.is_over():
        if game.ending == FINISHED:
            raise GameFileError(
                f"{game.place}: recorded as finished, but its {len(game.moves)} moves do not end the game"
            )
    elif game.margin is not None and game.ending in ("", FINISHED):
        discs = position.black.bit_count() - position.white.bit_count()
        check_margin(game.place, game.margin, position.result() // 100, discs)


def check_margin(place: str, margin: float, result: int, discs: int) -> None:
    """Check the recorded margin against the result of the moves, within 0.01 because GGF rounds it.

    :param result: the margin with empty squares given to the winner, which not every source does.
    :param discs: the margin without the empty squares.
    :raises GameFileError: if the recorded margin equals neither.
    """
    if min(abs(margin - result), abs(margin - discs)) > 0.01:
        raise GameFileError(f"{place}: the recorded margin for Black is {margin:+g}, but the moves give {result:+}")


def complete(game: PlayedGame) -> PlayedGame:
    """Return the game with forced passes, the side of each move and, if it ended on the board, the result.

    A final pass is omitted. Every game has exactly one such form, however it was recorded.

    :raises GameFileError: if the game cannot be replayed.
    """
    position = initial_position(game)
    at = 0
    rows: list[tuple[Any, ...]] = []
    for position, move in replay(game):
        written = move == game.moves[at]  # a forced pass may be missing
        beside = (each[at] if written and each else None for each in (game.elapsed_ms, game.scores, game.clocks_ms))
        rows.append((move, position.side_to_move, *beside))
        at += written
    if rows and rows[-1][0] == PASS:
        rows.pop()
    moves, sides, *numbers = zip(*rows, strict=True) if rows else [()] * 5
    elapsed, scores, clocks = map(known, numbers)
    changed = replace(game, moves=moves, sides=sides, elapsed_ms=elapsed, scores=scores, clocks_ms=clocks)
    if position.is_over() and game.ending in ("", FINISHED):
        return replace(changed, margin=position.result() // 100, ending=FINISHED)
    return changed


def known(values: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Return the values, or () if all of them are None."""
    return values if any(value is not None for value in values) else ()
