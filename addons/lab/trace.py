"""The trace of a search: an indented tree, a log of its cutoffs, or the JSON lines of the option ``Trace``."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import click

from quietmove.addons.lab.experiment import position_option
from quietmove.addons.lab.searches import start_position
from quietmove.addons.shared.report import line_width
from quietmove.addons.shared.textbook import TextbookSearch
from quietmove.engine.games.base import DECISIVE, Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import pluralize, short_score
from quietmove.engine.protocol.uci import describe_event
from quietmove.engine.search.events import (
    TURNED,
    Bounds,
    Cutoff,
    Enter,
    Event,
    Value,
    Window,
    is_leaf,
    turned,
    window_of,
)
from quietmove.engine.search.node import ALGORITHMS, INFINITE, MAX_DEPTH
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.root_search import full_depth
from quietmove.engine.search.table import Table
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.shared_options import game_option
from quietmove.engine.values import Bound, Settings

SIGNS = {"exact": "=", "lower": ">=", "upper": "<="}
LOG_LIMIT = 10_000_000  # maximum number of positions in the full tree of a traced search


@dataclass(frozen=True, slots=True)
class Pruning:
    """A cutoff: one move refutes a position, and the other moves are not tried.

    :param node: the moves from the root to the position.
    :param alpha, beta: the window at the node in hundredths, None for an open side.
    :param move, value: the refuting move and its value.
    :param skipped: the moves not tried; ``leaves`` is the number of leaves below them.
    """

    node: tuple[str, ...]
    alpha: int | None
    beta: int | None
    move: str
    value: int
    skipped: tuple[str, ...]
    leaves: int


@dataclass(frozen=True, slots=True)
class RootMove:
    """The result of searching one root move.

    :param value: the value in hundredths of a point; win distances count plies from the root.
    :param bound: whether ``value`` is exact, or a lower or upper bound.
    """

    move: str
    value: int
    bound: Bound


class PruningLog:
    """The statistics of one search. Pass each event to :meth:`take`, which returns the cutoffs.

    :ivar value: the root's value in hundredths, or None until the search is done.
    :ivar side: the side to move at the root.
    :ivar positions: the number of visits to positions below the root.
    :ivar leaves: the number of visits to leaves, which are finished games or positions at the horizon.
    :ivar cutoffs, skipped, saved: the number of cutoffs, of moves not tried, and of leaves below those moves.
    :ivar cut_short, not_searched: the number of positions whose moves were not tried because no win there could be
        quicker than a known one, and the number of leaves below those positions. With alpha-beta,
        ``leaves + saved + not_searched`` is the number of leaves in the tree.
    """

    def __init__(self, game: Game) -> None:
        self.value: int | None = None
        self.side = 0
        self.positions = self.leaves = self.cutoffs = self.skipped = self.saved = self.cut_short = self.not_searched = 0
        self._spell = game.format_move
        self._found: dict[str, RootMove] = {}
        self._path: list[Enter] = []
        self._windows: list[Window] = []

    @property
    def root_moves(self) -> tuple[RootMove, ...]:
        """The root moves, in the order they were tried."""
        return tuple(self._found.values())

    @property
    def ties(self) -> list[RootMove]:
        """The root moves that returned the best value, in the order they were tried; some values may be bounds."""
        best = (min if self.side else max)(self._found.values(), key=lambda found: found.value)
        return [found for found in self._found.values() if found.value == best.value]

    def take(self, event: Event) -> Pruning | None:
        """Count an event and return it if it is a cutoff, else None."""
        match event:
            case Enter():
                self.positions += event.ply > 0
                self.side = event.side if event.ply == 0 else self.side
                self._path.append(event)
                self._windows.append(window_of(event, event.side))
            case Bounds():
                self._windows[-1] = window_of(event, self._path[-1].side)
            case Value():
                self._leave(event)
            case Cutoff():
                self.cutoffs += 1
                self.skipped += len(event.untried)
                self.saved += event.saved
                node = tuple(self._spell(entered.move) for entered in self._path if entered.move is not None)
                value = turned(event.value, self._path[-1].side)
                untried = tuple(map(self._spell, event.untried))
                return Pruning(node, *self._windows[-1], self._spell(event.move), value, untried, event.saved)
        return None

    def _leave(self, event: Value) -> None:
        self._windows.pop()
        entered = self._path.pop()
        self.leaves += is_leaf(event)
        self.cut_short += event.source == "distance"
        self.not_searched += event.saved
        value = turned(event.value, entered.side)
        if event.ply == 0:
            self.value = value
        elif event.ply == 1 and entered.move is not None:
            farther = (value < -DECISIVE) - (value > DECISIVE)
            move = self._spell(entered.move)
            self._found[move] = RootMove(move, value + farther, TURNED[event.bound] if entered.side else event.bound)


def search_traced(
    position: Position, depth: int, settings: Settings, emit: Callable[[Event], None], table: Table | None = None
) -> None:
    """Search a position once and pass each event to ``emit``.

    :param position: a position with a legal move; it is restored after the search.
    :param depth: in plies; any depth that reaches the end of the game searches to the end.
    :raises LimitsError: if the full tree has more than :data:`LOG_LIMIT` positions.
    """
    plies = full_depth(position, depth)
    moves = position.legal_moves()
    require_small(position, plies, settings.quiescence, moves, LOG_LIMIT)
    search = TracedSearch(position, table, settings, lambda: False, emit)
    search.run(plies, -INFINITE, INFINITE, moves, whole=True)


class TreeLines:
    """A formatter that turns a search into the lines of an indented tree. A line may depend on the following event."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._path: list[Enter] = []
        self._best = list[tuple[int, int] | None]([None])  # the best value and its move at each ply, for the mover
        self._has_cut = False  # whether the last event was a cutoff
        self._just_entered = False  # whether the last event entered the position

    def take(self, event: Event) -> Iterator[str]:
        """Yield the lines that this event completes."""
        if self._just_entered and not isinstance(event, Value):
            entered = self._path[-1]
            yield f"{'  ' * entered.ply}{named(entered, self._game)} {in_brackets(window_of(entered, entered.side))}"
        indent = "  " * event.ply
        if isinstance(event, Enter):
            self._path.append(event)
            self._best.append(None)
        elif isinstance(event, Value):
            entered = self._path.pop()
            best = self._best.pop()
            if event.source == "moves" and event.bound == "lower" and best and not self._has_cut:
                yield f"{indent}  {self._game.format_move(best[1])} refutes: no move is left"
            above = self._best[-1]
            if entered.move is not None and (above is None or -event.value > above[0]):
                self._best[-1] = (-event.value, entered.move)
            bound = TURNED[event.bound] if entered.side else event.bound
            found = f"{SIGNS[bound]} {short_score(turned(event.value, entered.side))}"
            leaf = f"{named(entered, self._game)} {found} ({event.source})"
            yield f"{indent}{leaf if self._just_entered else found}"
        elif isinstance(event, Bounds):
            window = in_brackets(window_of(event, self._path[-1].side))
            yield f"{indent}  {self._game.format_move(event.move)} is best so far: {window}"
        else:
            untried = " ".join(map(self._game.format_move, event.untried))
            saved = pluralize(event.saved, "leaf", "leaves")
            yield f"{indent}  {self._game.format_move(event.move)} refutes: {untried} not tried, {saved} saved"
        self._just_entered = isinstance(event, Enter)
        self._has_cut = isinstance(event, Cutoff)


