"""``quietmove-tournament compare`` and ``tune``: tournaments of two engines specified on the command line."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click

from quietmove.engine.common.command_line import Duration, examples, number_option
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import complete_game
from quietmove.referee.arguments.engine_args import program_name
from quietmove.referee.config.model import OWN_ENGINE
from quietmove.referee.config.openings import BUILT_IN, RANDOM, RANDOM_OPENINGS
from quietmove.referee.process.launch import is_there
from quietmove.referee.seats.pool import Ask, check_engines
from quietmove.tournament.config.config import load_config, read_tournament
from quietmove.tournament.definition import DEFAULT_GAME, Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats import get_format, plan_of
from quietmove.tournament.formats.sprt import ELO1
from quietmove.tournament.options import STORE, json_option, setting_option, store_path
from quietmove.tournament.playing.backends import GameBackend, backend_options
from quietmove.tournament.playing.commands import play
from quietmove.tournament.playing.scale import scale_option, scaled
from quietmove.tournament.statistics.spsa import read_parameters
from quietmove.tournament.store.store import Store

DEFAULT_LIMIT = "nodes=10000"  # used without another limit, because it gives the same games on every machine
PAIRS_AT_ONCE = 8  # default of --pairs-at-once: 16 concurrent games keep 16 processors busy
MIN_ROUNDS = 25  # minimum number of rounds in which the values change, even with few pairs
LIMITS = ("tc", "movetime", "nodes", "depth")
KINDS = "options (NAME=VALUE, separated by commas) or the command of an engine"


@dataclass(frozen=True, slots=True)
class Games:
    """The options for games that ``compare`` and ``tune`` share.

    :param command: the engine whose options are set.
    :param limit: the limit in a configuration's format. If None, the configuration's limit applies or, without one,
        :data:`DEFAULT_LIMIT`.
    :param openings: ``built-in``, ``random`` or a file. If None, the configuration's or, without any, random ones.
    :param overrides: ``KEY=VALUE`` settings for the configuration.
    :param ask: a function that checks the engines on the machines where they will play.
    """

    command: str = OWN_ENGINE
    limit: str | None = None
    game: str = DEFAULT_GAME
    openings: str | None = None
    seed: int = 1
    overrides: Sequence[str] = ()
    ask: Ask = check_engines

    def tournament(self, keys: Mapping[str, Any]) -> Tournament:
        """Return the tournament described by ``keys`` and these options, after checking its engines.

        :raises TournamentError: listing every problem.
        """
        defaults = {"limit": self.limit or DEFAULT_LIMIT, **keys.get("defaults", {})}
        data = {"game": self.game, "seed": self.seed, **keys, "defaults": defaults}
        return read_tournament(data | self._openings(), self.overrides, self.ask)

    def _openings(self) -> dict[str, Any]:
        """Return the openings to configure, or {} if an override sets them or the game has chance or hidden cards."""
        if self.openings not in (None, RANDOM):
            return {"openings": self.openings}
        if any(each.partition("=")[0].strip() == "openings" for each in self.overrides):
            return {}
        try:
            perfect = get_game(self.game).kind == "perfect"
        except UnknownGameError:
            perfect = False  # the unknown game is reported together with all other mistakes
        return {"openings_random": RANDOM_OPENINGS} if perfect else {}


def comparison(first: str, second: str, games: Games, test: Mapping[str, Any], file: Path | None = None) -> Tournament:
    """Return the match that decides whether ``first`` is better than ``second``.

    :param first, second: options of one engine (``Ordering=full, Hash=4``; "" for its defaults), or the commands of two
        engines; with ``file``, the names of two engines in it.
    :param test: settings of format sprt; missing ones have their defaults.
    :param file: a configuration file, whose format and other engines are ignored.
    :raises TournamentError: listing every problem.
    """
    test = {"elo1": ELO1, **test}
    if file is not None:
        return _comparison_in(file, (first, second), games, test)
    players = [_player(text, games.command) for text in (first, second)]
    names = _names([first, second], players)
    return games.tournament(_match(names, players, test))


def commit_comparison(
    repository: Path, base: str, test: str, builds: Mapping[str, Any], games: Games, settings: Mapping[str, Any]
) -> Tournament:
    """Return the match that decides whether commit ``test`` has a better engine than commit ``base``.

    :param builds: the build and engine commands and the time limit of :func:`git_builds.built_engines`.
    :param settings: settings of format sprt.
    :raises TournamentError: if a commit cannot be built, or the match is invalid; the error lists every problem.
    """
    from quietmove.tournament.git_builds import built_engines  # needed only for --git

    engines = built_engines(repository, (test, base), **builds)
    return games.tournament(_match([engine["name"] for engine in engines], engines, {"elo1": ELO1, **settings}))


def _match(names: Sequence[str], players: Sequence[Mapping[str, Any]], test: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a sequential test. If both players are the same, the second one's name says so."""
    names = (names[0], _second_name(names))
    engines = [{**player, "name": name} for name, player in zip(names, players, strict=True)]
    return {"name": _title(names), "format": "sprt", **test, "engine": engines}


