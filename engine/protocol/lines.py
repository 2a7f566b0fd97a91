"""Parsing and formatting of the protocol's ``info``, ``bestmove`` and ``go`` lines.

Both ends use this module: the engine formats what the referee parses, and vice versa. It is independent of the game: a
move is text in the game's notation, one token (``d3``) or more (``4 6``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from quietmove.engine.common.text import did_you_mean
from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import DECISIVE, WIN
from quietmove.engine.values import Bound

INFO_NUMBERS = ("depth", "seldepth", "multipv", "confidence", "nodes", "nps", "hashfull", "time")
INFO_WORDS = frozenset(INFO_NUMBERS) | {"score", "pv", "string"}
PONDER = frozenset({"ponder"})
BOUND_WORDS: dict[str, Bound] = {"lowerbound": "lower", "upperbound": "upper"}

MAX_LIMIT = 10**15  # upper limit of every number in a `go` line
# The parameters of `go` that take a number, with their minimum. An overdrawn clock may be negative.
GO_NUMBERS = {
    "depth": 1,
    "nodes": 1,
    "movetime": 0,
    "wtime": -MAX_LIMIT,
    "btime": -MAX_LIMIT,
    "winc": 0,
    "binc": 0,
    "movestogo": 1,
    "perft": 0,
}
GO_ALIASES = {"p1time": "btime", "p2time": "wtime", "p1inc": "binc", "p2inc": "winc"}  # UGI's names for the clocks
GO_FLAGS = ("infinite", "ponder", "solve", "wld")
GO_WORDS = (*GO_NUMBERS, *GO_ALIASES, *GO_FLAGS, "searchmoves")
GO_STOPS = frozenset(GO_WORDS)
FRACTION = re.compile(r"\.\d+$")  # some programs send fractions of a millisecond; they are dropped


@dataclass(frozen=True, slots=True)
class InfoLine:
    """One report of a running search. Fields missing from the line are ``None``.

    :param depth: nominal depth of the iteration in plies.
    :param seldepth: the deepest ply reached.
    :param multipv: rank of the line, 1 for the best.
    :param score: hundredths of a point, from the side to move's point of view. A score beyond :data:`DECISIVE` is a win
        or a loss, written as the number of plies to it.
    :param bound: whether ``score`` is ``exact``, a ``lower`` bound or an ``upper`` bound.
    :param hashfull: share of the table in use, in thousandths.
    :param time: milliseconds since the search began.
    :param pv: the tokens of the principal variation; for formatting, complete moves (``4 6``) are also accepted.
    :param confidence: the confidence of a selective search in percent, or None if nothing was pruned selectively.
    """

    depth: int | None = None
    seldepth: int | None = None
    multipv: int | None = None
    score: int | None = None
    bound: Bound = "exact"
    nodes: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    time: int | None = None
    pv: tuple[str, ...] = ()
    confidence: int | None = None


@dataclass(frozen=True, slots=True)
class BestMove:
    """The reply to ``go``.

    :param move: text such as ``4 6``, ``d3``, ``pass`` or ``none``, or "" if the line contains no move.
    :param ponder: the expected reply to that move, if any.
    """

    move: str
    ponder: str | None = None


@dataclass(frozen=True, slots=True)
class GoLine:
    """The parameters of ``go``. Times are in milliseconds; Black's clock is ``btime``.

    :param searchmoves: the tokens of the root moves; for formatting, complete moves (``4 6``) are also accepted.
    :param solve: whether to search to the end of the game for the exact value.
    :param wld: whether to search to the end of the game for win, draw or loss only.
    :param perft: the depth at which to count leaves instead of searching.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    infinite: bool = False
    ponder: bool = False
    solve: bool = False
    wld: bool = False
    searchmoves: tuple[str, ...] = ()
    perft: int | None = None


def parse_integer(token: str) -> int | None:
    """Parse an integer of at most 16 ASCII digits; return None if ``token`` is anything else."""
    digits = token[1:] if token.startswith(("-", "+")) else token
    return int(token) if digits.isdigit() and digits.isascii() and len(digits) <= 16 else None


def format_info(line: InfoLine) -> str:
    """Format an ``info`` line, without a newline."""
    words = ["info", *_numbers(line, INFO_NUMBERS[:4])]
    if line.score is not None:
        words += ["score", *_spell_score(line.score)]
        words += [word for word, bound in BOUND_WORDS.items() if bound == line.bound]
    words += _numbers(line, INFO_NUMBERS[4:])
    if line.pv:
        words += ["pv", *line.pv]
    return " ".join(words)


def parse_info(text: str) -> InfoLine | None:
    """Parse an ``info`` line; return None for ``info string …`` and for any other line.

    Unknown words and words without a number of at least 0 are skipped; after ``string``, the rest is free text.
    """
    tokens = text.split()
    if not tokens or tokens[0] != "info" or tokens[1:2] == ["string"]:
        return None
    fields: dict[str, Any] = {}
    index = 1
    while index < len(tokens):
        word = tokens[index]
        index += 1
        if word in INFO_NUMBERS:
            number = parse_integer(tokens[index]) if index < len(tokens) else None
            if number is not None and number >= 0:  # some engines count nodes with 32 bits
                fields[word] = number
        elif word == "score":
            fields.update(_parse_score(tokens[index : index + 3]))
        elif word == "pv":
            end = _end_of_run(tokens, index, INFO_WORDS)
            fields["pv"] = tuple(tokens[index:end])
            index = end
        elif word == "string":
            break
    return InfoLine(**fields)