def named(entered: Enter, game: Game) -> str:
    """Return a text with the move that leads to a node (none for the root), and the side to move there."""
    side = game.sides[entered.side]
    return f"{side} to move" if entered.move is None else f"{game.format_move(entered.move)}: {side}"


def in_brackets(window: Window) -> str:
    return f"({', '.join(bounds(window))})"


def bounds(window: Window) -> tuple[str, str]:
    low, high = window
    return "-inf" if low is None else short_score(low), "+inf" if high is None else short_score(high)


def pruning_line(pruning: Pruning) -> str:
    node = " ".join(pruning.node) or "root"
    skipped = " ".join(pruning.skipped)
    alpha, beta = bounds((pruning.alpha, pruning.beta))
    found = f"{pruning.move} returns {short_score(pruning.value)}"
    leaves = pluralize(pruning.leaves, "leaf", "leaves")
    return f"{node}: alpha {alpha}, beta {beta}: {found}; {skipped} not tried, {leaves}"


def root_lines(moves: tuple[RootMove, ...]) -> Iterator[str]:
    """Yield a table of the root moves: the value in points, and whether it is exact or a bound."""
    yield "move   value"
    for found in moves:
        value, bound = value_and_bound(found)
        sign = "" if bound == "exact" else SIGNS[bound]
        plies = f"  {short_score(found.value)}" if abs(found.value) > DECISIVE else ""
        more = " or sooner" if bound != found.bound else ""
        kind = "exact" if bound == "exact" else "bound"
        yield f"{found.move:<6} {sign + value:>5}  {kind}{plies}{more}"


def value_and_bound(found: RootMove) -> tuple[str, str]:
    """Return a value in points and its bound. A win is 1, a loss -1; a bound that proves a win or loss is exact."""
    if abs(found.value) <= DECISIVE:
        return f"{found.value / 100:g}", found.bound
    is_certain = found.bound == ("lower" if found.value > 0 else "upper")
    return "1" if found.value > 0 else "-1", "exact" if is_certain else found.bound


