"""GoGui's rules extension of GTP: questions by which a controller plays a game whose rules it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietmove.engine.protocol.gtp_words import CommandError, expect

if TYPE_CHECKING:
    from quietmove.engine.protocol.gtp import Gtp

__all__ = [
    "NAMES",
    "SIZE",
    "analyze_commands",
    "board",
    "board_size",
    "evaluate",
    "final_result",
    "game_id",
    "interrupt",
    "legal_moves",
    "side_to_move",
]

SIZE = 8
NAMES = ("Black", "White")
ANALYZE_COMMANDS = (
    "string/Evaluation/quietmove-evaluate",
    "plist/Legal moves/gogui-rules_legal_moves",
    "move/Recommended move/reg_genmove %c",
)


def game_id(gtp: Gtp, words: list[str]) -> str:
    """Answer the name of the game."""
    expect(words)
    return "Othello"


def board(gtp: Gtp, words: list[str]) -> str:
    """Answer the squares, the top row first: X Black, O White."""
    expect(words)
    squares = gtp.session.game.format_position(gtp.session.position).split()[0].replace("-", ".")
    return "\n" + "\n".join(" ".join(squares[SIZE * row : SIZE * (row + 1)]) for row in range(SIZE))


def board_size(gtp: Gtp, words: list[str]) -> str:
    """Answer the squares a side."""
    expect(words)
    return str(SIZE)


def legal_moves(gtp: Gtp, words: list[str]) -> str:
    """Answer the legal moves; none if the game is over."""
    expect(words)
    return " ".join(sorted(map(gtp.spell, gtp.session.position.legal_moves())))


def side_to_move(gtp: Gtp, words: list[str]) -> str:
    """Answer whose turn it is."""
    expect(words)
    return NAMES[gtp.session.position.side_to_move].lower()


def final_result(gtp: Gtp, words: list[str]) -> str:
    """Answer the result in words."""
    expect(words)
    if not gtp.session.position.is_over():
        return "unknown"
    result = gtp.session.position.result() // 100
    return f"{NAMES[result < 0]} wins by {abs(result)}" if result else "draw"


def analyze_commands(gtp: Gtp, words: list[str]) -> str:
    """Answer what GoGui offers in its menu of analyses."""
    expect(words)
    return "\n".join(ANALYZE_COMMANDS)


def interrupt(gtp: Gtp, words: list[str]) -> str:
    """Tell by its presence that the comment ``# interrupt`` ends a search with its answer."""
    expect(words)
    return ""


def evaluate(gtp: Gtp, words: list[str]) -> str:
    """Answer the static value in discs, for the side to move."""
    expect(words)
    position = gtp.session.position
    if position.is_over():
        raise CommandError("the game is over")
    return f"{position.static_value() / 100:+.2f} discs for {NAMES[position.side_to_move]}, who is to move"
