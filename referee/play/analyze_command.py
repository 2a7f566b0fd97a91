"""``quietmove analyze``: compare each move of a game with the best one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from quietmove.engine.common.command_line import Duration, examples, number_option
from quietmove.engine.common.progress import with_progress
from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.options import OPTIONS, find_option
from quietmove.engine.search.table import Table
from quietmove.engine.session import SEARCH_FIELDS, Options, make_table
from quietmove.engine.shared_options import complete_game
from quietmove.engine.tools.analysis import report
from quietmove.engine.tools.analysis.records import ReviewedGame, read_records
from quietmove.engine.tools.analysis.report import GameAnalysis, Writer
from quietmove.engine.tools.analysis.review import (
    EXACT_BY_SEARCH,
    EXACT_BY_SOLVER,
    MoveReview,
    ReviewEffort,
    exact_moves,
    review,
    review_of,
)
from quietmove.engine.tools.plot import plot_option
from quietmove.engine.values import MCTS, Limits, Settings
from quietmove.referee.game.saved import keep_review, saved_game_path

KEPT = "The review was saved with the game; 'quietmove practice' quizzes you on its mistakes."
NOT_KEPT = "The review saved earlier with the game is at least as deep and was kept."
DEFAULT_NODES = 300_000  # default limit per search; a game of Othello then takes about 10 seconds


search_option = click.option(
    "--option",
    "words",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a search option, such as Selectivity=0, as 'setoption' does. May be repeated.",
)


@click.command(
    epilog=examples(
        "quietmove analyze f5d6c3d3c4f4e6",
        "quietmove analyze games.ggf --game-number 3 --nodes 200000",
        "quietmove analyze my.txt --json",
    ),
)
@click.argument("game")
@click.option(
    "--game",
    "name",
    default="othello",
    metavar="NAME",
    shell_complete=complete_game,
    help="The game played.  [default: othello]",
)
@click.option("--game-number", type=click.IntRange(1), metavar="N", help="Analyse only the Nth game of a file.")
@click.option(
    "--exact",
    type=click.IntRange(0, 60),
    metavar="N",
    help="Search to the end of the game if at most N moves remain.  "
    f"[default: {EXACT_BY_SOLVER}; {EXACT_BY_SEARCH} in a game without a solver]",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 60),
    metavar="N",
    help="Search positions before the endgame (see --exact) to depth N.",
)
@click.option(
    "--nodes",
    type=click.IntRange(1, 10**15),
    metavar="N",
    help="Search positions before the endgame (see --exact) for N nodes.  [default: 300000]",
)
@click.option(
    "--time",
    "movetime",
    type=Duration("s"),
    metavar="TIME",
    help="Time per search, such as 500ms or 2s; a bare number is in seconds.",
)
@search_option
@number_option("--hash", 64, "Size of the table in MB.", 0, 65536, "megabytes")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
@plot_option
def analyze(
    game: str,
    name: str,
    game_number: int | None,
    exact: int | None,
    depth: int | None,
    nodes: int | None,
    movetime: int | None,
    words: tuple[str, ...],
    megabytes: int,
    json_output: bool,
    plot: Path | None,
) -> None:
    """Show the value of each move of GAME, the best move, and the loss.

    GAME is a transcript (f5d6c3..., or 'f5 d6 c3'), or a file: .txt with one transcript per line, .ggf, .wtb (WTHOR),
    or .jsonl (JSON lines). Several games are analysed one after another. For games other than Othello, GAME is a
    list of moves in protocol notation, a .txt file of such lists, or a .jsonl file.

    Each move is printed as soon as it is searched, starting with the last move. The best move and the move played, if
    different, are searched to the same depth. Near the end of the game the values are exact. If the move played was
    not the best, its search is not limited by --nodes and --time.

    Damaged games in a file are skipped and listed at the end, and the exit status is 2.

    If GAME was saved by 'quietmove play' or the web page, the review is saved with it, unless it already has a deeper
    one.
    """
    rules = get_game(name)
    without = ["multipv"]  # the best move and the move played are always searched
    without += [] if rules.kind == "hidden" else ["deals", "seed"]
    without += [] if movetime else ["move_overhead"]
    settings = replace(read_settings(words, without), multipv=1)
    losses = Losses(problems=[])
    records = read_records(game, rules, game_number, losses)
    if plot is not None and len(records) > 1:
        raise click.UsageError(f"--plot: can draw one game, not {len(records)}; choose one with --game-number")
    if exact is None:
        exact = exact_moves(rules.initial())
    if depth is None and nodes is None and movetime is None:
        nodes = DEFAULT_NODES
    effort = ReviewEffort(settings, Limits(depth=depth, nodes=nodes, movetime=movetime), exact)
    analyses: list[GameAnalysis] = []
    table = make_table(megabytes)
    for analysis in analyze_games(records, effort, table, None if json_output else click.echo):
        analyses.append(analysis)
        if not json_output and len(analyses) < len(records):
            click.echo()
    if path := saved_game_path(game):
        kept = review_of(records[0], analyses[0].reviews, str(effort))
        is_kept = keep_review(path, [rules.format_move(move) for move in records[0].moves], kept)
        if not json_output:
            click.echo(f"\n{KEPT if is_kept else NOT_KEPT}")
    parameters: dict[str, object] = {"depth": depth, "nodes": nodes, "time": movetime and movetime / 1000}
    parameters |= {"exact": exact, "options": " ".join(words), "hash": megabytes}
    if json_output:
        click.echo(report.as_json(analyses, parameters))
    if plot is not None:
        report.draw(analyses[0], plot)
    if problems := losses.named_problems(Path(game)):
        raise GameFileError(problems)


def analyze_games(
    records: Sequence[ReviewedGame],
    effort: ReviewEffort,
    table: Table | None,
    write: Callable[[str], object] | None = None,
) -> Iterator[GameAnalysis]:
    """Yield the analysis of each game as soon as it is complete, with a progress bar of its moves.

    :param write: called with each line of the report for people: each move once it is reviewed, last move first.
    """
    for record in records:
        if table is not None:
            table.clear()
        reviews: list[MoveReview] = []
        analysis = GameAnalysis(record, reviews, effort)
        writer = Writer(record, write) if write else None
        if writer:
            writer.begin(analysis)
        for each in with_progress(review(record, effort, table), len(record.moves), "moves"):
            reviews.insert(0, each)
            if writer:
                writer.move(each)
        if writer:
            writer.end(analysis)
        yield analysis


def read_settings(words: Iterable[str], without: Collection[str] = ()) -> Settings:
    """Return the default search settings, modified by ``NAME=VALUE`` arguments.

    :param without: fields of the settings that have no effect in these searches.
    :raises click.UsageError: if an argument is malformed, or is not a search option.
    :raises OptionError: if there is no such option, or it rejects the value.
    """
    options = Options()
    fields = SEARCH_FIELDS.difference(without, ("exploration",))  # only Algorithm mcts uses exploration
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.UsageError(f"--option: must be NAME=VALUE, not {word!r}")
        option = find_option(name)
        if option.field not in fields:
            allowed = ", ".join(each.name for each in OPTIONS if each.field in fields)
            raise click.UsageError(f"--option: must be one of {allowed}, not {option.name!r}")
        options = options.changed(option.field, option.parse(value))
    if options.settings.algorithm == MCTS:
        raise click.UsageError(f"--option: Algorithm: must be minimax, alphabeta or pvs, not {MCTS!r}")
    return options.settings
