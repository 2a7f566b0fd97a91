"""``quietmove classify``: which search technique fits a game."""

from __future__ import annotations

import click

from quietmove.command_help import examples
from quietmove.engine.tools.number import Number

__all__ = ["classify"]


@click.command(
    epilog=examples("quietmove classify -b 4 -d 9", "quietmove classify --branching 20 --depth 55 --chance 21")
)
@click.option(
    "--branching",
    "-b",
    type=Number(1, 1e6),
    required=True,
    metavar="B",
    help="Legal moves in an average position.",
)
@click.option("--depth", "-d", type=click.IntRange(1, 100_000), required=True, metavar="D", help="Plies of a game.")
@click.option("--players", type=click.IntRange(1, 100), default=2, show_default=True, metavar="N", help="Who play.")
@click.option("--zero-sum/--no-zero-sum", default=True, help="Whether one's gain is the other's loss.  [zero-sum]")
@click.option("--simultaneous", is_flag=True, help="The sides move at once, not in turn.")
@click.option(
    "--chance",
    type=Number(1, 1e6),
    default=1,
    metavar="N",
    help="Outcomes of the die or card before a move.  [1: no chance]",
)
@click.option(
    "--hidden",
    type=Number(1, 1e300),
    default=1,
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
    type=Number(1, 1e30),
    default=1e8,
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

    from quietmove.engine.tools import classify as work

    problem = work.Problem(
        branching, depth, players, zero_sum, not simultaneous, chance, hidden, closed_form, evaluation, nodes
    )
    verdict = work.classify(problem)
    if json_output:
        click.echo(json.dumps(work.as_json(verdict), indent=2))
    else:
        click.echo("\n".join(work.report(verdict)))
