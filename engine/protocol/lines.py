"""Parsing and formatting of the protocol's ``info``, ``bestmove``, ``go`` and ``option`` lines.

Both ends use this module: the engine formats what the referee parses, and vice versa. It is independent of the game: a
move is text in the game's notation, one token (``d3``) or more (``4 6``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from quietmove.engine.common.text import did_you_mean
from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import DECISIVE, WIN
from quietmove.engine.limit import MAX_LIMIT
from quietmove.engine.values import Bound, Info, Limits, Score

INFO_NUMBERS = ("depth", "seldepth", "multipv", "confidence", "nodes", "nps", "hashfull", "time")
INFO_WORDS = frozenset(INFO_NUMBERS) | {"score", "pv", "string"}
PONDER = frozenset({"ponder"})
BOUND_WORDS: dict[str, Bound] = {"lowerbound": "lower", "upperbound": "upper"}

OPTION_WORDS = ("type", "default", "min", "max", "var")  # the keywords of an `option` line
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
CLOCKS = ("btime", "binc"), ("wtime", "winc")  # the words for each player's clock, Black first
GO_ALIASES = {"p1time": "btime", "p2time": "wtime", "p1inc": "binc", "p2inc": "winc"}  # UGI's names for the clocks
GO_FLAGS = ("infinite", "ponder", "solve", "wld")
GO_WORDS = (*GO_NUMBERS, *GO_ALIASES, *GO_FLAGS, "searchmoves")
GO_STOPS = frozenset(GO_WORDS)
FRACTION = re.compile(r"\.\d+$")  # some programs send fractions of a millisecond; they are dropped


@dataclass(frozen=True, slots=True)
class BestMove:
    """The reply to ``go``.

    :param move: text such as ``4 6``, ``d3``, ``pass`` or ``none``, or "" if the line contains no move.
    :param ponder: the expected reply to that move, if any.
    """

    move: str
    ponder: str | None = None


@dataclass(frozen=True, slots=True)
class OptionLine:
    """An option that an engine declares. A field is "" if the line does not contain it.

    :param kind: the type ``check``, ``spin``, ``combo``, ``string`` or ``button``; engines may use others.
    :param default: the initial value as text.
    :param least, most: the bounds of a ``spin`` as text.
    :param choices: the values of a ``combo``.
    """

    name: str
    kind: str = ""
    default: str = ""
    least: str = ""
    most: str = ""
    choices: tuple[str, ...] = ()


def parse_integer(token: str) -> int | None:
    """Parse an integer of at most 16 ASCII digits; return None if ``token`` is anything else."""
    digits = token[1:] if token.startswith(("-", "+")) else token
    return int(token) if digits.isdigit() and digits.isascii() and len(digits) <= 16 else None


def format_info(info: Info[str]) -> str:
    """Format an ``info`` line, without a newline. The confidence is omitted if nothing was pruned selectively."""
    confidence = info.confidence if info.confidence < 100 else None
    words = ["info", *_pairs(depth=info.depth or None, seldepth=info.seldepth, multipv=info.rank)]
    words += [*_pairs(confidence=confidence), "score", str(info.score)]
    words += _pairs(nodes=info.nodes, nps=info.nps, hashfull=info.hashfull, time=info.time)
    if info.pv:
        words += ["pv", *info.pv]
    return " ".join(words)


def parse_info(text: str) -> Info[str] | None:
    """Parse an ``info`` line with a score; return None for any other line.

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
                fields["rank" if word == "multipv" else word] = number
        elif word == "score":
            fields |= _parse_score(tokens[index : index + 3])
        elif word == "pv":
            end = _end_of_run(tokens, index, INFO_WORDS)
            fields["pv"] = tuple(tokens[index:end])
            index = end
        elif word == "string":
            break
    fields.pop("nps", None)  # computed from the nodes and the time
    return Info(**fields) if "score" in fields else None


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


def format_go(limits: Limits, side_to_move: int, spell: Callable[[int], str]) -> str:
    """Format a ``go`` line, without a newline. Moves come last.

    :param side_to_move: 0 for Black, whose clock is ``btime``; 1 for White.
    :param spell: converts a move to text.
    """
    own, other = CLOCKS[side_to_move], CLOCKS[1 - side_to_move]
    is_perft = limits.goal == "perft"
    clocks = {own[0]: limits.time, own[1]: limits.increment or None}
    clocks |= {other[0]: limits.opponent_time, other[1]: limits.opponent_increment or None}
    words = ["go", *(word for word in ("infinite", "ponder") if getattr(limits, word))]
    words += [limits.goal] if limits.goal in GO_FLAGS else []
    words += _pairs(depth=None if is_perft else limits.depth, nodes=limits.nodes, movetime=limits.movetime)
    words += _pairs(**{word: clocks[word] for word in ("wtime", "btime", "winc", "binc")}, movestogo=limits.movestogo)
    words += _pairs(perft=limits.depth if is_perft else None)
    if limits.searchmoves:
        words += ["searchmoves", *map(spell, limits.searchmoves)]
    return " ".join(words)


