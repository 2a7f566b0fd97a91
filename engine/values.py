"""Immutable values passed between the search, the session, the protocols and the referee.

Moves are the game's own integers in the search, and text in the protocols and the referee. Times are in milliseconds,
scores in hundredths of a point (in Othello, a disc) as seen by the side to move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import copysign, inf
from typing import Any, Generic, Literal, TypeVar, cast

Bound = Literal["exact", "lower", "upper"]
Goal = Literal["move", "solve", "wld", "perft"]
Move = TypeVar("Move")  # a move as the game's own integer, or as text
Other = TypeVar("Other")
# engine/games/base.pxd defines the same numbers for compiled modules.
SCORE_WIN = 30_000  # the score of a win in a game without points, less one for each ply until the win
DECISIVE = 29_000  # scores beyond +/-DECISIVE are wins and losses in games without points
MCTS = "mcts"  # Monte Carlo tree search, the only algorithm that is not depth-first


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search.

    The search ends at the first limit reached, when it is stopped, or when the game is solved.

    :param depth: maximum depth in plies, at least 1.
    :param nodes: maximum calls of ``make``, at least 1.
    :param movetime: milliseconds for this move.
    :param time: milliseconds left on the side to move's clock.
    :param increment: milliseconds added to that clock after each move.
    :param movestogo: moves until the clock is refilled.
    :param opponent_time, opponent_increment: the same for the opponent's clock.
    :param infinite: whether to withhold the result until the search is stopped, even if it is complete.
    :param ponder: whether to search on the opponent's time: until the ponder hit, no clock runs and no result is sent.
    :param searchmoves: root moves to consider, or empty for all.
    :param goal: ``move`` for a move to play, ``solve`` for the exact value at the end of the game, ``wld`` for just
        win, draw or loss, ``perft`` to count the leaves at ``depth`` instead of searching.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    time: int | None = None
    increment: int = 0
    movestogo: int | None = None
    opponent_time: int | None = None
    opponent_increment: int = 0
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[int, ...] = ()
    goal: Goal = "move"

    @property
    def is_limited(self) -> bool:
        """Whether a search ends before the whole game has been searched, or is asked for exactly that."""
        return self.goal != "move" or any(
            limit is not None for limit in (self.depth, self.nodes, self.movetime, self.time)
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """Search settings, as opposed to limits.

    :param algorithm: ``minimax``, ``alphabeta``, ``pvs``, or :data:`MCTS` for Monte Carlo tree search.
    :param ordering: a name from :data:`quietmove.engine.search.ordering.ORDERINGS`.
    :param selectivity: 0 prunes only what provably cannot matter; 1 to 5 also prune moves that very likely do not
        matter, more of them at each step, if the game has parameters for that. The engine's own default is higher.
    :param quiescence: whether to extend the search beyond the horizon through noisy moves.
    :param aspiration: whether iterations from depth 4 on start with a narrow window around the last value.
    :param multipv: number of best root moves to report with a line each, at least 1.
    :param evaluation: the name of one of the game's evaluators, or "" for the first one.
    :param evaluation_file: the path of a weights file for the evaluator, or "" for the shipped weights.
    :param deals: number of deals to search in a game with hidden information, or 0 for all consistent ones.
    :param threads: number of search threads. Without a table, in slow games, in games with chance or hidden cards, and
        with ``mcts``, only one is used.
    :param move_overhead: milliseconds held back from the time for each move, for delays between engine and client.
    :param seed: seed for all random choices: deals, a level's mistakes, book moves and the games of ``mcts``.
    :param exploration: the UCT constant of ``mcts`` in hundredths; higher values try worse-looking moves more often.
    """

    algorithm: str = "pvs"
    ordering: str = "full"
    quiescence: bool = False
    multipv: int = 1
    evaluation: str = ""
    evaluation_file: str = ""
    deals: int = 0
    seed: int = 0
    selectivity: int = 0
    threads: int = 1
    move_overhead: int = 10
    exploration: int = 70
    aspiration: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Score:
    """A value as seen by the side to move. Scores are ordered by value; ``str`` spells them as the protocol does.

    >>> score = Score(250)
    >>> str(score), score.discs, score.wins_in, Score(SCORE_WIN - 3).wins_in
    ('cp 250', 2.5, None, 3)

    :param value: hundredths of a point (in Othello, a disc). In games without points, a win in N plies is
        :data:`SCORE_WIN` - N.
    :param bound: ``exact``, or ``lower`` or ``upper`` if ``value`` is a bound on the true value.
    """

    value: int
    bound: Bound = "exact"

    @property
    def discs(self) -> float:
        """The value in points (in Othello, discs): infinite for a win or loss in a game without points."""
        return self.value / 100 if abs(self.value) <= DECISIVE else copysign(inf, self.value)

    @property
    def is_exact(self) -> bool:
        """Whether the value is not just a bound."""
        return self.bound == "exact"

    @property
    def wins_in(self) -> int | None:
        """The plies to a win, or minus the plies to a loss, in a game without points; None for other scores."""
        if abs(self.value) <= DECISIVE:
            return None
        plies = SCORE_WIN - abs(self.value)
        return plies if self.value > 0 else -plies

    def __str__(self) -> str:
        """Return ``cp N``, ``win N`` or ``loss N``, followed by ``lowerbound`` or ``upperbound`` for a bound."""
        plies = self.wins_in
        text = f"cp {self.value}" if plies is None else f"{'win' if self.value > 0 else 'loss'} {abs(plies)}"
        return text if self.is_exact else f"{text} {self.bound}bound"


@dataclass(frozen=True, slots=True)
class Info(Generic[Move]):
    """One report of a running search: a principal variation of an iteration.

    This engine reports all fields. Another engine may leave out any except the score; such fields are None.

    :param depth: nominal depth of the iteration in plies, or 0 if not reported.
    :param seldepth: the deepest ply reached, counted from the root.
    :param rank: rank of this line, 1 for the best; higher ranks appear only with ``MultiPV``.
    :param nodes: calls of ``make`` since the search began.
    :param time: milliseconds since the search began.
    :param hashfull: share of the table written by this search, in thousandths.
    :param pv: the principal variation.
    :param confidence: percent; if below 100, the probability with which each move pruned selectively does not matter.
    :param probes, hits: the number of table lookups in this iteration, and of those that found the position.
    :param book_moves: the number of moves in the opening book here if the report comes from the book, else 0.
    """

    score: Score
    depth: int = 0
    seldepth: int | None = None
    rank: int = 1
    nodes: int | None = None
    time: int | None = None
    hashfull: int | None = None
    pv: tuple[Move, ...] = ()
    probes: int = 0
    hits: int = 0
    confidence: int = 100
    book_moves: int = 0

    @property
    def nps(self) -> int | None:
        """Nodes per second, if both are known. The time counts as at least one millisecond."""
        return None if self.nodes is None or self.time is None else self.nodes * 1000 // max(1, self.time)

    @property
    def move(self) -> Move:
        """The first move of the principal variation."""
        return self.pv[0]

    def with_moves(self, convert: Callable[[Move], Other]) -> Info[Other]:
        """Return the report with its moves converted, from integers to text or back."""
        report: Any = self
        return cast("Info[Other]", replace(report, pv=tuple(map(convert, self.pv))))

    def at_the_end(self, result: SearchResult) -> Info[Move]:
        """Return the report with the nodes and the time of the whole search, including an iteration that was cut off.

        If another move than the best is played, as some levels do, the report is returned unchanged.
        """
        return replace(self, nodes=result.nodes, time=result.time) if self.pv[:1] == (result.move,) else self


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    :param move: the move to play, or ``None`` if the game is over.
    :param ponder: the expected reply, or ``None`` if unknown.
    :param depth: the depth of the iteration that produced the move, or 0 if none was completed.
    """

    move: int | None
    ponder: int | None
    score: Score | None
    depth: int
    nodes: int
    time: int