def format_bestmove(best: BestMove) -> str:
    """Format a ``bestmove`` line, without a newline."""
    return f"bestmove {best.move}" + (f" ponder {best.ponder}" if best.ponder is not None else "")


def parse_bestmove(text: str) -> BestMove | None:
    """Parse a ``bestmove`` line; return None for any other line."""
    tokens = text.split()
    if not tokens or tokens[0] != "bestmove":
        return None
    end = _end_of_run(tokens, 1, PONDER)
    ponder = " ".join(tokens[end + 1 :])
    return BestMove(" ".join(tokens[1:end]), ponder or None)


def format_go(line: GoLine) -> str:
    """Format a ``go`` line, without a newline. Moves come last."""
    words = ["go"]
    words += [name for name in GO_FLAGS if getattr(line, name)]
    words += _numbers(line, GO_NUMBERS)
    if line.searchmoves:
        words += ["searchmoves", *line.searchmoves]
    return " ".join(words)


def parse_go(tokens: Sequence[str]) -> GoLine:
    """Parse the tokens after ``go``. Unknown words are skipped. If a parameter is repeated, its last value is used.

    :raises LimitsError: if a number is missing, malformed or out of range, the first word looks like a misspelt
        parameter, or both ``solve`` and ``wld`` are given. The message quotes the token and its index; ``go`` itself is
        token 0.
    """
    if tokens and tokens[0] not in GO_WORDS and (hint := did_you_mean(tokens[0], GO_WORDS)):
        raise LimitsError(f"token 1 {tokens[0]!r}: unknown parameter{hint}")
    fields: dict[str, Any] = {}
    index = 0
    while index < len(tokens):
        word = tokens[index]
        index += 1
        if word in GO_FLAGS:
            fields[word] = True
        elif (name := GO_ALIASES.get(word, word)) in GO_NUMBERS:
            fields[name] = _go_number(word, GO_NUMBERS[name], tokens, index)
            index += 1
        elif word == "searchmoves":
            end = _end_of_run(tokens, index, GO_STOPS)
            if end == index:
                raise LimitsError(f"token {index} 'searchmoves': must be followed by at least one move")
            fields["searchmoves"] = tuple(tokens[index:end])
            index = end
    if "solve" in fields and "wld" in fields:
        later = max(tokens.index("solve"), tokens.index("wld"))
        raise LimitsError(f"token {later + 1} {tokens[later]!r}: 'solve' and 'wld' cannot be combined")
    return GoLine(**fields)


def _numbers(line: InfoLine | GoLine, names: Iterable[str]) -> list[str]:
    """Return the names and values of all fields that are not None, as tokens."""
    return [word for name in names if (value := getattr(line, name)) is not None for word in (name, str(value))]


def _end_of_run(tokens: Sequence[str], start: int, stops: frozenset[str]) -> int:
    """Return the index of the first token at or after ``start`` that is in ``stops``, or the number of tokens."""
    if stops.isdisjoint(tokens[start:]):  # usually, the run extends to the end of the line
        return len(tokens)
    return next(index for index in range(start, len(tokens)) if tokens[index] in stops)


def _spell_score(score: int) -> tuple[str, str]:
    """Return ``cp N``, or ``win N`` or ``loss N`` with the plies to the end of a decided game."""
    if abs(score) <= DECISIVE:
        return "cp", str(score)
    return ("win" if score > 0 else "loss"), str(WIN - abs(score))


def _parse_score(tokens: Sequence[str]) -> dict[str, Any]:
    """Parse ``cp N``, ``win N`` or ``loss N`` and an optional bound; return {} for other kinds of score."""
    number = parse_integer(tokens[1]) if len(tokens) > 1 else None
    if number is None:
        return {}
    if tokens[0] == "cp":  # points never prove a win, so clamp them
        score = max(-DECISIVE, min(DECISIVE, number))
    elif tokens[0] in ("win", "loss") and 0 <= number < WIN - DECISIVE:
        score = WIN - number if tokens[0] == "win" else number - WIN
    else:
        return {}
    bound = BOUND_WORDS.get(tokens[2], "exact") if len(tokens) > 2 else "exact"
    return {"score": score, "bound": bound}


def _go_number(word: str, least: int, tokens: Sequence[str], index: int) -> int:
    allowed = f"a whole number from {least}" if least >= 0 else "a whole number"
    if index >= len(tokens):
        raise LimitsError(f"token {index} {word!r}: must be followed by {allowed}")
    is_time = word.endswith(("time", "inc"))
    number = parse_integer(FRACTION.sub("", tokens[index]) if is_time else tokens[index])
    if number is None or not least <= number <= MAX_LIMIT:
        raise LimitsError(f"token {index + 1}: {word}: must be {allowed} to {MAX_LIMIT}, not {tokens[index]!r}")
    return number
