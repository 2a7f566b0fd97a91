"""Plays the games of a format as the runner does, without engines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import islice

from quietmove.tournament.formats.base import Format
from quietmove.tournament.games import Result, ScheduledGame

__all__ = ["play_format"]


def play_format(
    plan: Format,
    end: Callable[[ScheduledGame], Result],
    at_once: int,
    lots: random.Random,
    results: Sequence[Result] = (),
) -> list[Result]:
    """Play to the end with ``at_once`` games running, which end in any order.

    :param results: of games that were played before.
    """
    running: dict[int, ScheduledGame] = {}
    done = list(results)
    while True:
        begun = {result.number for result in done} | set(running)
        news = (game for game in plan.next_games(done) if game.number not in begun)
        running |= {game.number: game for game in islice(news, at_once - len(running))}
        if not running:
            return done
        game = running.pop(lots.choice(sorted(running)))
        done = sorted([*done, end(game)], key=lambda result: result.number)
