"""``quietmove train selfplay``: play games of the engine against itself.

A game has a random opening, continues with a search's best moves, and is played exactly at the end. Random openings of
many lengths produce positions that good games never reach, which an evaluation must also know (Buro 1995, "Statistical
feature combination for the evaluation of game positions").
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from quietmove.addons.shared.search_depth import Judge, SearchDepth, discs, effort_options, made_by, processes_option
from quietmove.addons.shared.workers import compute
from quietmove.addons.train.positions import EXACT, Records, Row, as_records, make_file, result_for
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.games.othello.board import PASS, OthelloPosition

BLOCK_GAMES = 64


@click.command(
    epilog=examples("quietmove train selfplay games.pos --games 100000 --depth 4 --exact 14"),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--games", type=click.IntRange(1, 10**8), required=True, metavar="N", help="Number of games to play.")
@click.option(
    "--random-plies",
    type=(click.IntRange(0, 58), click.IntRange(0, 58)),
    default=(6, 58),
    metavar="FIRST LAST",
    help="Range of the number of random plies at the start of a game, drawn uniformly.  [default: 6 58]",
)
@number_option("--seed", 1, "Seed of the random plies.", 0)
@effort_options(depth=4, exact=14)
@processes_option
def selfplay(
    output: Path,
    games: int,
    random_plies: tuple[int, int],
    seed: int,
    effort: SearchDepth,
    processes: int,
) -> None:
    """Play games and write their positions to OUTPUT, each with its search value and its game's result.

    If OUTPUT already exists, the same command continues it, wherever it stopped. The finished file contains the same
    positions, even with another number of processes.
    """
    shortest, longest = random_plies
    if shortest > longest:
        raise click.UsageError(f"--random-plies: FIRST must be at most LAST, {longest}, not {shortest}")
    plan = SelfPlay(games, shortest, longest, seed, effort)

    def blocks(done: list[Records]) -> Iterator[Records]:
        return compute(partial(play_block, plan), range(len(done), plan.blocks), processes)

    made_from = {"games": games, "random plies": random_plies, "seed": seed, **made_by(effort)}
    make_file(output, made_from, plan.blocks, blocks)


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """A plan for self-play games. The plan and a game's number determine the game.

    :param games: the number of games.
    :param shortest, longest: range of the random opening's length in plies, drawn uniformly.
    :param seed: the seed for the openings.
    :param effort: the search that chooses the moves and provides the values.
    """

    games: int
    shortest: int
    longest: int
    seed: int
    effort: SearchDepth

    @property
    def blocks(self) -> int:
        """The number of blocks of games."""
        return -(-self.games // BLOCK_GAMES)


def play_block(plan: SelfPlay, number: int) -> Records:
    """Return the positions of a block of games, each with its value, result and game number."""
    judge = Judge(plan.effort)
    first = number * BLOCK_GAMES
    games = range(first, min(first + BLOCK_GAMES, plan.games))
    return as_records(row for game in games for row in play_game(judge, plan, game))


def play_game(judge: Judge, plan: SelfPlay, game: int) -> list[Row]:
    play_opening(judge.position, plan, random.Random(f"{plan.seed} {game}"))
    plies = list(play_on(judge))
    result = judge.position.result() // 100  # from Black's point of view
    return [(own, opp, game, value, result_for(side, result), flags) for side, own, opp, value, flags in plies]


def play_opening(position: OthelloPosition, plan: SelfPlay, choices: random.Random) -> None:
    """Set up the position after a random opening, redrawing openings that end the game."""
    while True:
        position.set_up(0x810000000, 0x1008000000, 0)
        for _ in range(choices.randint(plan.shortest, plan.longest)):
            if moves := position.legal_moves():
                position.play(choices.choice(moves))
        if not position.is_over():
            return


def play_on(judge: Judge) -> Iterator[tuple[int, int, int, int, int]]:
    """Play to the end and yield each position, except forced passes: side to move, both sides' discs, value and flags.

    After the first exact value, each value follows from the previous one, so a narrow window suffices to find the move.
    """
    position = judge.position
    look = judge.value
    while moves := position.legal_moves():
        if moves == [PASS]:
            position.play(PASS)
            continue
        exact = judge.is_exact()
        side = position.side_to_move
        value, move = look()
        yield side, *discs(position), value, EXACT if exact else 0
        position.play(move)
        if exact:
            absolute = -value if side else value
            look = partial(known_value, judge, absolute)


def known_value(judge: Judge, absolute: int) -> tuple[int, int]:
    """Return a known value, from the side to move's point of view, and the move that achieves it."""
    value = -absolute if judge.position.side_to_move else absolute
    return judge.value(value - 1, value + 1)