def parse_go(
    tokens: Sequence[str], side_to_move: int, read_moves: Callable[[Sequence[str]], tuple[int, ...]]
) -> Limits:
    """Parse the tokens after ``go``. Unknown words are skipped. If a parameter is repeated, its last value is used.

    :param side_to_move: 0 for Black, whose clock is ``btime``; 1 for White.
    :param read_moves: converts the words after ``searchmoves`` to moves; its errors are passed on.
    :raises LimitsError: if a number is missing, malformed or out of range, all words are unknown, the first word looks
        like a misspelt parameter, or both ``solve`` and ``wld`` are given. The message quotes the token and its index;
        ``go`` itself is token 0.
    """
    if tokens and tokens[0] not in GO_STOPS:
        hint = did_you_mean(tokens[0], GO_WORDS)
        if hint or GO_STOPS.isdisjoint(tokens):
            expected = hint or f"; must be one of {', '.join(GO_WORDS)}"
            raise LimitsError(f"token 1 {tokens[0]!r}: unknown parameter{expected}")
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
            fields["searchmoves"] = tokens[index:end]
            index = end
    if "solve" in fields and "wld" in fields:
        later = max(tokens.index("solve"), tokens.index("wld"))
        raise LimitsError(f"token {later + 1} {tokens[later]!r}: 'solve' and 'wld' cannot be combined")
    if "searchmoves" in fields and "perft" not in fields:
        fields["searchmoves"] = read_moves(fields["searchmoves"])
    return _to_limits(fields, side_to_move)


def _to_limits(fields: dict[str, Any], side_to_move: int) -> Limits:
    """Return the limits from the parameters of ``go``. An overdrawn clock counts as expired."""
    for prefix, (time, increment) in zip(
        ("", "opponent_"), (CLOCKS[side_to_move], CLOCKS[1 - side_to_move]), strict=True
    ):
        if time in fields:
            fields[f"{prefix}time"] = max(0, fields.pop(time))
        if increment in fields:
            fields[f"{prefix}increment"] = fields.pop(increment)
    goals = [goal for goal in ("solve", "wld") if fields.pop(goal, False)]
    if "perft" in fields:
        return Limits(depth=fields["perft"], goal="perft")
    if goals:
        fields["goal"] = goals[0]
    return Limits(**fields)


def parse_option(text: str) -> OptionLine | None:
    """Parse an ``option`` line; return None for any other line. Names and values can have several words."""
    tokens = text.split()
    if tokens[:1] != ["option"]:
        return None
    words: dict[str, list[list[str]]] = {"name": [[]]}
    part = "name"
    for token in tokens[2:] if tokens[1:2] == ["name"] else tokens[1:]:
        is_value = not words[part][-1] and part in ("name", token)  # a name may be `type`, a default `default`
        if token in OPTION_WORDS and not is_value:
            part = token
            words.setdefault(part, []).append([])
        else:
            words[part][-1].append(token)
    values = {part: [" ".join(value) for value in of_part] for part, of_part in words.items()}
    name, kind, default, least, most = (values.get(part, [""])[0] for part in ("name", *OPTION_WORDS[:4]))
    default = "" if default == "<empty>" else default
    return OptionLine(name, kind, default, least, most, tuple(values.get("var", ())))


def _pairs(**numbers: int | None) -> list[str]:
    """Return the names and values of all numbers that are not None, as tokens."""
    return [word for name, value in numbers.items() if value is not None for word in (name, str(value))]


def _end_of_run(tokens: Sequence[str], start: int, stops: frozenset[str]) -> int:
    """Return the index of the first token at or after ``start`` that is in ``stops``, or the number of tokens."""
    if stops.isdisjoint(tokens[start:]):  # usually, the run extends to the end of the line
        return len(tokens)
    return next(index for index in range(start, len(tokens)) if tokens[index] in stops)


def _parse_score(tokens: Sequence[str]) -> dict[str, Score]:
    """Parse ``cp N``, ``win N``, ``loss N`` or ``mate N`` and an optional bound; return {} for other kinds of score.

    ``mate N``, in engines that have grown from chess, is a win in N moves of the side to move; if negative, a loss.
    """
    number = parse_integer(tokens[1]) if len(tokens) > 1 else None
    if number is None:
        return {}
    if tokens[0] == "cp":  # points never prove a win, so clamp them
        score = max(-DECISIVE, min(DECISIVE, number))
    elif tokens[0] in ("win", "loss") and 0 <= number < WIN - DECISIVE:
        score = WIN - number if tokens[0] == "win" else number - WIN
    elif tokens[0] == "mate" and abs(number) < (WIN - DECISIVE) // 2:
        score = WIN + 1 - 2 * number if number > 0 else -WIN - 2 * number
    else:
        return {}
    return {"score": Score(score, BOUND_WORDS.get(tokens[2], "exact") if len(tokens) > 2 else "exact")}


def _go_number(word: str, least: int, tokens: Sequence[str], index: int) -> int:
    allowed = f"a whole number from {least}" if least >= 0 else "a whole number"
    if index >= len(tokens):
        raise LimitsError(f"token {index} {word!r}: must be followed by {allowed}")
    is_time = word.endswith(("time", "inc"))
    number = parse_integer(FRACTION.sub("", tokens[index]) if is_time else tokens[index])
    if number is None or not least <= number <= MAX_LIMIT:
        raise LimitsError(f"token {index + 1}: {word}: must be {allowed} to {MAX_LIMIT}, not {tokens[index]!r}")
    return number
