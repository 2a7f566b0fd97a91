"""The command line beside the protocol loop: the project player, ``perft``, ``bench`` and ``classify``.

What a command needs is imported when it runs, so that ``--help`` stays quick.
"""

from __future__ import annotations

import time
from typing import Any

import click

from quietmove import __version__
from quietmove.engine.errors import QuietmoveError

__all__ = ["run_command"]

NEEDS_COLOR = ("depth", "move_time", "game_time")
NEEDS_PROJECT = ("coordinates", "color", "milliseconds", *NEEDS_COLOR)


def run_command(arguments: list[str]) -> int:
    """Run ``arguments`` and return the exit status."""
    try:
        status = quietmove.main(arguments, prog_name="quietmove", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    except QuietmoveError as error:
        click.echo(f"quietmove: {error}", err=True)
        return 2
    except OSError as error:  # the output cannot be written
        click.echo(f"quietmove: {error}", err=True)
        return 1
    return status if isinstance(status, int) else 0


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="Quietmove %(version)s")
@click.option("--project", is_flag=True, help="Play one game as an Othello-project program.")
@click.option("--coordinates", type=click.Choice(["slide", "zero"]), help="slide: 1-8, row from the bottom (default).")
@click.option("--color", type=click.Choice(["B", "W"]), help="Start without line one, as Black or White.")
@click.option("--milliseconds", is_flag=True, help="Time limits are in milliseconds, not in seconds.")
@click.option("--move-time", type=click.FloatRange(min=0), metavar="S", help="With --color: limit for a move.")
@click.option("--game-time", type=click.FloatRange(min=0), metavar="S", help="With --color: limit for the game.")
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="With --color: depth limit.  [4 if no limit]")
@click.pass_context
def quietmove(context: click.Context, /, project: bool, **options: Any) -> int | None:
    """Play Othello: without an argument by the UCI-style protocol of protocol.md."""
    if project:
        if context.invoked_subcommand:
            raise click.UsageError(f"--project takes no command, {context.invoked_subcommand!r} came")
        return play_project(**options)
    for name in NEEDS_PROJECT:
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --project")
    if context.invoked_subcommand is None:
        from quietmove.engine.protocol import uci, wire

        uci.run(sink=wire.own_output())
    return None


def play_project(
    coordinates: str | None,
    color: str | None,
    milliseconds: bool,
    move_time: float | None,
    game_time: float | None,
    depth: int | None,
) -> int:
    """Play one game of the Othello project; return 1 if the opponent sent what is not allowed."""
    from quietmove.engine.protocol import project

    unit = 1 if milliseconds else 1000
    terms = None
    if color is not None:
        move_ms, game_ms = (max(1, round(limit * unit)) if limit else None for limit in (move_time, game_time))
        default = project.PHASE_ONE_DEPTH if move_ms is None and game_ms is None else None
        terms = project.Terms("BW".index(color), depth or default, move_ms, game_ms)
    elif any(limit is not None for limit in (move_time, game_time, depth)):
        raise click.UsageError(
            "--depth, --move-time and --game-time need --color; without it line one gives the limits"
        )
    try:
        project.run(terms, coordinates or "slide", unit)
    except QuietmoveError as error:
        click.echo(f"quietmove: {error}", err=True)
        return 1
    return 0


@quietmove.command()
@click.argument("depth", type=click.IntRange(0, 60))
@click.option("--position", metavar='"SQUARES SIDE"', help="64 squares X O - (a1 b1 ... h8), a blank, and X or O.")
@click.option("--divide", is_flag=True, help="Print the leaves behind each move.")
def perft(depth: int, position: str | None, divide: bool) -> None:
    """Count the leaves of the game tree DEPTH plies on."""
    from quietmove.engine.games.base import get_game
    from quietmove.engine.perft import divide as count_by_move
    from quietmove.engine.protocol.notation import both_notations

    game = get_game("othello")
    root = game.initial() if position is None else game.parse_position(position.split())
    start = time.perf_counter()
    total = 0 if depth and not root.is_over() else 1
    for move, count in count_by_move(root, depth):
        total += count
        if divide:
            click.echo(f"{both_notations(game, [move])}: {count}")
    seconds = time.perf_counter() - start
    click.echo(
        f"perft {depth}: {total} leaves, {seconds:.3f} s, {total / max(seconds, 1e-6) / 1e6:.1f} million a second"
    )


