"""A game that was played, as every kind of file gives it and takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.notation import START, format_square, parse_board

FINISHED = "finished"
INITIAL = (START, "X")  # the fields of the position in which a game usually begins
SIDES = ("Black", "White")
VARIATIONS = "variations and comments"
MAX_NAMED = 20  # a file of another kind would have an error for each of its lines


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as it was written.

    :param place: where it stands in its file.
    :param board: the fields of the position in which it begins, as :func:`parse_board` reads them.
    :param moves: squares; passes may be left out.
    :param margin: Black's discs at the end less White's, or None where that is not written.
    :param sides: the side of each move, None where it is not written; or none of them.
    :param players: the names of Black and White, empty where they are not written.
    :param event: the tournament or the server; ``date``: as it is written there.
    :param ending: why it ended, in the words of the referee's verdicts, such as ``finished`` on the board, ``resign``
        and ``timeout``; empty where that is not written.
    :param elapsed_ms: milliseconds that each move took, None where that is not written; empty if it never is.
    :param scores: the value that the player claimed with each move, in hundredths of a disc from the mover's view;
        None where that is not written; empty if it never is.
    :param clocks_ms: milliseconds left on the mover's clock after each move, None where that is not written; empty if
        it never is.
    :param beside: what the referee's own files say besides, by their keys: ``people``, ``opponent`` and ``detail``.
    :param lines: all lines of the tree of moves, the main one first, and those that end in a comment, each as its
        moves from the beginning on and the comment; none where nothing was tried beside the game.
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


@dataclass
class Losses:
    """What is lost from one kind of file to another, each with the number of games that it happened to.

    :ivar left_out: games that were not carried over, by the reason.
    :ivar not_kept: what was not kept of the games that were.
    :ivar problems: the errors of damaged games, which are skipped; None to raise the first one.
    """

    left_out: Counter[str] = field(default_factory=Counter)
    not_kept: Counter[str] = field(default_factory=Counter)
    problems: list[str] | None = None

    def read_each(self, reads: Iterable[Callable[[], PlayedGame | None]]) -> Iterator[PlayedGame]:
        """Yield the games that are read one after another, but for those that are left out."""
        for read in reads:
            try:
                game = read()
            except GameFileError as error:
                if self.problems is None:
                    raise
                self.problems.append(str(error))
                self.left_out["damaged"] += 1
                continue
            if game is not None:
                yield game

    def named_problems(self, path: Path) -> list[str]:
        """Return a line for each problem of a file; after the first :data:`MAX_NAMED`, one that counts the others."""
        problems = [f"{path}: {problem}" for problem in self.problems or ()]
        more = len(problems) - MAX_NAMED
        return [*problems[:MAX_NAMED], f"{path}: more damaged games: {more:,}"] if more > 0 else problems

    def count_all_but_moves(self, game: PlayedGame, held: frozenset[str] = frozenset()) -> None:
        """Count what a game has and its moves do not say.

        :param held: the names of what is kept of it.
        """
        found = {
            "players": any(game.players),
            "events": game.event,
            "dates": game.date,
            "times": game.elapsed_ms,
            "scores of moves": game.scores,
            VARIATIONS: game.lines,
            "results of games that stopped early": game.ending != FINISHED and (game.ending or game.margin is not None),
        }
        self.not_kept.update(name for name, there in found.items() if there and name not in held)

    def counted(self) -> Iterator[tuple[str, int]]:
        """Yield each loss, such as ``not kept: players``, with its number of games; the most frequent first."""
        for title, found in (("left out", self.left_out), ("not kept", self.not_kept)):
            yield from ((f"{title}: {what}", count) for what, count in found.most_common() if count)


def replay(game: PlayedGame) -> Iterator[tuple[OthelloPosition, int]]:
    """Yield each position of a game with the move made there, forced passes too; it is one object that moves on.

    Passes after the end of the game are dropped. After the last move it is played on over a forced pass, so that a game
    that is over is known to be.

    :raises GameFileError: if a move is not legal or not of the side to move, or the result is not what was written.
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
            raise GameFileError(f"{game.place}: move {count}, {name}, is written for {side}, who is not to move")
        if move not in legal:
            raise GameFileError(f"{game.place}: move {count}, {format_square(move)}, is not legal")
        yield position, move
        position.play(move)
    if position.legal_moves() == [PASS]:
        position.play(PASS)
    check_end(game, position)


def initial_position(game: PlayedGame) -> OthelloPosition:
    """Return the position in which a game begins, new each time."""
    return OthelloPosition(*parse_board(game.board))


def check_end(game: PlayedGame, position: OthelloPosition) -> None:
    if not position.is_over():
        if game.ending == FINISHED:
            raise GameFileError(f"{game.place}: it is written as finished; its {len(game.moves)} moves do not end it")
    elif game.margin is not None and game.ending in ("", FINISHED):
        discs = position.black.bit_count() - position.white.bit_count()
        check_margin(game.place, game.margin, position.result() // 100, discs)


def check_margin(place: str, margin: float, result: int, discs: int) -> None:
    """Compare the margin that is written with that of the moves; GGF rounds to 0.01.

    :param result: with the empty squares given to the winner, which not every source does.
    :param discs: without them.
    :raises GameFileError: if it is neither.
    """
    if min(abs(margin - result), abs(margin - discs)) > 0.01:
        raise GameFileError(f"{place}: a margin of {margin:+g} for Black is written; its moves give {result:+}")


def complete(game: PlayedGame) -> PlayedGame:
    """Return the game with its forced passes, the side of each move and, if the board ended it, its result.

    A pass after the last other move is left out. One game has one such form, however it was written.

    :raises GameFileError: if it cannot be replayed.
    """
    position = initial_position(game)
    at = 0
    rows: list[tuple[Any, ...]] = []
    for position, move in replay(game):
        written = move == game.moves[at]  # a forced pass may not be
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
    """Return the values, nothing if none is known."""
    return values if any(value is not None for value in values) else ()
