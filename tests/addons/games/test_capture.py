"""Capture against its rules in plain text, its end by the limit, and its quiescence."""

from __future__ import annotations

import random
from collections.abc import Iterator

from quietmove.addons.games.capture import QUIET_LIMIT
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

GAME = get_game("capture")
BOARDS = ("X--O--X--O--X--O", "XX-OX-OO", "XXX---OOO", "XO", "X-O-X-O", "O--X", "XXXXXXOOOOOO--------------------")


def rules(text: str) -> dict[str, str]:
    """Return each legal move and the position after it, from the rules and the text of a position alone."""
    row, side, quiet = text.split()
    other = "XO"["OX".index(side)]
    moves = {}
    if "X" not in row or "O" not in row or int(quiet) >= QUIET_LIMIT:
        return {}
    for source, piece in enumerate(row):
        for target in (source - 1, source + 1):
            if piece == side and 0 <= target < len(row) and row[target] != side:
                cells = list(row)
                cells[source], cells[target] = "-", side
                plies = 0 if row[target] == other else int(quiet) + 1
                moves[f"{source + 1}-{target + 1}"] = f"{''.join(cells)} {other} {plies}"
    return moves


def difference(text: str) -> int:
    """Return the difference of pieces from the side to move."""
    row, side, _ = text.split()
    return 100 * (2 * row.count(side) - len(row.replace("-", "")))


def games(count: int) -> Iterator[tuple[str, Position, list[str]]]:
    """Yield positions of random games with the texts that led to them."""
    for seed in range(count):
        board = BOARDS[seed % len(BOARDS)]
        game = get_game(f"capture {board}")
        choices = random.Random(seed)
        position = game.initial()
        texts = [game.format_position(position)]
        while position.legal_moves() and len(texts) < choices.randrange(2, 400):
            position.play(choices.choice(sorted(position.legal_moves())))
            texts.append(game.format_position(position))
        yield board, position, texts


def value(position: Position, settings: Settings, depth: int | None, table: Table | None = None) -> int:
    *_, last = Deepening(position, table, settings, Limits(depth=depth)).iterations()
    return last.score.value


def test_random_games_follow_the_rules() -> None:
    over = 0
    for board, position, texts in games(140):
        game = get_game(f"capture {board}")
        replayed = game.initial()
        for text, after in zip(texts, [*texts[1:], None], strict=True):
            expected = rules(text)
            moves = {game.format_move(move): move for move in replayed.legal_moves()}
            assert set(moves) == set(expected)
            assert replayed.is_over() == (not expected)
            assert replayed.static_value() == difference(text)
            assert replayed.moves_left() >= len(texts) - 1 - replayed.ply
            noisy = [name for name, then in expected.items() if then.endswith(" 0")]
            assert list(moves)[: len(noisy)] == noisy, "captures come first"
            if after is not None:
                move = next(name for name, then in expected.items() if then == after)
                replayed.play(game.parse_move(replayed, move))
        over += position.is_over()
        assert position.result() == (-1 if position.side_to_move else 1) * difference(texts[-1])
    assert over > 20


def test_a_game_ends_by_the_limit() -> None:
    position = get_game("capture X--O").initial()
    for _ in range(QUIET_LIMIT // 4):
        for move in ("1-2", "4-3", "2-1", "3-4"):
            assert not position.is_over()
            position.play(GAME.parse_move(position, move))
    assert position.is_over()
    assert position.result() == 0


def test_quiescence_is_what_it_says() -> None:
    """At the horizon the side to move may stand pat or capture, and so on until nobody captures."""

    def quiet_value(text: str) -> int:
        captures = [after for after in rules(text).values() if after.endswith(" 0")]
        return max([difference(text), *(-quiet_value(after) for after in captures)])

    for board, position, texts in games(60):
        if not position.is_over():
            expected = max(-quiet_value(after) for after in rules(texts[-1]).values())
            assert value(position, Settings(quiescence=True), 1) == expected, board
