"""``quietmove-tournament standings``, ``games`` and ``verify``: print or check the contents of a store."""

from __future__ import annotations

from pathlib import Path

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.common.text import printable
from quietmove.engine.protocol.notation import NOTATIONS
from quietmove.referee.match.output import game_line
from quietmove.tournament.formats import plan_of
from quietmove.tournament.options import notation_option, own_game_option, store_argument
from quietmove.tournament.reporting.terminal import print_standings
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.verify import faults_in

EXIT_FAULT = 1


@click.command(
    epilog=examples("quietmove-tournament standings my.sqlite", "quietmove-tournament standings my.sqlite --json")
)
@store_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def standings(store: Path, as_json: bool) -> int:
    """Print the table of STORE, during the tournament or later.

    JSON: "standings" has a row per engine, best first (elo and error against the average of the field, superiority over
    the next row, margin in all games, margins with the number of games that ended with each, distinct_margin per game
    with its standard error by pairs, verdicts charged to it, the time it used); "meetings" has the scores
    between each two engines, with the number of pairs in which the first scored 0, 1/2, 1, 3/2 and 2 points
    (pentanomial), and the estimate
    from these games alone, in Elo and normalized Elo (an infinite one is null). "progress" has the games per second and
    the seconds left; "summary" has the format's own results, such as "llr" and "accepted" of an sprt.
    "distinct" counts the games without exact repetitions; elo, error, superiority, distinct_margin, pentanomial and
    estimate use the distinct games, all other numbers use all games.
    """
    with Store.open_to_read(store) as opened:
        print_standings(opened, as_json)
    return 0


@click.command(
    epilog=examples(
        "quietmove-tournament games my.sqlite 17", "quietmove-tournament games my.sqlite --json > my.jsonl"
    ),
)
@store_argument
@own_game_option
@click.argument("numbers", nargs=-1, type=click.IntRange(1), metavar="[NUMBER]...")
@click.option("--json", "as_json", is_flag=True, help="Print every record, one JSON object per line.")
@notation_option
def games(store: Path, numbers: tuple[int, ...], as_json: bool, notation: str | None) -> int:
    """List the games of STORE, one per line; with NUMBERs, print their transcripts.

    Without --notation, a transcript has each move in both notations, the tournament's first.
    """
    with Store.open_to_read(store) as opened:
        usual = opened.tournament.notation
        planned = plan_of(opened.tournament).planned(opened.results())
        selected = [(game, record) for game, record in opened.games() if not numbers or game.number in numbers]
    shown = (notation,) if notation else (usual, *(name for name in NOTATIONS if name != usual))
    for game, record in selected:
        if as_json:
            click.echo(record.in_notation(notation or usual).to_json())
        elif numbers:
            click.echo(f"Number   {game.number}, round {game.id.round}, seed {game.seed}\n{record.text(shown)}")
        else:
            click.echo(game_line(game.number - 1, planned, record))
    if absent := sorted(set(numbers) - {game.number for game, _ in selected}):
        raise click.UsageError(f"{store} contains no game {', '.join(map(str, absent))}")
    return 0


@click.command(epilog=examples("quietmove-tournament verify my.sqlite"))
@store_argument
@own_game_option
def verify(store: Path) -> int:
    """Check that the contents of STORE are consistent, and print a line for each fault.

    Each game is replayed by the rules: its opening, its moves, dice and deals, its clocks, its verdict and its score.
    The columns used for the table are compared with the records, and the games with those the format asks for. What
    only the engines know is not checked: the times themselves, and the values they reported. Games that existed only in
    the log of SQLite (STORE-wal) and were lost with it cannot be detected, because they look like unplayed games.

    The exit status is 0 if there are no faults, 1 if there are any, and 2 if STORE cannot be read.
    """
    faults = 0
    with Store.open_to_read(store) as opened:
        for fault in faults_in(opened):
            faults += 1
            click.echo(printable(fault))
        results = opened.results()
        if not faults and not plan_of(opened.tournament).has_ended(results):
            click.echo(printable(f"note: games are missing: not played yet, or lost without a trace with {store}-wal"))
    summary = "no fault" if not faults else f"{faults} fault{'s' * (faults > 1)}"
    click.echo(printable(f"{store}: {len(results)} games, {summary}"))
    return EXIT_FAULT if faults else 0
