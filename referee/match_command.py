"""`quietmove-referee match`."""

from __future__ import annotations

import json
import shlex
import signal
from contextlib import closing
from pathlib import Path

import click

from quietmove.referee.config import ENGINE_WORDS, EngineConfig, GameSpec, parse_engine
from quietmove.referee.errors import ConfigError
from quietmove.referee.record import GameRecord

__all__ = ["match"]

WORD_LISTS = ("--engine", "--each")
EXIT_INTERRUPTED = 130
EPILOG = (
    "\b\nKEY=VALUE words of an engine:\n"
    + "\n".join(f"  {key:12} {text}" for key, text in ENGINE_WORDS.items())
    + "\n\n\b\nAn example:\n"
    "  quietmove-referee match --games 10 --each movetime=100 \\\n"
    "    --engine cmd=quietmove name=full \\\n"
    "    --engine cmd=quietmove name=static option.Ordering=static"
    "\n\nWith --json, standard output is one document when the match has ended: engines, complete, score (games,"
    " points, wins, draws, losses, pairs, margin a game, estimate with Elo and its interval; an infinite Elo is null)"
    " from the first engine's view, and games with all their moves. The line a game then goes to standard error."
)


class MatchCommand(click.Command):
    """A command whose ``--engine`` takes all words up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Tie the words after each ``--engine`` into one."""
        tied: list[str] = []
        index = 0
        while index < len(args):
            tied.append(args[index])
            index += 1
            if tied[-1] in WORD_LISTS:
                end = next((i for i in range(index, len(args)) if args[i].startswith("-")), len(args))
                tied.append(shlex.join(args[index:end]))
                index = end
        return super().parse_args(ctx, tied)


@click.command(cls=MatchCommand, epilog=EPILOG, short_help="Play a match between two engines.")
@click.option("--engine", "engines", multiple=True, metavar="KEY=VALUE...", help="An engine; to be given twice.")
@click.option("--each", default="", metavar="KEY=VALUE...", help="Words for both engines, unless they say otherwise.")
@click.option("--games", default=2, show_default=True, type=click.IntRange(1, 1_000_000), help="Two games make a pair.")
@click.option("--openings", type=click.Path(path_type=Path), help="A file with an opening a line: f5d6c3 or 6 4 4 3.")
@click.option("--concurrency", default=1, show_default=True, type=click.IntRange(1, 256), help="Games at once.")
@click.option("--game", default="othello", show_default=True, help="The game to play.")
@click.option("--transcripts", type=click.Path(path_type=Path), help="A directory for a transcript of each game.")
@click.option("--dialogue", is_flag=True, help="Keep every line to and from the engines with each game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def match(
    engines: tuple[str, ...],
    each: str,
    games: int,
    openings: Path | None,
    concurrency: int,
    game: str,
    transcripts: Path | None,
    dialogue: bool,
    as_json: bool,
) -> None:
    """Play a match between two engines and print its score with error bars.

    Each opening is played twice with colours swapped; without --openings every game begins at the initial position. The
    exit status is 0 whatever the engines do, 2 if the match is described wrongly, and 130 after Ctrl-C, which kills all
    engines and prints what was played.
    """
    first, second = _read_engines(engines, each)
    specs = _plan(first, second, games, openings, game, dialogue)
    if transcripts is not None:
        try:
            transcripts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"transcripts: {transcripts}: {error.strerror}") from None
    if openings is None and games > 2:
        click.echo(
            "note: without --openings all pairs begin alike; engines without chance repeat their games", err=True
        )
    records, complete = _play(specs, concurrency, transcripts, as_json)
    _show((first.name, second.name), records, complete, as_json)
    if not complete:
        raise click.exceptions.Exit(EXIT_INTERRUPTED)


def _read_engines(engines: tuple[str, ...], each: str) -> tuple[EngineConfig, EngineConfig]:
    if len(engines) != 2:
        more = "; for more than two there is quietmove-tournament" if len(engines) > 2 else ""
        raise ConfigError(f"match: a match has exactly two engines, {len(engines)} given{more}")
    first, second = (parse_engine(shlex.split(engine), shlex.split(each)) for engine in engines)
    if first.name == second.name:
        raise ConfigError(f"match: both engines are called {first.name}; tell them apart by name=")
    return first, second


def _plan(
    first: EngineConfig, second: EngineConfig, games: int, openings: Path | None, game: str, dialogue: bool
) -> list[GameSpec]:
    """Return the games, once everything has been checked that can be before the first of them."""
    from quietmove.engine.games.base import get_game
    from quietmove.referee.openings import read_openings
    from quietmove.referee.preflight import check_engine
    from quietmove.referee.series import pair_games

    get_game(game)
    opening_moves = ((),) if openings is None else read_openings(openings, game)
    specs = pair_games(first, second, games, opening_moves, game, dialogue)
    for config in (first, second):
        check_engine(config, game)
    return specs


def _play(
    specs: list[GameSpec], concurrency: int, transcripts: Path | None, as_json: bool
) -> tuple[dict[int, GameRecord], bool]:
    """Play the games; return those that were played, and whether these are all."""
    from quietmove.referee.output import game_line
    from quietmove.referee.series import play_series

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    records: dict[int, GameRecord] = {}
    try:
        with closing(play_series(specs, concurrency)) as series:
            for index, record in series:
                records[index] = record
                if transcripts is not None:
                    path = transcripts / f"game-{index + 1:04}.txt"
                    path.write_text(record.transcript(), encoding="utf-8", errors="backslashreplace")
                click.echo(game_line(index, len(specs), record), err=as_json)
    except KeyboardInterrupt:
        return records, False
    return records, True


def _show(names: tuple[str, str], records: dict[int, GameRecord], complete: bool, as_json: bool) -> None:
    from quietmove.referee.output import document, score_lines

    if as_json:
        click.echo(json.dumps(document(names, records, complete)))
    else:
        click.echo("\n".join(score_lines(names, records)))
