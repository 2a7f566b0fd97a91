"""Monte Carlo over the deals that a hidden hand may be: its error against the number of deals."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import click

from quietmove.command_help import game_option, number_option
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.hidden import HiddenDeepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.lab.experiment import experiment, numbers_option
from quietmove.engine.tools.lab.report import Cell, Figure, Report, columns
from quietmove.engine.tools.lab.work import finish, share
from quietmove.engine.values import Limits, SearchResult, Settings

__all__ = ["command", "measure"]

COUNTS = (1, 2, 5, 10, 20, 50, 100)
MEGABYTES = 4
ROOT_LAW = "1/√N"


def measure(game: str = "whist", depth: int = 4, samples: int = 20, seed: int = 2, deals: Sequence[int] = ()) -> Report:
    """Monte Carlo error against the number of deals.

    It also counts how often the move is that of all deals.
    """
    rules, view = first_view(game, seed)
    whole = answer(rules, view, depth, 0, 0)
    assert whole.score is not None
    every = len(rules.deals(view))
    rows = [row(rules, view, depth, count, samples, whole) for count in sorted(set(deals or COUNTS)) if count < every]
    rows.append((every, 1, short_score(whole.score.value), 0.0, 0.0, 100.0, whole.nodes))
    counted = [int(each[0] or 0) for each in rows]
    falling = [round(float(rows[0][3] or 0) * sqrt(counted[0] / count), 4) for count in counted]
    return Report(
        "deals",
        f"{rules.name}, deal {seed}, first move: minimax over N deals drawn from the {every} that fit what is known",
        columns(
            f"deals:,d; samples:d; value; mean error:.3f; {ROOT_LAW}:.3f; largest error:.3f; same move %:.0f; "
            "nodes a sample:,d"
        ),
        tuple((*each[:4], law, *each[4:]) for each, law in zip(rows, falling, strict=True)),
        (
            Figure(
                "deals",
                ("mean error", "largest error", ROOT_LAW),
                f"distance from the value over all deals ({rules.point}s)",
                "deals searched",
                log_x=True,
                computed=(ROOT_LAW,),
            ),
        ),
        (
            f"The last line searches every deal: its value, in {rules.point}s, is what the others estimate.",
            f"{ROOT_LAW}: the first mean error, falling with one over the square root of the number of deals. The mean"
            " error falls like that, and to nothing when all are drawn.",
        ),
    )


def first_view(name: str, seed: int) -> tuple[Game, Position]:
    """Return a game and what the first player knows after the deal of this seed.

    :raises click.UsageError: if the game hides nothing.
    """
    game = get_game(name)
    if game.kind != "hidden":
        raise click.UsageError(f"--game: must be a game with hidden cards, such as whist, not {name!r}")
    position = game.begin(seed)
    return game, game.parse_position(game.view(position, position.side_to_move).split())


def answer(game: Game, view: Position, depth: int, deals: int, seed: int) -> SearchResult:
    """Return what the search over some of the deals answers; 0 stands for all."""
    settings = Settings(deals=deals, seed=seed)
    return finish(HiddenDeepening(view, Table(MEGABYTES), settings, Limits(depth=depth), game=game))


def row(game: Game, view: Position, depth: int, count: int, samples: int, whole: SearchResult) -> tuple[Cell, ...]:
    """Return the figures of samples of ``count`` deals, one for each of the first ``samples`` seeds."""
    found = [answer(game, view, depth, count, seed) for seed in range(samples)]
    values = [result.score.value for result in found if result.score is not None]
    assert whole.score is not None
    errors = [abs(value - whole.score.value) / 100 for value in values]
    return (
        count,
        samples,
        short_score(round(sum(values) / samples)),
        round(sum(errors) / samples, 4),
        round(max(errors), 4),
        round(share(sum(result.move == whole.move for result in found), samples), 1),
        round(sum(result.nodes for result in found) / samples),
    )


command = experiment(
    "deals",
    measure,
    game_option("whist", "A game with hidden information."),
    number_option("--depth", 4, "Plies of each deal's search."),
    number_option("--samples", 20, "For each number.", high=1000),
    number_option("--seed", 2, "Of the deal that is played.", 0),
    numbers_option("--deals", "How many"),
)