@quietmove.command()
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="Depth of each search.")
@click.option("--orderings", is_flag=True, help="Compare the orderings on the start position instead, to depth 10.")
def bench(depth: int | None, orderings: bool) -> None:
    """Search a fixed set of positions; the node count is the signature of the search."""
    from quietmove.engine import bench as work

    if orderings:
        compare_orderings(depth or 10)
        return
    report = work.run(depth or work.DEPTH)
    click.echo(f"{report.nodes} nodes, {report.nodes_per_second} nodes a second")
    click.echo(f"Bench: {report.nodes}")


def compare_orderings(depth: int) -> None:
    """Print how many nodes each ordering takes from the start position to ``depth``, beside those of no ordering."""
    from quietmove.engine import bench as work
    from quietmove.engine.search.ordering import ORDERINGS
    from quietmove.engine.values import Settings

    click.echo(f"from the start position to depth {depth}:")
    plain = 0
    for ordering in ORDERINGS:
        nodes = work.run(depth, Settings(ordering=ordering), work.POSITIONS[:1]).nodes
        plain = plain or nodes
        click.echo(f"{ordering:>10} {nodes:>12} nodes {plain / nodes:>6.1f} times fewer than none")


def finite(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """Return ``value``, or refuse what is not a number at all; a range lets that pass."""
    if value != value:
        raise click.BadParameter("a number is allowed; 'nan' came", context, parameter)
    return value


@quietmove.command()
@click.option(
    "--branching",
    "-b",
    type=click.FloatRange(1, 1e6),
    required=True,
    callback=finite,
    metavar="B",
    help="Legal moves in an average position.",
)
@click.option("--depth", "-d", type=click.IntRange(1, 100_000), required=True, metavar="D", help="Plies of a game.")
@click.option("--players", type=click.IntRange(1, 100), default=2, show_default=True, metavar="N", help="Who play.")
@click.option("--zero-sum/--no-zero-sum", default=True, help="Whether one's gain is the other's loss.  [zero-sum]")
@click.option("--simultaneous", is_flag=True, help="The sides move at once, not in turn.")
@click.option(
    "--chance",
    type=click.FloatRange(1, 1e6),
    default=1,
    callback=finite,
    metavar="N",
    help="Outcomes of the die or card before a move.  [1: no chance]",
)
@click.option(
    "--hidden",
    type=click.FloatRange(1, 1e300),
    default=1,
    callback=finite,
    metavar="DEALS",
    help="Hidden states that fit what a player knows.  [1: nothing is hidden]",
)
@click.option(
    "--closed-form", is_flag=True, help="Both sides have the same moves, who cannot move loses, parts do not interact."
)
@click.option(
    "--evaluation/--no-evaluation", default=True, help="Whether a position can be judged without search.  [evaluation]"
)
@click.option(
    "--nodes",
    type=click.FloatRange(1, 1e30),
    default=1e8,
    callback=finite,
    metavar="N",
    help="Positions that a search can afford.  [1e8]",
)
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
def classify(
    branching: float,
    depth: int,
    players: int,
    zero_sum: bool,
    simultaneous: bool,
    chance: float,
    hidden: float,
    closed_form: bool,
    evaluation: bool,
    nodes: float,
    json_output: bool,
) -> None:
    """Say which search technique fits a game, why, and what it costs.

    Examples: tic-tac-toe is -b 4 -d 9, chess -b 35 -d 80, Go -b 250 -d 150, backgammon -b 20 -d 55 --chance 21.
    """
    import json

    from quietmove.engine import classify as work

    problem = work.Problem(
        branching, depth, players, zero_sum, not simultaneous, chance, hidden, closed_form, evaluation, nodes
    )
    verdict = work.classify(problem)
    if json_output:
        click.echo(json.dumps(work.as_json(verdict), indent=2))
    else:
        click.echo("\n".join(work.report(verdict)))


@quietmove.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lab(arguments: tuple[str, ...]) -> Any:
    """Run an experiment of the laboratory; 'quietmove lab --help' lists them."""
    from quietmove.engine.lab.cli import laboratory

    return laboratory.main(list(arguments), prog_name="quietmove lab", standalone_mode=False)
