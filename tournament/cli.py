"""The command ``quietmove-tournament``. Whatever a subcommand needs, it imports itself: ``--help`` stays quick."""

from __future__ import annotations

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from quietmove.command_help import complete_game, examples
from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.compilation import warn_if_uncompiled
from quietmove.engine.printable import explain, printable
from quietmove.entry import run_to_exit
from quietmove.lazy_group import LazyGroup
from quietmove.referee.errors import ShortageError
from quietmove.tournament.running.place_options import place_options
from quietmove.tournament.running.playing import play, print_standings

if TYPE_CHECKING:
    from quietmove.tournament.config.definition import Tournament
    from quietmove.tournament.running.places import Place
    from quietmove.tournament.store.store import Store

__all__ = ["main"]

COMMANDS = {
    "compare": ("quietmove.tournament.comparing.compare_command:compare", "Say which of two is better."),
    "export": ("quietmove.tournament.reporting.export_command:export", "Write the games for other programs."),
    "report": ("quietmove.tournament.reporting.command:report", "Write a page with everything, for a browser."),
    "tune": ("quietmove.tournament.comparing.tune_command:tune", "Tune options of an engine."),
    "verify": (
        "quietmove.tournament.store.verify_command:verify",
        "Check a store: its games, schedule and table.",
    ),
}
FAILURE = 1
BAD_USAGE = 2
INTERRUPTED = 130
SANDBOXES = ("each.sandbox=true",)  # what --sandbox sets
STRANGERS = "is another user's or was begun on another machine"
STORE = click.Path(path_type=Path, dir_okay=False)

store_argument = click.argument("store", type=STORE)
sandbox_option = click.option("--sandbox", is_flag=True, help="Run every engine in bubblewrap.")
setting_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Another value of KEY, defaults.KEY, each.KEY (of every engine) or engine.NAME.KEY; as often as wanted.",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print what happens as JSON, one object a line; tournament/README.md describes them.",
)


def main() -> NoReturn:
    """Run the command line and end the process with its status."""
    run_to_exit(lambda: run_command_line(sys.argv[1:]))


def run_command_line(arguments: list[str]) -> int:
    """Return the exit status of ``quietmove-tournament`` with ``arguments``."""
    warn_if_uncompiled()
    try:
        return commands.main(arguments, prog_name="quietmove-tournament", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return BAD_USAGE
    except QuietmoveError as error:
        click.echo("\n".join(f"error: {printable(line)}" for line in str(error).splitlines()), err=True)
        return FAILURE if isinstance(error, ShortageError) else BAD_USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        raise  # its reader has had enough; that is no error
    except OSError as error:
        click.echo(f"error: {explain(error)}", err=True)
        return FAILURE


class RunCommand(click.Command):
    """A command whose help lists the keys of a configuration."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the keys as the configuration itself knows them."""
        from quietmove.tournament.config.config import DEFAULT_CONFIG
        from quietmove.tournament.config.schema import describe_keys

        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(f"CONFIG is TOML; an example is {DEFAULT_CONFIG}. Its keys:")
        for title, keys in describe_keys():
            with formatter.section(title):
                formatter.write_dl(keys)


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=examples(
        'quietmove-tournament compare "Ordering=full" "Ordering=mobility"',
        "quietmove-tournament run my.toml",
        "quietmove-tournament standings my.sqlite",
        "quietmove-tournament resume my.sqlite",
    ),
)
@click.version_option(package_name="quietmove")
def commands() -> None:
    """Play tournaments between engines, and say with error bars which one is stronger."""


