"""``quietmove train puzzles``: endgames to practise, with a difficulty that is measured.

Games of the engine against itself give positions with 6 to 16 empty squares. Of these, the ones with one best move are
kept, and the levels try to find it, the weakest first. The most common difficulties have far more endgames than the
rarest, so that of each difficulty as many are taken as keep the file balanced.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

from quietmove.addons.shared.endgames import Endgame, pack_endgames, read_endgames, unpack_endgames
from quietmove.addons.shared.search_depth import Judge, SearchDepth, made_by, processes_option, write_output
from quietmove.addons.shared.work_file import WorkFile
from quietmove.addons.train.selfplay import BLOCK_GAMES, SelfPlay, play_opening
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.symmetry import Board, board_of
from quietmove.engine.levels import FULL_STRENGTH, LEVELS
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.session import Session
from quietmove.engine.tools.report import with_progress
from quietmove.engine.tools.workers import compute
from quietmove.engine.values import Info, Limits, SearchResult, Settings

RANDOM_PLIES = (6, 20)  # the least and the greatest number that a game begins with
PLAY = SearchDepth(depth=3, exact=0)  # the search of a game's other moves
EMPTIES = (6, 16)  # the least and the greatest number of empty squares
LEAST_CHOICES = 3  # legal moves of a position that is worth a question
LARGEST_VALUE = 3000  # hundredths of a disc; a game that is won or lost by more is no question either
SEEDS = range(1, 11)
MOST_MISSES = 1  # a level that misses the move with more of the seeds does not find it
SOLVER_MEGABYTES = 4


@click.command(epilog=examples("quietmove train puzzles endgames.puzzles --games 80000 --processes 2"))
@click.argument("output", type=click.Path(path_type=Path))
@number_option("--count", 2000, "Endgames that are written.", high=65_535)
@number_option("--games", 80_000, "Games, at least; each gives one endgame at most.", high=10**8)
@number_option("--seed", 1, "Of the games.", 0)
@click.option(
    "--work", type=click.Path(path_type=Path), metavar="FILE", help="Where the work is kept.  [default: OUTPUT.work]"
)
@processes_option
def puzzles(output: Path, count: int, games: int, seed: int, work: Path | None, processes: int) -> None:
    """Make endgames to practise, and write them to OUTPUT.

    An endgame has 6 to 16 empty squares and one best move. Its difficulty is the lowest level that finds this move with
    9 of 10 seeds. Each difficulty gets as many endgames as the others, or all that were found.

    What was found is kept in the work file, block by block. The same command goes on where it ended, and gives the same
    bytes, also for another number of processes. With more games it goes on from a file of fewer.
    """
    began = time.perf_counter()
    if output.exists():
        read_endgames(output)  # no other file is overwritten
    elif not output.parent.is_dir():  # all the work would be done first
        raise TrainingError(f"endgames: {output}: must be in a folder that is there")
    blocks = -(-games // BLOCK_GAMES)
    plan = SelfPlay(blocks * BLOCK_GAMES, *RANDOM_PLIES, seed, PLAY)
    made_from = {"seed": seed, "levels": repr(LEVELS), **made_by(PLAY)}
    with WorkFile(work or output.with_name(f"{output.name}.work"), "endgames", made_from, TrainingError) as file:
        found = list(file)[:blocks]
        new = compute(partial(measure_block, plan), range(len(found), blocks), processes)
        for piece in with_progress(new, blocks, "blocks", len(found)):
            file.append(piece)
            found.append(piece)
    chosen = balanced((each for piece in found for each in unpack_endgames(piece)), count)
    data = pack_endgames(chosen)
    write_output(output, data)
    counts = Counter(each.difficulty for each in chosen)
    listed = ", ".join(f"{number}: {counts[number]}" for number in range(FULL_STRENGTH + 1))
    click.echo(f"{output}: {len(chosen):,} endgames, {len(data):,} bytes; {time.perf_counter() - began:.0f} seconds")
    click.echo(f"of each difficulty: {listed}")


def measure_block(plan: SelfPlay, number: int) -> bytes:
    """Return the endgames of a block of games, as a file has them."""
    judge = Judge(plan.effort)
    table = Table(SOLVER_MEGABYTES)
    session = Session()
    found = []
    for game in range(number * BLOCK_GAMES, (number + 1) * BLOCK_GAMES):
        position = reached(judge, plan, game)
        best = one_best_move(position, table) if len(position.legal_moves()) >= LEAST_CHOICES else None
        if best is not None and abs(best[0]) <= LARGEST_VALUE:
            value, move = best
            difficulty = difficulty_of(session, position, move)
            found.append(Endgame(position.black, position.white, position.side_to_move, value, move, difficulty))
    return pack_endgames(found)


def reached(judge: Judge, plan: SelfPlay, game: int) -> OthelloPosition:
    """Return the position of a game in which so many squares are empty as were drawn for it, or its end before that."""
    choices = random.Random(f"{plan.seed} {game}")
    play_opening(judge.position, plan, choices)
    empties = choices.randint(*EMPTIES)
    position = judge.position
    while position.moves_left() > empties and (moves := position.legal_moves()):
        position.play(PASS if moves == [PASS] else judge.value()[1])
    return position.copy()


def one_best_move(position: OthelloPosition, table: Table) -> tuple[int, int] | None:
    """Return the exact value, in hundredths of a disc, and the one best move; None if two moves are as good.

    :param position: with two legal moves at least.
    """
    table.forget()
    lines: dict[int, Info] = {}
    search = Deepening(position.copy(), table, Settings(multipv=2), Limits(goal="solve"))
    for info in search.iterations():
        lines[info.multipv] = info
    best, second = lines[1], lines[2]
    return None if best.score.value == second.score.value else (best.score.value, best.pv[0])


def difficulty_of(session: Session, position: OthelloPosition, best: int) -> int:
    """Return the lowest level that finds the best move with nine of ten seeds; ``FULL_STRENGTH`` if none does.

    :param session: of Othello; its options are changed.
    """
    return next((level for level in range(FULL_STRENGTH) if finds(session, position, best, level)), FULL_STRENGTH)


def finds(session: Session, position: OthelloPosition, best: int, level: int) -> bool:
    misses = 0
    for seed in SEEDS if LEVELS[level].error else SEEDS[:1]:  # no chance is in a level without errors
        misses += move_of(session, position, level, seed) != best
        if misses > MOST_MISSES:
            return False
    return misses == 0 or bool(LEVELS[level].error)


def move_of(session: Session, position: OthelloPosition, level: int, seed: int) -> int | None:
    """Return the move that a level plays."""
    session.configure(session.options.changed("level", level).changed("seed", seed))
    session.set_up(position.copy())
    answers: list[SearchResult] = []
    errors: list[Exception] = []
    session.go(Limits(), lambda info: None, answers.append, errors.append, in_this_thread=True)
    for error in errors:
        raise error
    return answers[0].move


def balanced(found: Iterable[Endgame], count: int) -> list[Endgame]:
    """Return so many endgames, no two of them images of each other, with as many of each difficulty as there can be.

    Within a difficulty the numbers of empty squares take turns, for as long as there are endgames with them.
    """
    boards: dict[Board, Endgame] = {}
    for each in found:
        boards.setdefault(board_of(each.position()), each)
    turns: Counter[tuple[int, int]] = Counter()
    queues: dict[int, list[tuple[int, int, Endgame]]] = defaultdict(list)
    for number, each in enumerate(boards.values()):
        kind = each.difficulty, each.empties
        queues[each.difficulty].append((turns[kind], number, each))
        turns[kind] += 1
    for queue in queues.values():
        queue.sort(key=lambda item: item[:2], reverse=True)
    chosen: list[Endgame] = []
    while len(chosen) < count and any(queues.values()):
        for difficulty in sorted(queues):
            if queues[difficulty] and len(chosen) < count:
                chosen.append(queues[difficulty].pop()[-1])
    return chosen
