"""The command ``quietmove-referee match``."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path

import click

from quietmove.engine.common.command_line import examples, force_concurrency_option, number_option
from quietmove.engine.common.entry import INTERRUPTED, interrupted_by_requests
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.shared_options import complete_game
from quietmove.referee.arguments.word_lists import WordListCommand, word_list_option
from quietmove.referee.config.model import Adjudication, GameSpec, explanations
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.setup import DEFAULT_GAME, MatchSetup

EPILOG = (
    "Games that repeat another exactly (same opening, colours, moves and verdict) count once: pairs,"
    " Elo and likelihood use the distinct games; points and margin use all games."
    "\n\nWith --json, standard output is a single document at the end of the match: engines, complete, score (games,"
    " distinct, points, wins, draws, losses, pairs, margin per game and margin_error, estimate with Elo and its"
    " interval; an infinite Elo is null) from the first engine's view, and games with all their moves. The line for"
    " each game then goes to standard error.\n\n"
) + examples(
    "quietmove-referee match --games 10 --each movetime=100 \\",
    "  --engine cmd=quietmove name=full \\",
    "  --engine cmd=quietmove name=static option.Ordering=static",
)


def adjudication_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the command-line options for ending games early."""
    for name, text in reversed(explanations(Adjudication).items()):
        command = click.option(f"--{name.replace('_', '-')}", metavar="N", help=text)(command)
    return command


@click.command(cls=WordListCommand, epilog=EPILOG)
@word_list_option("--engine", "engines", text="An engine. Give this option twice.")
@word_list_option("--each", text="Arguments for both engines, unless --engine overrides them.")
@number_option("--games", 2, "Number of games. Two games make a pair.", high=1_000_000)
@click.option(
    "--openings",
    metavar="built-in|random|FILE",
    help="The built-in openings, random ones, or a file with one opening per line (f5d6c3 or 6 4 4 3), "
    "positions (.obf) or games (.ggf, .wtb, .jsonl, .pgn, .sgf).",
)
@click.option(
    "--openings-plies",
    default=0,
    type=click.IntRange(0, 1000),
    metavar="N",
    help="Use N moves of each opening; 0 means all, or 8 if openings are random.",
)
@click.option("--openings-order", default="sequential", show_default=True, type=click.Choice(["sequential", "random"]))
@click.option(
    "--seed",
    default=1,
    show_default=True,
    type=int,
    metavar="N",
    help="Seed for the random order of openings, and for {seed} in an engine's arguments.",
)
@number_option("--concurrency", 1, "Number of concurrent games.", high=256)
@force_concurrency_option
@click.option("--game", default=DEFAULT_GAME, show_default=True, shell_complete=complete_game, help="The game to play.")
@click.option(
    "--transcripts", type=click.Path(path_type=Path), help="A new or empty folder for the games' transcripts."
)
@adjudication_options
@click.option("--sandbox", is_flag=True, help="Run both engines in bubblewrap, as with sandbox=on.")
@click.option("--dialogue", is_flag=True, help="Save every line to and from the engines with each game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def match(
    engines: tuple[list[str], ...],
    each: tuple[list[str], ...],
    games: int,
    openings: str | None,
    openings_plies: int,
    openings_order: str,
    seed: int,
    concurrency: int,
    forced: bool,
    game: str,
    transcripts: Path | None,
    sandbox: bool,
    dialogue: bool,
    as_json: bool,
    **adjudication: str | None,
) -> None:
    """Play a match between two engines and print its score with error bars.

    Each opening is played twice with colours swapped; without --openings, every game starts at the initial position.
    The exit status is 0 however the games end; 1 if an engine fails to start twice or the machine has no room for a
    game; 2 if the arguments are invalid or a user-written game raises an error; and 130 after Ctrl-C. Ctrl-C kills all
    engines. The results so far are printed after Ctrl-C and after an error.
    """
    setup = MatchSetup(game)
    first, second = setup.engines(engines, [*chain.from_iterable(each)], sandbox)
    opening_moves = setup.openings(openings, openings_plies, openings_order, seed, games)
    setup.transcripts(transcripts)
    specs = setup.plan(first, second, games, opening_moves, dialogue, setup.adjudication(adjudication), seed)
    if openings is None and games > 2:
        click.echo(
            "note: without --openings all pairs start alike; deterministic engines repeat their games, and repeats "
            "count once; try --openings random",
            err=True,
        )
    records: dict[int, GameRecord] = {}
    error: BaseException | None = None
    try:
        _play(specs, concurrency, forced, transcripts, as_json, records)
    except (KeyboardInterrupt, QuietmoveError, OSError) as broken_off:
        error = broken_off
    if records or as_json:
        _show((specs[0].black.name, specs[0].white.name), records, error is None, as_json)
    if isinstance(error, KeyboardInterrupt):
        raise click.exceptions.Exit(INTERRUPTED)
    if error is not None:
        raise error


def _play(
    specs: list[GameSpec],
    concurrency: int,
    forced: bool,
    transcripts: Path | None,
    as_json: bool,
    records: dict[int, GameRecord],
) -> None:
    """Play the games and add each to ``records`` as it ends, so that an interruption loses no finished game."""
    from quietmove.referee.match.output import ScoreDisplay
    from quietmove.referee.match.running import fitting_games, play_series

    names = (specs[0].black.name, specs[0].white.name)
    display = ScoreDisplay(names, len(specs), to_stderr=as_json)
    size = fitting_games(concurrency, display.notice, forced=forced)
    games = play_series(specs, size, display.notice)
    with interrupted_by_requests(), closing(games) as series, display.displaying():
        for index, record in series:
            records[index] = record
            if transcripts is not None:
                _write(transcripts / f"game-{index + 1:04}.txt", record.text())
            display.game_ended(index, record)


def _write(path: Path, text: str) -> None:
    """Create a file with this text. The message of an error contains the path."""
    try:
        with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _show(names: tuple[str, str], records: dict[int, GameRecord], complete: bool, as_json: bool) -> None:
    from quietmove.referee.match.output import document, score_lines

    if as_json:
        click.echo(json.dumps(document(names, records, complete)))
    else:
        click.echo("\n".join(score_lines(names, records)))
