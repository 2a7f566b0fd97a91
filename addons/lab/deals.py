"""Monte Carlo over hidden deals: the error as a function of the number of deals."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import mean

import click

from quietmove.addons.games.hidden import HiddenDeepening
from quietmove.addons.lab.experiment import experiment, numbers_option, seed_option
from quietmove.addons.lab.searches import share
from quietmove.addons.shared.report import Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.table import Table
from quietmove.engine.shared_options import game_option
from quietmove.engine.tools.bench import finish
from quietmove.engine.values import Limits, SearchResult, Settings

COUNTS = (1, 2, 5, 10, 20, 50, 100)
MEGABYTES = 4
ROOT_LAW = "1/√N"


def measure(game: str = "whist", depth: int = 4, samples: int = 20, seed: int = 2, deals: Sequence[int] = ()) -> Report:
    """Monte Carlo error against the number of deals.

    Also shows how often the move is the same as in a search of all deals.
    """
    rules = get_game(game)
    if not isinstance(rules, HiddenCards):
        raise click.UsageError(f"--game: must be a game with hidden cards, such as whist, not {game!r}")
    position = rules.begin(seed)
    view = rules.parse_position(rules.view(position, position.side_to_move).split())

    def answer(deals: int, seed: int) -> tuple[int, SearchResult]:
        """Return the value and the result of a search over ``deals`` deals; 0 means all."""
        settings = Settings(deals=deals, seed=seed)
        found = finish(HiddenDeepening(view, Table(MEGABYTES), settings, Limits(depth=depth), game=rules))
        assert found.score is not None
        return found.score.value, found

    value, whole = answer(0, 0)
    every = len(rules.deals(view))
    rows, first = [], 0.0
    for count in sorted(each for each in set(deals or COUNTS) if each < every):
        found = [answer(count, number) for number in range(samples)]
        errors = [abs(each - value) / 100 for each, _ in found]
        shown = short_score(round(mean(each for each, _ in found)))
        same = round(share(sum(each.move == whole.move for _, each in found), samples), 1)
        nodes = round(mean(each.nodes for _, each in found))
        first = first or mean(errors) * sqrt(count)
        law = round(first / sqrt(count), 4)
        rows.append((count, samples, shown, round(mean(errors), 4), law, round(max(errors), 4), same, nodes))
    rows.append((every, 1, short_score(value), 0.0, round(first / sqrt(every), 4), 0.0, 100.0, whole.nodes))
    return Report(
        "deals",
        f"{rules.name}, deal {seed}, first move: minimax over N of the {every} deals consistent with what is known",
        columns(
            f"deals:,d; samples:d; value; mean error:.3f; {ROOT_LAW}:.3f; largest error:.3f; same move %:.0f; "
            "nodes a sample:,d"
        ),
        rows,
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
            f"The last line searches every deal; the other lines estimate its value, in {rules.point}s.",
            f"{ROOT_LAW}: the first mean error, scaled by one over the square root of the number of deals. The mean"
            " error follows this law, and is zero when all deals are drawn.",
        ),
    )


command = experiment(
    "deals",
    measure,
    game_option("whist", "Game with hidden information."),
    number_option("--depth", 4, "Search depth per deal in plies."),
    number_option("--samples", 20, "Repetitions for each number of deals.", high=1000),
    seed_option("Seed of the deal to play.", 2),
    numbers_option("--deals", "Number of deals"),
)