def closing_lines(log: PruningLog, algorithm: str) -> Iterator[str]:
    """Yield the root moves' final values, and the totals."""
    assert log.value is not None
    yield from root_lines(log.root_moves)
    first, *_, last = (*log.ties, *log.ties)
    if first != last:
        bound = "" if last.bound == "exact" else ", whose value is a bound: it may be worse"
        yield f"of equal values > keeps the first, {first.move}; >= takes the last, {last.move}{bound}"
    yield ""
    yield f"value {short_score(log.value)}"
    yield f"{pluralize(log.positions, 'position')} below the root, {pluralize(log.leaves, 'leaf', 'leaves')} visited"
    twice = ", counted in each search of a branch" if algorithm == "pvs" else ""  # PVS searches some branches twice
    yield (
        f"{pluralize(log.cutoffs, 'cutoff')}: {pluralize(log.skipped, 'move')} not tried,"
        f" {pluralize(log.saved, 'leaf', 'leaves')} saved{twice}"
    )
    if log.cut_short:
        below = pluralize(log.not_searched, "leaf", "leaves")
        cut_short = pluralize(log.cut_short, "position")
        yield f"{cut_short} not searched, since no win there could be quicker: {below}{twice}"


def closing_objects(log: PruningLog) -> Iterator[dict[str, object]]:
    """Yield the closing lines as objects, with values in hundredths from the first player's point of view."""
    for found in log.root_moves:
        yield {"event": "move", **asdict(found)}
    counts = ("value", "positions", "leaves", "cutoffs", "skipped", "saved", "cut_short", "not_searched")
    yield {"event": "totals", **{name: getattr(log, name) for name in counts}}


@click.command("trace")
@game_option("tree", "The game.")
@position_option
@click.option(
    "--depth", type=click.IntRange(1), default=MAX_DEPTH, metavar="N", help="Depth in plies.  [default: to the end]"
)
@click.option("--algorithm", type=click.Choice(ALGORITHMS), default="alphabeta", show_default=True)
@click.option("--ordering", type=click.Choice(ORDERINGS), default="static", show_default=True)
@click.option("--quiescence", is_flag=True, help="Continue through noisy moves at the horizon.")
@click.option(
    "--textbook",
    is_flag=True,
    help="Count a win the same at any distance, as textbooks do; otherwise quicker wins are better.",
)
@click.option(
    "--megabytes", type=click.IntRange(0, 64), default=0, show_default=True, metavar="N", help="Table size in MB."
)
@click.option(
    "--show",
    type=click.Choice(("tree", "prunings", "moves")),
    default="tree",
    show_default=True,
    help="Every position as an indented tree, one line per cutoff, or only the root moves.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object per line, in the format of the option Trace; a cutoff also contains the moves to its node. "
    "The root moves and the totals follow the cutoffs.",
)
def command(
    game: str,
    position: str | None,
    depth: int,
    algorithm: str,
    ordering: str,
    quiescence: bool,
    textbook: bool,
    megabytes: int,
    show: str,
    as_json: bool,
) -> None:
    """Print a search as it runs: its tree, or the log of its cutoffs.

    The root moves' values, exact or as bounds, and the totals come last. Values and windows are from the first player's
    point of view.
    """
    rules = get_game(game)
    root = start_position(game, position)
    settings = Settings(algorithm, ordering, quiescence)
    log = PruningLog(rules)
    emit = printer(rules, show, as_json, log)
    if not textbook:
        search_traced(root, depth, settings, emit, Table(megabytes) if megabytes else None)
    elif algorithm == "pvs" or ordering not in ("none", "static") or quiescence or megabytes:
        raise click.UsageError(
            "--textbook: expected --algorithm minimax or alphabeta, --ordering none or static, and no --quiescence or"
            " --megabytes"
        )
    else:
        require_small(root, full_depth(root, depth), False, root.legal_moves(), LOG_LIMIT)
        TextbookSearch(root, emit, prunes=algorithm == "alphabeta", by_number=ordering == "none").run(depth)
    if not as_json:
        sys.stdout.write("\n" if show == "tree" or (show == "prunings" and log.cutoffs) else "")
        sys.stdout.writelines(f"{textwrap.fill(line, line_width())}\n" for line in closing_lines(log, algorithm))
    elif show != "tree":
        sys.stdout.writelines(f"{json.dumps(each)}\n" for each in closing_objects(log))


def printer(game: Game, show: str, as_json: bool, log: PruningLog) -> Callable[[Event], None]:
    """Return a callback that records each event of the search in ``log`` and prints it immediately."""
    tree = TreeLines(game)
    write = sys.stdout.write

    def emit(event: Event) -> None:
        pruning = log.take(event)
        if as_json:
            told = describe_event(event, game, game.format_move)
            if show == "tree":
                write(json.dumps(told) + "\n")
            elif show == "prunings" and pruning is not None:
                write(json.dumps({"node": pruning.node, **told}) + "\n")
        elif show == "tree":
            sys.stdout.writelines(f"{line}\n" for line in tree.take(event))
        elif show == "prunings" and pruning is not None:
            write(pruning_line(pruning) + "\n")

    return emit
