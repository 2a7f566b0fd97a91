"""`quietmove-referee match`."""

from __future__ import annotations

import json
import shlex
import signal
from contextlib import closing
from pathlib import Path

import click

from quietmove.engine.errors import QuietmoveError
from quietmove.referee.config import EngineConfig, GameSpec
from quietmove.referee.errors import RefereeError, SetupError
from quietmove.referee.record import GameRecord
from quietmove.referee.words import engine_words, read_engine

__all__ = ["match"]

WORD_LISTS = ("--engine", "--each")
EXIT_INTERRUPTED = 130
DEFAULT_GAME = "othello"
EPILOG = (
    "\b\nKEY=VALUE words of an engine:\n"
    + "\n".join(f"  {key:12} {text}" for key, text in engine_words().items())
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
@click.option(
    "--each", multiple=True, metavar="KEY=VALUE...", help="Words for both engines, unless they say otherwise."
)
@click.option("--games", default=2, show_default=True, type=click.IntRange(1, 1_000_000), help="Two games make a pair.")
@click.option("--openings", type=click.Path(path_type=Path), help="A file with an opening a line: f5d6c3 or 6 4 4 3.")
@click.option("--concurrency", default=1, show_default=True, type=click.IntRange(1, 256), help="Games at once.")
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="The game to play.")
@click.option(
    "--transcripts", type=click.Path(path_type=Path), help="A new or empty directory for a transcript of each game."
)
@click.option("--dialogue", is_flag=True, help="Keep every line to and from the engines with each game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def match(
    engines: tuple[str, ...],
    each: tuple[str, ...],
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
    setup = _Setup(game)
    first, second = setup.engines(engines, [word for words in each for word in shlex.split(words)])
    opening_moves = setup.openings(openings)
    setup.transcripts(transcripts)
    specs = setup.plan(first, second, games, opening_moves, dialogue)
    if openings is None and games > 2:
        click.echo(
            "note: without --openings all pairs begin alike; engines without chance repeat their games", err=True
        )
    records: dict[int, GameRecord] = {}
    error: BaseException | None = None
    try:
        _play(specs, concurrency, transcripts, as_json, records)
    except (KeyboardInterrupt, QuietmoveError) as broken_off:
        error = broken_off
    _show((specs[0].black.name, specs[0].white.name), records, error is None, as_json)
    if isinstance(error, KeyboardInterrupt):
        raise click.exceptions.Exit(EXIT_INTERRUPTED)
    if error is not None:
        raise error


class _Setup:
    """One reading of a command line; what is wrong is gathered and reported at once."""

    def __init__(self, game: str) -> None:
        from quietmove.engine.games.base import get_game

        self.problems: list[str] = []
        self.game: str | None = game
        try:
            self.game = get_game(game).name
        except QuietmoveError as error:
            self.problems.append(str(error))
            self.game = None

    def engines(self, engines: tuple[str, ...], each: list[str]) -> tuple[EngineConfig | None, ...]:
        """Return the two engines, each None where its words do not describe one; ask those that there are."""
        if len(engines) != 2:
            more = "; for more than two there is quietmove-tournament" if len(engines) > 2 else ""
            self.problems.append(f"match: a match has exactly two engines, {len(engines)} given{more}")
        found = []
        for words in engines:
            config, problems = read_engine(shlex.split(words), each)
            self.problems += problems
            found.append(config)
        self._check_names(found)
        self._check_engines([config for config in found if config])
        return (*found, None, None)[:2]

    def openings(self, path: Path | None) -> tuple[tuple[str, ...], ...]:
        """Return the openings of the file, or the empty one."""
        from quietmove.referee.openings import read_openings

        if path is not None and self.game is not None:
            try:
                return read_openings(path, self.game)
            except RefereeError as error:
                self.problems.append(str(error))
        return ((),)

    def transcripts(self, directory: Path | None) -> None:
        """Refuse a directory that holds another match; make the directory if nothing else is wrong."""
        if directory is None:
            return
        if found := next(directory.glob("game-*.txt"), None):
            self.problems.append(f"transcripts: {directory} holds {found.name} already; give a new or empty directory")
        elif not self.problems:
            try:
                directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                self.problems.append(f"transcripts: {directory}: {error.strerror}")

    def plan(
        self,
        first: EngineConfig | None,
        second: EngineConfig | None,
        games: int,
        openings: tuple[tuple[str, ...], ...],
        dialogue: bool,
    ) -> list[GameSpec]:
        """Return the games.

        :raises SetupError: with everything that was wrong.
        """
        from quietmove.referee.series import pair_games

        if first and second and self.game is not None:
            try:
                specs = pair_games(first, second, games, openings, self.game, dialogue)
            except SetupError as error:
                self.problems += error.problems
        if self.problems:
            raise SetupError(list(dict.fromkeys(self.problems)))  # what --each says wrongly is wrong for both
        return specs

    def _check_names(self, engines: list[EngineConfig | None]) -> None:
        names = [config.name for config in engines if config]
        if len(names) == 2 and names[0] == names[1]:
            self.problems.append(f"match: both engines are called {names[0]}; tell them apart by name=")

    def _check_engines(self, engines: list[EngineConfig]) -> None:
        from quietmove.referee.preflight import check_engines

        for config, objections in zip(
            engines, check_engines(engines, self.game or DEFAULT_GAME, max(1, len(engines))), strict=True
        ):
            self.problems += [f"engine {config.name}: {objection.text}" for objection in objections]


def _play(
    specs: list[GameSpec],
    concurrency: int,
    transcripts: Path | None,
    as_json: bool,
    records: dict[int, GameRecord],
) -> None:
    """Play the games; those that were played are in ``records``, also when this is broken off."""
    from quietmove.referee.output import game_line
    from quietmove.referee.series import play_series

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    with closing(play_series(specs, concurrency)) as series:
        for index, record in series:
            records[index] = record
            if transcripts is not None:
                path = transcripts / f"game-{index + 1:04}.txt"
                with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(record.text())
            click.echo(game_line(index, len(specs), record), err=as_json)


def _show(names: tuple[str, str], records: dict[int, GameRecord], complete: bool, as_json: bool) -> None:
    from quietmove.referee.output import document, score_lines

    if as_json:
        click.echo(json.dumps(document(names, records, complete)))
    else:
        click.echo("\n".join(score_lines(names, records)))
