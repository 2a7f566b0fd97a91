"""The words behind a command of GTP, and GoGui's rules extension.

By the extension a controller plays a game whose rules it does not know.
"""

from __future__ import annotations

from collections.abc import Callable

from quietmove.common.errors import QuietmoveError
from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.protocol.rows import parse_decimal

__all__ = [
    "NAMES",
    "SHOWN",
    "SIZE",
    "CommandError",
    "board",
    "evaluate",
    "expect",
    "final_result",
    "legal_moves",
    "read_color",
    "read_count",
    "read_time",
    "says",
    "side_to_move",
]

COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
SHOWN = 60  # characters of a word that an error repeats
SIZE = 8
NAMES = ("Black", "White")


class CommandError(QuietmoveError):
    """A command that is answered by ``?`` and this text."""


def expect(words: list[str], *names: str) -> list[str]:
    """Return the words that follow a command, as many as there are names.

    :raises CommandError: if there are more or fewer.
    """
    if len(words) != len(names):
        raise CommandError(f"must be followed by {', '.join(names) or 'nothing'}, not by {len(words)} words")
    return words


def read_color(word: str) -> int:
    """Return the side that a colour names.

    :raises CommandError: if it names none.
    """
    if word.lower() not in COLORS:
        raise CommandError(f"colour: must be black or white, not {word[:SHOWN]!r}")
    return COLORS[word.lower()]


def read_time(word: str) -> int:
    """Return seconds, which may have decimals, in milliseconds.

    :raises CommandError: if the word writes none.
    """
    seconds = parse_decimal(word)
    if seconds is None:
        raise CommandError(f"must be a number of seconds of at least 0, not {word[:SHOWN]!r}")
    return int(1000 * seconds)


def read_count(word: str) -> int:
    """Return a whole number of moves.

    :raises CommandError: if the word writes none.
    """
    count = parse_integer(word)
    if count is None or count < 0:
        raise CommandError(f"must be a whole number of at least 0, not {word[:SHOWN]!r}")
    return count


def says(text: str) -> Callable[[Dialect, list[str]], str]:
    """Return a command without words whose answer is always the same."""

    def answer(gtp: Dialect, words: list[str]) -> str:
        expect(words)
        return text

    return answer


def board(gtp: Dialect, words: list[str]) -> str:
    """Answer the squares, the top row first: X Black, O White."""
    expect(words)
    squares = gtp.session.game.format_position(gtp.session.position).split()[0].replace("-", ".")
    return "\n" + "\n".join(" ".join(squares[SIZE * row : SIZE * (row + 1)]) for row in range(SIZE))


def legal_moves(gtp: Dialect, words: list[str]) -> str:
    """Answer the legal moves; none if the game is over."""
    expect(words)
    return " ".join(sorted(map(gtp.spell, gtp.session.position.legal_moves())))


def side_to_move(gtp: Dialect, words: list[str]) -> str:
    """Answer whose turn it is."""
    expect(words)
    return NAMES[gtp.session.position.side_to_move].lower()


def final_result(gtp: Dialect, words: list[str]) -> str:
    """Answer the result in words."""
    expect(words)
    if not gtp.session.position.is_over():
        return "unknown"
    result = gtp.session.position.result() // 100
    return f"{NAMES[result < 0]} wins by {abs(result)}" if result else "draw"


def evaluate(gtp: Dialect, words: list[str]) -> str:
    """Answer the static value in discs, for the side to move."""
    expect(words)
    position = gtp.session.position
    if position.is_over():
        raise CommandError("the game is over")
    return f"{position.static_value() / 100:+.2f} discs for {NAMES[position.side_to_move]}, who is to move"
