"""The steps of a traced search as text: one JSON object a line, as ``protocol.md`` describes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quietmove.engine.games.base import Game
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value

TRACE_PREFIX = "info string trace "


def describe_event(event: Event, game: Game, spell: Callable[[int], str]) -> dict[str, Any]:
    """Return the object that stands for ``event``.

    :param spell: the text of a move.
    """
    fields: dict[str, Any]
    match event:
        case Enter():
            move = None if event.move is None else spell(event.move)
            fields = {"move": move, "side": game.sides[event.side], "depth": event.depth}
            fields |= {"alpha": event.alpha, "beta": event.beta}
        case Bounds():
            fields = {"move": spell(event.move), "alpha": event.alpha, "beta": event.beta}
        case Cutoff():
            untried = [spell(move) for move in event.untried]
            fields = {"move": spell(event.move), "value": event.value, "beta": event.beta}
            fields |= {"untried": untried, "saved": event.saved}
        case Value():
            fields = {"value": event.value, "bound": event.bound, "source": event.source}
    return {"event": type(event).__name__.lower(), "ply": event.ply, **fields}


def format_event(event: Event, game: Game, spell: Callable[[int], str]) -> str:
    """Return the line that tells ``event``, without its newline."""
    import json  # a plain start does not wait for it: traced searches alone write JSON

    return TRACE_PREFIX + json.dumps(describe_event(event, game, spell))