def _second_name(names: Sequence[str]) -> str:
    return f"{names[1]} (again)" if names[0] == names[1] else names[1]


def _comparison_in(path: Path, names: tuple[str, str], games: Games, test: Mapping[str, Any]) -> Tournament:
    more = [f"each.limit={games.limit}"] if games.limit else []
    if games.openings:
        is_file = games.openings not in (BUILT_IN, RANDOM)
        more += [f'openings="{Path(games.openings).absolute() if is_file else games.openings}"']
    configured = load_config(path, games.seed, (*more, *games.overrides), games.ask)
    engines = {engine.name: engine for engine in configured.engines}
    for name in names:
        if name not in engines:
            raise TournamentError(f"compare: {path} has no engine {name!r}; its engines are: {', '.join(engines)}")
    second = _second_name(names)
    settings = []
    for row in get_format("sprt").settings:
        try:
            settings.append((row.name, row.check(test.get(row.name, row.default))))
        except ValueError as error:
            raise TournamentError(f"compare: {row.name}: {error}") from None
    made = replace(
        configured,
        name=_title((names[0], second)),
        engines=(engines[names[0]], replace(engines[names[1]], name=second)),
        format="sprt",
        settings=tuple(settings),
    )
    if problems := plan_of(made).problems():
        raise TournamentError(f"{key}: {text}" for key, text in problems)
    return made


