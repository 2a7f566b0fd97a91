"""``quietmove train puzzles``: create endgame puzzles with measured difficulty.

Games of the engine against itself provide positions with 6 to 16 empty squares. If a position has a single best move,
the levels try to find that move, weakest first. Some difficulties are far more common than others, so the file is
limited to a balanced number of each.
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
from quietmove.addons.shared.workers import compute
from quietmove.addons.train.selfplay import BLOCK_GAMES, SelfPlay, play_opening
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.common.progress import with_progress
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.symmetry import Board, board_of
from quietmove.engine.levels import FULL_STRENGTH, LEVELS
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.session import Session
from quietmove.engine.values import Info, Limits, SearchResult, Settings

RANDOM_PLIES = (6, 20)  # range of the number of random plies at the start of a game
PLAY = SearchDepth(depth=3, exact=0)  # the search that chooses the later moves
EMPTIES = (6, 16)  # range of the number of empty squares
MIN_CHOICES = 3  # minimum number of legal moves in a puzzle
MAX_VALUE = 3000  # hundredths of a disc; positions with larger values are not good puzzles
SEEDS = range(1, 11)
MAX_MISSES = 1  # maximum number of seeds with which a level may miss the move
SOLVER_MEGABYTES = 4


@click.command(epilog=examples("quietmove train puzzles endgames.puzzles --games 80000 --processes 2"))
@click.argument("output", type=click.Path(path_type=Path))
@number_option("--count", 2000, "Number of endgames to write.", high=65_535)
@number_option("--games", 80_000, "Minimum number of games; each yields at most one endgame.", high=10**8)
@number_option("--seed", 1, "Seed of the games.", 0)
@click.option(
    "--work",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File for intermediate results.  [default: OUTPUT.work]",
)
@processes_option
def puzzles(output: Path, count: int, games: int, seed: int, work: Path | None, processes: int) -> None:
    """Create endgame puzzles and write them to OUTPUT.

    A puzzle has 6 to 16 empty squares and a single best move. Its difficulty is the lowest level that finds the move
    with 9 of 10 seeds. Where possible, each difficulty gets the same number of puzzles.

    Results are saved in the work file, block by block. Repeat the command to continue it; the output is the same, even
    with another number of processes. A run with more games can continue the work file of a smaller run.
    """
    began = time.perf_counter()
    if output.exists():
        read_endgames(output)  # refuse to overwrite another kind of file
    elif not output.parent.is_dir():  # fail before doing all the work
        raise TrainingError(f"endgames: {output}: the folder does not exist")
    blocks = -(-games // BLOCK_GAMES)
    plan = SelfPlay(blocks * BLOCK_GAMES, *RANDOM_PLIES, seed, PLAY)
    made_from = {"seed": seed, "levels": repr(LEVELS), **made_by(PLAY)}
    with WorkFile(work or output.with_name(f"{output.name}.work"), "endgames", made_from, TrainingError) as file:
        blocks_done = list(file)[:blocks]
        new = compute(partial(measure_block, plan), range(len(blocks_done), blocks), processes)
        for piece in with_progress(new, blocks, "blocks", len(blocks_done)):
            file.append(piece)
            blocks_done.append(piece)
    chosen = balanced((each for piece in blocks_done for each in unpack_endgames(piece)), count)
    data = pack_endgames(chosen)
    write_output(output, data)
    counts = Counter(each.difficulty for each in chosen)
    listed = ", ".join(f"{number}: {counts[number]}" for number in range(FULL_STRENGTH + 1))
    click.echo(f"{output}: {len(chosen):,} endgames, {len(data):,} bytes; {time.perf_counter() - began:.0f} seconds")
    click.echo(f"of each difficulty: {listed}")


def measure_block(plan: SelfPlay, number: int) -> bytes:
    """Return the endgames of a block of games, packed as in a file."""
    judge = Judge(plan.effort)
    table = Table(SOLVER_MEGABYTES)
    session = Session()
    endgames = []
    for game in range(number * BLOCK_GAMES, (number + 1) * BLOCK_GAMES):
        position = reached(judge, plan, game)
        best = one_best_move(position, table) if len(position.legal_moves()) >= MIN_CHOICES else None
        if best is not None and abs(best[0]) <= MAX_VALUE:
            value, move = best
            difficulty = difficulty_of(session, position, move)
            endgames.append(Endgame(position.black, position.white, position.side_to_move, value, move, difficulty))
    return pack_endgames(endgames)


def reached(judge: Judge, plan: SelfPlay, game: int) -> OthelloPosition:
    """Return a game's position at its randomly drawn number of empty squares, or its end if that comes first."""
    choices = random.Random(f"{plan.seed} {game}")
    play_opening(judge.position, plan, choices)
    empties = choices.randint(*EMPTIES)
    position = judge.position
    while position.moves_left() > empties and (moves := position.legal_moves()):
        position.play(PASS if moves == [PASS] else judge.value()[1])
    return position.copy()


def one_best_move(position: OthelloPosition, table: Table) -> tuple[int, int] | None:
    """Return the exact value, in hundredths of a disc, and the best move, or None if the best move is not unique.

    :param position: a position with at least two legal moves.
    """
    table.forget()
    lines: dict[int, Info[int]] = {}
    search = Deepening(position.copy(), table, Settings(multipv=2), Limits(goal="solve"))
    for info in search.iterations():
        lines[info.rank] = info
    best, second = lines[1], lines[2]
    return None if best.score.value == second.score.value else (best.score.value, best.pv[0])


def difficulty_of(session: Session, position: OthelloPosition, best: int) -> int:
    """Return the lowest level that finds the best move with at least 9 of 10 seeds, or ``FULL_STRENGTH`` if none does.

    :param session: an Othello session, whose options are changed.
    """
    return next((level for level in range(FULL_STRENGTH) if finds(session, position, best, level)), FULL_STRENGTH)


def finds(session: Session, position: OthelloPosition, best: int, level: int) -> bool:
    misses = 0
    for seed in SEEDS if LEVELS[level].error else SEEDS[:1]:  # a level without errors plays deterministically
        misses += move_of(session, position, level, seed) != best
        if misses > MAX_MISSES:
            return False
    return misses == 0 or bool(LEVELS[level].error)


def move_of(session: Session, position: OthelloPosition, level: int, seed: int) -> int | None:
    """Return a level's move."""
    session.configure(session.options.changed("level", level).changed("seed", seed))
    session.set_up(position.copy())
    answers: list[SearchResult] = []
    errors: list[Exception] = []
    session.go(Limits(), lambda info: None, answers.append, errors.append, in_this_thread=True)
    for error in errors:
        raise error
    return answers[0].move


def balanced(found: Iterable[Endgame], count: int) -> list[Endgame]:
    """Return up to ``count`` endgames, no two of them symmetric, with difficulties as balanced as possible.

    Within a difficulty, the numbers of empty squares alternate as long as there are endgames.
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
