"""The frozen values that pass between the search, the session and the protocol.

Moves are the game's own integers here; only the protocol turns them into text. Times are milliseconds, scores are
hundredths of the game's point from the side to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Bound = Literal["exact", "lower", "upper"]
Goal = Literal["move", "solve", "wld"]
MCTS = "mcts"  # the algorithm that samples games; all others search to a depth


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends: at the first limit that is reached. Without any limit it runs until it is stopped.

    :param depth: plies of the last iteration, at least 1.
    :param nodes: calls of ``make``, at least 1.
    :param movetime: milliseconds for this move.
    :param time: milliseconds left on the side to move's clock for the game.
    :param increment: milliseconds added to that clock after each move.
    :param movestogo: moves until the clock is next refilled.
    :param infinite: hold the answer until the search is stopped, even when it is complete.
    :param ponder: think on the opponent's time: no clock runs, and no answer is given, before the ponder hit.
    :param searchmoves: the only root moves to consider; empty for all of them.
    :param goal: what is asked: a ``move``, the exact value at the end of the game (``solve``), or whether that is
        a win, a draw or a loss (``wld``).
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    time: int | None = None
    increment: int = 0
    movestogo: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[int, ...] = ()
    goal: Goal = "move"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a search works, as opposed to when it ends; the defaults are the strongest known.

    :param algorithm: ``minimax``, ``alphabeta`` or ``pvs``; or :data:`MCTS`, Monte Carlo tree search.
    :param ordering: a name from :data:`quietmove.engine.search.ordering.ORDERINGS`.
    :param selectivity: 0 searches every move that may matter; 1 to 5 leave out ever more moves that very likely do not
        matter, in a game that has parameters for that. 0 is the default here; the engine has a default of its own.
    :param quiescence: whether the horizon is extended through noisy moves.
    :param multipv: how many of the best root moves get a line of their own, at least 1.
    :param evaluation: the evaluator, a name that the game declares; "" for the game's first.
    :param evaluation_file: the path of weights for the learnt evaluators; "" for those that the game brings.
    :param deals: in a game with hidden information, how many deals are searched; 0 for all that fit what is known.
    :param threads: how many threads search; one thread if there is no table, if the game is slow, and if it has chance
        or hidden cards.
    :param move_overhead: milliseconds of a clock or of a move's time that are kept back once a move.
    :param seed: what the choice of these deals and the random games of ``mcts`` follow from.
    :param exploration: with ``mcts``, in hundredths: the higher it is, the more moves are tried that look worse.
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


@dataclass(frozen=True, slots=True)
class Score:
    """A value in hundredths of the game's point, from the side to move, and what is known of it.

    :param bound: ``exact``, or the true value is at least (``lower``) or at most (``upper``) ``value``.
    """

    value: int
    bound: Bound = "exact"


@dataclass(frozen=True, slots=True)
class Info:
    """One report of a running search: a principal variation of an iteration.

    :param depth: plies of the iteration.
    :param seldepth: the deepest ply reached, counted from the root.
    :param multipv: rank of this line, 1 for the best.
    :param nodes: calls of ``make`` since the search began.
    :param time: milliseconds since the search began.
    :param hashfull: entries written by this search in thousandths of the table.
    :param pv: the principal variation as moves of the game.
    :param confidence: percent; below 100 the search left out what very likely does not matter, each time this likely.
    :param probes, hits: table look-ups of this iteration, and those that found the position.
    :param book_moves: how many moves the opening book that the report comes from knows here; 0 for that of a search.
    """

    depth: int
    seldepth: int
    multipv: int
    score: Score
    nodes: int
    time: int
    hashfull: int
    pv: tuple[int, ...]
    probes: int = 0
    hits: int = 0
    confidence: int = 100
    book_moves: int = 0

    @property
    def nps(self) -> int:
        """Nodes a second; the time is taken as at least one millisecond."""
        return self.nodes * 1000 // max(1, self.time)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search.

    :param move: the move to play; ``None`` when the game is over.
    :param ponder: the reply that is expected; ``None`` when none is known.
    :param depth: the iteration that the answer is of; 0 when not even the first was completed.
    """

    move: int | None
    ponder: int | None
    score: Score | None
    depth: int
    nodes: int
    time: int