def tuning(
    options: Sequence[str], pairs: int, games: Games, rate: float | None = None, pairs_at_once: int | None = None
) -> Tournament:
    """Return a tournament of an engine against itself that tunes its options.

    :param options: the options to tune, each as ``NAME=START:MIN:MAX[:STEP]``.
    :param rate, pairs_at_once: settings of format spsa; if None, the default rate and a suitable number of pairs.
    :raises TournamentError: listing every problem.
    """
    try:
        parameters = read_parameters(", ".join(options))
        command = shlex.split(games.command)
    except (TournamentError, ValueError) as error:
        raise TournamentError(f"tune: {error}") from None
    return games.tournament(
        {
            "name": f"tune {' '.join(each.name for each in parameters)}",
            "format": "spsa",
            "parameters": ", ".join(options),
            "pairs": pairs,
            "pairs_at_once": pairs_at_once or max(1, min(PAIRS_AT_ONCE, pairs // MIN_ROUNDS)),
            "defaults": {"command": command, "options": {each.name: each.start for each in parameters}},
            "engine": [{"name": "up"}, {"name": "down"}],
            **({} if rate is None else {"rate": rate}),
        }
    )


def _player(text: str, command: str) -> dict[str, Any]:
    """Return the keys of an engine given by its command, or by options of the engine ``command``."""
    try:
        words = shlex.split(text)
        program = shlex.split(command)
    except ValueError as error:
        raise TournamentError(f"compare: {text!r}: {error}") from None
    if words and "=" not in words[0] and is_there(words):
        return {"command": words}
    options = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            if words and (os.sep in words[0] or len(words) > 1):
                raise TournamentError(f"compare: there is no program {words[0]!r}, or it is not executable")
            raise TournamentError(f"compare: must be {KINDS}, not {text!r}")
        options[name.strip()] = value.strip()
    return {"command": program, "options": options}


def _names(texts: Sequence[str], players: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the names of the two engines: the options as given, or the program of a command.

    If both names are equal, the arguments are appended; if they are still equal, the texts themselves are the names.
    """
    for with_arguments in (False, True):
        first, second = (
            text.strip() or "default"
            if "options" in player
            else program_name(player["command"], with_arguments=with_arguments)
            for text, player in zip(texts, players, strict=True)
        )
        if first != second:
            return first, second
    return texts[0].strip() or first, texts[1].strip() or second


def _title(names: Sequence[str]) -> str:
    return f"{names[0]} against {names[1]}"


def game_options(define: Callable[..., Tournament]) -> Callable[..., int]:
    """Return a command that plays the tournament returned by ``define``, in a new store or an earlier run's.

    The command gets the options for games and for playing them; ``define`` gets those for games as ``games``.
    """

    @click.option(
        "--command", "program", default="quietmove", show_default=True, metavar="COMMAND", help="The engine's command."
    )
    @click.option(
        "--nodes",
        type=click.IntRange(1),
        metavar="N",
        help="Nodes per move.  [default: 10000 if there is no other limit]",
    )
    @click.option("--depth", type=click.IntRange(1), metavar="N", help="Search depth per move, in plies.")
    @click.option(
        "--movetime",
        type=Duration("ms"),
        metavar="TIME",
        help="Time per move, such as 500ms or 2s; a bare number is in ms.",
    )
    @click.option("--tc", metavar="[MOVES/]SECONDS[+SECONDS]", help="A game clock.")
    @click.option("--game", default="othello", show_default=True, shell_complete=complete_game)
    @click.option(
        "--openings",
        metavar="random|built-in|FILE",
        help="As many random openings as needed, the built-in ones, or a file.  [default: random]",
    )
    @click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Seed for openings and engines.")
    @setting_option
    @scale_option
    @click.option("--store", type=STORE, help="File for the games.  [default: named after the engines or options]")
    @backend_options
    @json_option
    @wraps(define)
    def command(
        program: str,
        game: str,
        openings: str | None,
        seed: int,
        scale: str | None,
        store: Path | None,
        backend: GameBackend,
        as_json: bool,
        **options: Any,
    ) -> int:
        values = {name: options.pop(name) for name in LIMITS}
        limits = [f"{name}={value}" for name, value in values.items() if value is not None]
        if len(limits) > 1:
            raise click.UsageError(f"limit: must be given once, not as {' and '.join(limits)}")
        limit = limits[0] if limits else None
        games = Games(program, limit, game, openings, seed, options.pop("settings"), backend.ask)
        tournament = define(games=games, **options)
        path = store or store_path(tournament)
        if scale:
            tournament = scaled(tournament, backend.size(tournament.concurrency), path)
        with Store.create_or_resume(path, tournament) as opened:
            return play(opened, backend, brief=True, as_json=as_json)

    return command


@click.command(
    epilog=examples(
        'quietmove-tournament compare "Ordering=full" "Ordering=mobility"',
        'quietmove-tournament compare quietmove "./other --level 3" --tc 10+0.1',
        "quietmove-tournament compare full mobility --config my.toml",
        "quietmove-tournament compare main my-branch --git . --build 'make -j' --engine ./engine",
    ),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--config", type=STORE, help="Take the engines named A and B from this file.")
@click.option(
    "--git",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="REPO",
    help="Compare two commits of this repository: is B better than A?",
)
@click.option("--build", metavar="COMMAND", help="Command that builds a checkout.  [default: Quietmove's own build]")
@click.option("--engine", metavar="COMMAND", help="The engine's command in the checkout.  [default: Quietmove]")
@click.option(
    "--build-limit", type=Duration("s", 86_400_000), metavar="TIME", help="Time limit of a build.  [default: 1800s]"
)
@click.option("--elo0", type=float, metavar="N", help="H0: A is better by N Elo.  [default: 0]")
@click.option(
    "--elo1", type=float, metavar="N", help="H1: A is better by N Elo; a smaller N takes more games.  [default: 20]"
)
@click.option("--alpha", type=float, metavar="N", help="Probability of accepting H1 if H0 is true.  [default: 0.05]")
@click.option("--beta", type=float, metavar="N", help="Probability of accepting H0 if H1 is true.  [default: 0.05]")
@click.option(
    "--model",
    type=click.Choice(["normalized", "logistic", "bayesian"]),
    help="The Elo model of --elo0 and --elo1.  [default: normalized]",
)
@click.option(
    "--most-games", type=click.IntRange(2), metavar="N", help="End the match without a decision after N games."
)
@game_options
def compare(
    first: str,
    second: str,
    config: Path | None,
    git: Path | None,
    build: str | None,
    engine: str | None,
    build_limit: int | None,
    games: Games,
    **test: Any,
) -> Tournament:
    """Play A against B until a sequential test decides whether A is better, and print the answer.

    A and B are options of the engine (NAME=VALUE, separated by commas; "" for its defaults), or the commands of two
    engines. With --git they are two commits, a base and a change: both are built (or reused), and the test decides
    whether the change, B, is better. Each opening is played twice, with colours swapped. Run the same command again to
    continue.
    """
    given = {name: value for name, value in test.items() if value is not None}
    if git is None:
        for name, value in {"--build": build, "--engine": engine, "--build-limit": build_limit}.items():
            if value is not None:
                raise click.UsageError(f"{name} needs --git")
        return comparison(first, second, games, given, config)
    if config is not None:
        raise click.UsageError("--git cannot be combined with --config")
    builds: dict[str, Any] = {"build": build, "engine": engine, "tell": partial(click.echo, err=True)}
    if build_limit is not None:
        builds["seconds"] = build_limit / 1000
    return commit_comparison(git, first, second, builds, games, given)


@click.command(
    epilog=examples(
        'quietmove-tournament tune --option "Exploration=70:10:300:20" --games 2000 \\',
        "  --set each.options.Algorithm=mcts --nodes 1000",
    ),
)
@click.option(
    "--option",
    "options",
    multiple=True,
    required=True,
    metavar="NAME=START:MIN:MAX[:STEP]",
    help="An integer option to tune; may be repeated. STEP is the final step up and down, by default range/20.",
)
@number_option("--games", 2000, "Total number of games.", low=2, name="count")
@click.option(
    "--rate",
    type=float,
    metavar="N",
    help="How far a won game moves each value in the last iteration, in multiples of STEP.  [default: 0.01]",
)
@click.option(
    "--pairs-at-once",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Number of pairs of games that can run concurrently.  [default: 8, but at most 1/25 of all pairs]",
)
@game_options
def tune(
    options: tuple[str, ...], count: int, rate: float | None, pairs_at_once: int | None, games: Games
) -> Tournament:
    """Tune an engine's options, or a game's parameters, by playing the engine against itself (SPSA).

    In each pair of games, all values are moved a step up or down at random for one side and the other way for the
    other; then they move towards the winner's values. To let N pairs run concurrently, a pair is played with the
    values from N pairs earlier; --concurrency does not change the games. Run the same command again to continue. At
    the end the values are printed, with the command that checks whether they are better.
    """
    return tuning(options, count // 2, games, rate, pairs_at_once)