@commands.command(
    cls=RunCommand,
    short_help="Play a tournament.",
    epilog=examples("quietmove-tournament run", "quietmove-tournament run my.toml --concurrency 2 --seed 7"),
)
@click.argument("config", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--store", type=STORE, help="File for the games; by default NAME.sqlite, after the tournament, here.")
@place_options
@click.option("--seed", type=int, metavar="N", help="Other openings and seeds than the configuration's.")
@setting_option
@click.option("--dry-run", is_flag=True, help="Play nothing: print the first games, how many, and about how long.")
@sandbox_option
@json_option
def run(
    config: Path | None,
    store: Path | None,
    place: Place,
    seed: int | None,
    settings: tuple[str, ...],
    dry_run: bool,
    sandbox: bool,
    as_json: bool,
) -> int:
    """Play the tournament that CONFIG describes; without it, the built-in comparison of move orderings."""
    from quietmove.tournament.config.config import DEFAULT_CONFIG, load_config
    from quietmove.tournament.formats import plan_of
    from quietmove.tournament.store.store import Store

    if dry_run and as_json:
        raise click.UsageError("--json: it is of games that are played; --dry-run plays none")
    tournament = load_config(config or DEFAULT_CONFIG, seed, (*settings, *SANDBOXES) if sandbox else settings)
    for remark in plan_of(tournament).remarks():
        click.echo(f"note: {printable(remark)}", err=True)
    if dry_run:
        return _show_plan(tournament, place)
    with Store.create(store or store_path(tournament), tournament) as new:
        return play(new, place, as_json=as_json)


@commands.command(
    short_help="Print the schema of a configuration.",
    epilog=examples("quietmove-tournament schema > tournament-schema.json"),
)
def schema() -> None:
    """Print the JSON schema of a configuration, by which editors complete and check its keys.

    An editor that knows schemas of TOML reads the file's first line: #:schema tournament-schema.json
    """
    from quietmove.tournament.config.schema import schema_text

    click.echo(schema_text(), nl=False)


@commands.command(
    short_help="Play the games that are missing.",
    epilog=examples("quietmove-tournament resume my.sqlite --concurrency 2"),
)
@store_argument
@place_options
@sandbox_option
@click.option("--yes", is_flag=True, help="Run what a store says that is another user's or another machine's.")
@json_option
def resume(store: Path, place: Place, sandbox: bool, yes: bool, as_json: bool) -> int:
    """Play the games that are missing from STORE, whatever stopped its tournament.

    A store says which programs play. If the file is another user's, or was begun on another machine, they are shown,
    and none is run before you agree.
    """
    from quietmove.tournament.running.runner import check_engines
    from quietmove.tournament.store.store import Store

    with Store.open_to_write(store) as opened:
        if not opened.is_own():
            _agree(opened, yes)
        if sandbox:
            opened.tournament = opened.tournament.in_sandboxes()
        check_engines(opened.tournament)
        return play(opened, place, as_json=as_json)


@commands.command(
    short_help="Print the table.",
    epilog=examples(
        "quietmove-tournament standings my.sqlite", "quietmove-tournament standings my.sqlite --group '*+q' --json"
    ),
)
@store_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--group", metavar="PATTERN", help="Compare the engines whose names match, such as '*+q', with the rest.")
def standings(store: Path, as_json: bool, group: str | None) -> int:
    """Print the table of STORE, while it is being played or later.

    JSON: "standings" has a row per engine, best first (elo and error against the average of the field, superiority over
    the next row, margin in all games, margins with how many games ended with each, distinct_margin a game with its
    standard error by pairs, verdicts that it was charged with, the time that it used); "meetings" has what each pair of
    engines scored, in pairs of games that brought the first 0, 1/2, 1, 3/2 and 2 points (pentanomial), and what these
    alone estimate, Elo and normalized Elo (an infinite one is null). "progress" has the games a second and the seconds
    that are left; "summary" has what the format adds, such as "llr" and "accepted" of an sprt.
    Everywhere "distinct" counts the games without those that repeat another exactly; elo, error, superiority,
    distinct_margin, pentanomial and estimate are of the distinct games, all other numbers of all games.
    With --group: elo, error and superiority of the mean of the group against the mean of the rest.
    """
    from quietmove.tournament.store.store import Store

    with Store.open_to_read(store) as opened:
        if group is None:
            print_standings(opened, as_json)
        else:
            _print_comparison(opened, group, as_json)
    return 0


@commands.command(
    short_help="List the games, or print some.",
    epilog=examples(
        "quietmove-tournament games my.sqlite 17", "quietmove-tournament games my.sqlite --json > my.jsonl"
    ),
)
@store_argument
@click.argument("numbers", nargs=-1, type=click.IntRange(1), metavar="[NUMBER]...")
@click.option("--json", "as_json", is_flag=True, help="Print every record, one JSON object per line.")
def games(store: Path, numbers: tuple[int, ...], as_json: bool) -> int:
    """List the games of STORE, one per line; with NUMBERs print their transcripts."""
    from quietmove.referee.match.output import game_line
    from quietmove.tournament.formats import plan_of
    from quietmove.tournament.store.store import Store

    with Store.open_to_read(store) as opened:
        planned = plan_of(opened.tournament).planned(opened.results())
        found = [(game, record) for game, record in opened.games() if not numbers or game.number in numbers]
    for game, record in found:
        if as_json:
            click.echo(record.to_json())
        elif numbers:
            click.echo(f"Number   {game.number}, round {game.id.round}, seed {game.seed}\n{record.text()}")
        else:
            click.echo(game_line(game.number - 1, planned, record))
    if absent := sorted(set(numbers) - {game.number for game, _ in found}):
        raise click.UsageError(f"{store} holds no game {', '.join(map(str, absent))}")
    return 0


@commands.command(
    short_help="Find openings for a tournament.",
    epilog=examples("quietmove-tournament openings --count 100 --depth 8 > openings.txt"),
)
@click.option("--game", default="othello", show_default=True, shell_complete=complete_game)
@click.option("--count", type=click.IntRange(1), default=200, show_default=True, help="Openings to find.")
@click.option("--plies", type=click.IntRange(0), default=8, show_default=True, help="Moves in each.")
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Plies the engine looks ahead.")
@click.option("--within", type=click.IntRange(0), default=150, show_default=True, help="Greatest value, in hundredths.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed finds other openings.")
def openings(game: str, count: int, plies: int, depth: int, within: int, seed: int) -> None:
    """Find openings that the engine itself values as nearly level, distinct modulo symmetry, and print the list.

    The list goes to standard output, one opening per line with its value for the side to move.
    """
    from quietmove.engine.games.registry import get_game
    from quietmove.tournament.config.openings import Opening, Recipe, find_openings

    recipe = Recipe(game, count, plies, depth, within, seed)
    point = get_game(game).point

    def show(opening: Opening) -> None:
        separator = "" if recipe.game == "othello" else " "  # only squares of Othello are read run together
        click.echo(f"{separator.join(opening.moves)}  # {opening.value / 100:+.2f}")
        sys.stdout.flush()

    click.echo(
        f"# {count} openings of {plies} plies: no two the same in any symmetry of the board, and each worth at most "
        f"{within / 100:.2f} {point}s\n# to either side as the engine sees it {depth} plies ahead. Made by\n#\n"
        f"#   {recipe.command_line()}\n#\n# After each: its value for the side to move, in {point}s."
    )
    find_openings(recipe, show)


def _show_plan(tournament: Tournament, place: Place) -> int:
    from quietmove.tournament.config.preview import preview

    for line in preview(tournament, place.size(tournament.concurrency)):
        click.echo(printable(line))
    return 0


def store_path(tournament: Tournament) -> Path:
    """Return the file that a tournament's games are kept in if nothing else is said."""
    return Path(re.sub(r"[^\w.-]+", "-", tournament.name) + ".sqlite")


def _agree(store: Store, yes: bool) -> None:
    """Ask whether what a stranger's store runs may be run.

    :raises StoreError: if not, or if nobody can be asked.
    """
    from quietmove.tournament.errors import StoreError
    from quietmove.tournament.store.trust import programs

    lines = list(programs(store.tournament))
    if not yes and not sys.stdin.isatty():
        what = "; ".join(lines)
        raise StoreError(f"store: {store.path} {STRANGERS}; --yes lets it run {what}")
    click.echo(f"{store.path} {STRANGERS}. It runs", err=True)
    for line in lines:
        click.echo(f"  {line}", err=True)
    if not yes and not click.confirm("Run this?", err=True):
        raise StoreError(f"store: {store.path}: nothing was run")
    store.make_own()


def _print_comparison(store: Store, pattern: str, as_json: bool) -> None:
    from quietmove.tournament.reporting import terminal as report
    from quietmove.tournament.statistics.standings import compare

    names = store.tournament.names
    chosen = [name for name in names if fnmatchcase(name, pattern)]
    if not chosen or len(chosen) == len(names):
        what = "no engine" if not chosen else "every engine"
        raise click.UsageError(f"--group: {what} matches {pattern!r}; there are {', '.join(names)}")
    contrast = compare(names, store.results(), chosen)
    click.echo(report.comparison_json(chosen, contrast) if as_json else report.comparison(chosen, contrast))
