"""The search as it happens, printed as an indented tree, or as the JSON lines of ``protocol.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.trace_lines import describe_event
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value
from quietmove.engine.search.node import ALGORITHMS, INFINITE, MAX_DEPTH
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.tools.lab.work import full_depth, show_score, start_position
from quietmove.engine.values import Settings

__all__ = ["command", "record", "tree_lines"]

SIGNS = {"exact": "=", "lower": ">=", "upper": "<="}
TURNED = {"exact": "exact", "lower": "upper", "upper": "lower"}


def record(game: str, position: str | None, depth: int, settings: Settings, megabytes: int) -> list[Event]:
    """Return the events of one search to ``depth``.

    :raises LimitsError: if the tree is too large.
    """
    root = start_position(game, position)
    plies = full_depth(root, depth)
    moves = root.legal_moves()
    require_small(root, plies, settings.quiescence, moves)
    table = Table(megabytes) if megabytes else None
    events: list[Event] = []
    search = TracedSearch(root, table, settings, lambda: False, events.append)
    search.run(plies, -INFINITE, INFINITE, moves, whole=True)
    return events


def tree_lines(events: Sequence[Event], game: Game) -> Iterator[str]:
    """Yield the tree as text; all values and windows are the first player's, as lectures draw them."""
    path: list[Enter] = []
    for index, event in enumerate(events):
        indent = "  " * event.ply
        if isinstance(event, Enter):
            path.append(event)
            if not isinstance(events[index + 1], Value):
                yield f"{indent}{named(event, game)} {window(event)}"
        elif isinstance(event, Value):
            entered = path.pop()
            if isinstance(events[index - 1], Enter):
                yield f"{indent}{named(entered, game)} {outcome(event, entered.side)} ({event.source})"
            else:
                yield f"{indent}{outcome(event, entered.side)}"
        elif isinstance(event, Bounds):
            move = game.format_move(event.move)
            yield f"{indent}  {move} is best so far: {window(event, path[-1])}"
        else:
            yield f"{indent}  {cut(event, game)}"


def named(entered: Enter, game: Game) -> str:
    """Return the move that leads to a node, and who is to move there."""
    side = game.sides[entered.side]
    return f"{side} to move" if entered.move is None else f"{game.format_move(entered.move)}: {side}"


def window(bounds: Enter | Bounds, entered: Enter | None = None) -> str:
    """Return the window of a node as the first player sees it."""
    node = bounds if isinstance(bounds, Enter) else entered
    assert node is not None
    low, high = (None if each is None else each for each in (bounds.alpha, bounds.beta))
    if node.side:
        low, high = (None if high is None else -high), (None if low is None else -low)
    return f"({'-inf' if low is None else show_score(low)}, {'+inf' if high is None else show_score(high)})"


def outcome(left: Value, side: int) -> str:
    """Return a node's value as the first player sees it."""
    bound = TURNED[left.bound] if side else left.bound
    return f"{SIGNS[bound]} {show_score(-left.value if side else left.value)}"


def cut(event: Cutoff, game: Game) -> str:
    """Return what a cutoff saved."""
    move = game.format_move(event.move)
    untried = " ".join(game.format_move(each) for each in event.untried)
    leaves = "leaf" if event.saved == 1 else "leaves"
    return f"{move} refutes: {untried} not tried, {event.saved} {leaves} saved"


@click.command("trace")
@click.option("--game", default="tree", show_default=True, help="The game.")
@click.option("--position", metavar="FIELDS", help="As after 'position fen'.  [default: the start]")
@click.option("--depth", type=click.IntRange(1), default=MAX_DEPTH, help="Plies.  [default: to the end]")
@click.option("--algorithm", type=click.Choice(ALGORITHMS), default="alphabeta", show_default=True)
@click.option("--ordering", type=click.Choice(ORDERINGS), default="static", show_default=True)
@click.option("--quiescence", is_flag=True, help="Go on through noisy moves at the horizon.")
@click.option("--megabytes", type=click.IntRange(0, 64), default=0, show_default=True, help="Of the table.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, as protocol.md describes them.")
def command(
    game: str,
    position: str | None,
    depth: int,
    algorithm: str,
    ordering: str,
    quiescence: bool,
    megabytes: int,
    as_json: bool,
) -> None:
    """Print the search of a small tree as an indented tree.

    Values and windows are the first player's.
    """
    rules = get_game(game)
    events = record(game, position, depth, Settings(algorithm, ordering, quiescence), megabytes)
    if as_json:
        for event in events:
            click.echo(json.dumps(describe_event(event, rules, lambda move: rules.format_move(move))))
        return
    for line in tree_lines(events, rules):
        click.echo(line)
    entered = sum(isinstance(event, Enter) for event in events)
    saved = sum(event.saved for event in events if isinstance(event, Cutoff))
    how = ", counted in each search of a branch" if algorithm == "pvs" else ""  # which may search one twice
    click.echo(f"\n{entered - 1} positions below the root, {saved} leaves saved by cutoffs{how}")
