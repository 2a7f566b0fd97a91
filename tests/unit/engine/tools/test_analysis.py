"""Games looked over: what is read, what the searches find beside the truth, and what is shown."""

from __future__ import annotations

import json
import random
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.commands import run_command
from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.games.base import WIN, Game
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import BLUNDER, INACCURACY, MISTAKE
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis import report
from quietmove.engine.tools.analysis.records import ReviewedGame, read_records
from quietmove.engine.tools.analysis.report import GameAnalysis
from quietmove.engine.tools.analysis.review import MoveReview, ReviewEffort, Searches, review, totals
from quietmove.engine.values import Limits, Settings
from quietmove.referee.play.analyze_command import analyze_games, read_settings
from tests.fakes.addons import needs_games
from tests.fakes.games import play_at_random

OTHELLO = get_game("othello")
PLAIN = Settings(evaluation="classic")  # no selectivity, so minimax finds the same values


def random_game(seed: int, plies: int = 80) -> list[int]:
    return play_at_random(OTHELLO.initial(), random.Random(seed), plies)


def record_of(moves: list[int], game: Game = OTHELLO) -> ReviewedGame:
    return ReviewedGame("transcript", game, game.initial(), tuple(moves))


def text_of(moves: list[int]) -> str:
    return "".join(OTHELLO.format_move(move) for move in moves)


def reviewed(record: ReviewedGame, effort: ReviewEffort, table: Table | None = None) -> list[MoveReview]:
    found = list(review(record, effort, table))[::-1]
    assert [each.number for each in found] == list(range(1, len(record.moves) + 1))
    assert tuple(each.move for each in found) == record.moves
    return found


# Results of the searches


@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_game_is_exact(seed: int) -> None:
    moves = random_game(seed)
    record = record_of(moves)
    reviews = reviewed(record, ReviewEffort(PLAIN, Limits(depth=1), 7), Table(1))
    position = record.start.copy()
    checked = 0
    for each in reviews:
        if position.moves_left() <= 7:
            assert each.exact
            assert each.best_value == Minimax(position).value(255)
            for move, value in ((each.move, each.value), (each.best, each.best_value)):
                position.play(move)
                assert -Minimax(position).value(255) == value
                position.undo()
            checked += 1
        position.play(each.move)
    assert checked >= 7


@pytest.mark.parametrize("seed", range(6))
def test_the_second_best_move_is_exact_near_the_end_and_searched_elsewhere_after_a_mistake(seed: int) -> None:
    record = record_of(random_game(seed))
    reviews = reviewed(record, ReviewEffort(PLAIN, Limits(depth=2), 7), Table(1))
    position = record.start.copy()
    checked = 0
    for each in reviews:
        if position.moves_left() <= 7 and each.choices > 1:
            values = []
            for move in position.legal_moves():
                position.play(move)
                values.append(-Minimax(position).value(255))
                position.undo()
            assert [each.best_value, each.second] == sorted(values, reverse=True)[:2]
            checked += 1
        elif each.choices > 1:
            assert (each.second is not None) == (each.loss is not None and each.loss >= INACCURACY)
        position.play(each.move)
    assert checked >= 3


def test_a_review_can_be_stopped_by_another_thread() -> None:
    searches = Searches()
    rows = review(record_of(random_game(1)), ReviewEffort(PLAIN, Limits(infinite=True), 0), None, searches)
    timer = threading.Timer(0.1, searches.stop)
    timer.start()
    assert len(list(rows)) < 60
    timer.join()


@pytest.mark.parametrize("megabytes", [0, 1])
def test_both_values_are_of_one_depth(megabytes: int) -> None:
    record = record_of(random_game(5, 24))
    reviews = reviewed(record, ReviewEffort(PLAIN, Limits(depth=3), 0), Table(megabytes) if megabytes else None)
    position = record.start.copy()
    position.choose_evaluator("classic")
    lost = 0
    for each in reviews:
        if each.choices > 1:
            assert (each.depth, each.confidence, each.exact) == (3, 100, False)
            assert each.best_value == Minimax(position).value(3)
            position.play(each.move)
            assert each.value == -Minimax(position).value(2)
            position.undo()
        lost += each.loss or 0
        position.play(each.move)
    assert lost > 2000  # random moves


def test_nothing_is_lost_below_nothing_where_searches_are_selective() -> None:
    record = record_of(random_game(8))
    reviews = reviewed(record, ReviewEffort(Settings(selectivity=5), Limits(nodes=3000), 8), Table(1))
    assert any(each.confidence < 100 for each in reviews)
    for each in reviews:
        assert each.loss is not None
        assert each.loss >= 0
        assert (each.loss == 0) == (each.move == each.best)


def test_a_first_move_loses_nothing_since_all_lead_to_images_of_one_position() -> None:
    position, moves = OTHELLO.initial(), []
    for name in ("f5", "d6"):
        moves.append(OTHELLO.parse_move(position, name))
        position.play(moves[-1])
    effort = ReviewEffort(
        replace(read_settings((), []), multipv=1), Limits(nodes=300_000), 22
    )  # this search finds d3 half a disc better
    first = reviewed(record_of(moves), effort, Table(64))[0]
    assert (first.best, first.loss, first.line[:2]) == (moves[0], 0, tuple(moves[:2]))


@needs_games
def test_a_win_given_away_is_marked_and_has_no_points() -> None:
    game = get_game("nim 1,2")
    moves = [next(move for move in game.initial().legal_moves() if game.format_move(move) == "2-2")]
    position = game.initial()
    position.play(moves[0])
    moves.append(position.legal_moves()[0])
    reviews = reviewed(record_of(moves, game), ReviewEffort(Settings(), Limits(depth=9), 12))
    blunder, win = reviews
    assert game.format_move(blunder.best) == "2-1"
    assert (blunder.value, blunder.best_value) == (2 - WIN, WIN - 3)
    assert (blunder.loss, blunder.mark, blunder.exact) == (None, "??", True)
    assert (win.loss, win.mark) == (0, "")
    found = totals(reviews, 0)
    assert (found.moves, found.best, found.accurate, found.blunders, found.worst) == (1, 0, 0, 1, (blunder,))


def test_a_slower_win_gives_nothing_away() -> None:
    slow = MoveReview(1, 0, 5, 6, WIN - 9, WIN - 3, 4, 9, 100, True, 0)
    assert (slow.loss, slow.mark) == (0, "")
    assert totals([slow], 0).accurate == 1
    assert totals([slow], 0).best == 0


@pytest.mark.parametrize(
    ("value", "best", "exact", "mark"),
    [
        (0, INACCURACY - 1, False, ""),
        (0, MISTAKE - 1, False, "?!"),
        (0, MISTAKE, False, "?"),
        (-100, -100 + BLUNDER, False, "??"),
        (0, 200, True, "?"),  # a draw instead of a win
        (-200, 200, True, "??"),
        (-100, 90, False, ""),
        (200, 399, True, ""),
    ],
)
def test_marks(value: int, best: int, exact: bool, mark: str) -> None:
    assert MoveReview(1, 0, 5, 6, value, best, 4, 9, 100, exact, 0).mark == mark


@needs_games
def test_games_with_dice_or_cards_are_refused() -> None:
    for name in ("einstein", "whist"):
        game = get_game(name)
        record = ReviewedGame("transcript", game, game.initial(), tuple(game.initial().legal_moves()[:1]))
        with pytest.raises(
            GameFileError, match=f"games with chance or hidden cards, such as {name}, cannot be analysed"
        ):
            list(review(record, ReviewEffort(Settings(), Limits(depth=1), 0), None))


# Input


def with_a_pass() -> list[int]:
    return next(moves for seed in range(100) if PASS in (moves := random_game(seed))[:-5])


def test_a_transcript_is_read_in_every_notation_and_without_its_passes(tmp_path: Path) -> None:
    moves = with_a_pass()
    texts = [OTHELLO.format_move(move) for move in moves if move != PASS]
    numbers = " ".join(f"{ord(text[0]) - 96} {9 - int(text[1])}" for text in texts)
    expected = tuple(moves[:-1] if moves[-1] == PASS else moves)
    for text in (text_of(moves), "".join(texts), " ".join(texts), numbers, "".join(texts).upper()):
        (record,) = read_records(text, OTHELLO)
        assert record.moves in (expected, tuple(moves))
        assert record.place == "transcript"
    file = tmp_path / "games.txt"
    file.write_text("# games\n\n" + "".join(texts) + "\n" + numbers + "\n", encoding="utf-8")
    records = read_records(str(file), OTHELLO)
    assert [record.place for record in records] == ["games.txt, line 3", "games.txt, line 4"]
    assert {record.moves for record in records} <= {expected, tuple(moves)}
    assert [record.place for record in read_records(str(file), OTHELLO, 2)] == ["games.txt, line 4"]


@pytest.mark.parametrize("name", ["random.GGF", "random.txt"])
def test_a_game_of_ggf_keeps_its_board_and_its_players(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(
        "(;GM[Othello]PB[ann]PW[bob]TY[s8r14]BO[8 -------- -------- --*O---- ---OO--- ---*O--- -------- -------- "
        "-------- O]W[b3]B[d2];)"
    )
    (record,) = read_records(str(file), OTHELLO)
    assert record.players == ("ann", "bob")
    assert OTHELLO.format_position(record.start).endswith(" O")
    effort = ReviewEffort(PLAIN, Limits(depth=2), 4)
    head, _, given = GameAnalysis(record, reviewed(record, effort), effort).title.partition("; ")
    assert head == f"{name}, line 1: ann (Black) - bob (White), 2 moves"
    assert given == "depth 2 a position, exact with 4 or fewer moves to come"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5d6 z9", "transcript: move 3: 'z9' is not a move"),
        ("", "transcript: must have at least one move"),
        ("no/such", "no/such: for othello, expected moves or a file ending in .wtb, .ggf, .sgf, .pgn, .txt, .jsonl"),
    ],
)
def test_what_is_no_game_is_named(text: str, message: str) -> None:
    with pytest.raises(GameError, match=f"^{re.escape(message)}"):
        read_records(text, OTHELLO)


@pytest.mark.parametrize(
    ("name", "games"),
    [
        (
            "games.pgn",
            ['[Event "x"]\n\n1. f5 d6 *\n\n', '[Event "y"]\n\n1. f5 z9 *\n\n', '[Event "z"]\n\n1. f5 f6 *\n'],
        ),
        ("games.txt", ["f5d6\n", "f5a1\n", "f5f6\n"]),
        ("games.sgf", ["(;GM[2];B[f5];W[d6])", "(;GM[2];B[f5];W[zz])", "(;GM[2];B[f5];W[f6])"]),
        ("games.jsonl", ['{"moves":["f5"\n', "[]\n", '{"moves":[{"move":"f5"},{"move":"f6"}]}\n']),
    ],
)
def test_a_damaged_game_does_not_block_the_others(
    tmp_path: Path, name: str, games: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text("".join(games))
    [record] = read_records(str(file), OTHELLO, 3)
    assert [OTHELLO.format_move(move) for move in record.moves] == ["f5", "f6"]
    with pytest.raises(GameFileError):
        read_records(str(file), OTHELLO, 2)
    losses = Losses(problems=[])
    assert read_records(str(file), OTHELLO, None, losses)[-1].moves == record.moves
    assert losses.problems
    assert run_command(["analyze", str(file), "--depth", "1"]) == 2
    printed = capsys.readouterr()
    assert "f6" in printed.out
    assert printed.err.startswith(f"error: {file}: ")


def test_a_game_is_chosen_by_its_number_whatever_the_others_are(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6\nf5a1\nf5f6\n", encoding="utf-8")
    assert [OTHELLO.format_move(move) for move in read_records(str(file), OTHELLO, 3)[0].moves] == ["f5", "f6"]
    with pytest.raises(GameFileError, match=r"games\.txt: line 2: move 2, a1, is not legal"):
        read_records(str(file), OTHELLO)
    with pytest.raises(GameFileError, match=r"games\.txt: --game-number: must be from 1 to 3, not 4"):
        read_records(str(file), OTHELLO, 4)
    with pytest.raises(GameFileError, match=r"^--game-number: must be from 1 to 1, not 2"):
        read_records("f5d6", OTHELLO, 2)
    file.write_text("# none\n", encoding="utf-8")
    with pytest.raises(GameFileError, match=r"games\.txt: it contains no games"):
        read_records(str(file), OTHELLO)
    (folder := tmp_path / "folder.txt").mkdir()
    with pytest.raises(GameFileError, match="must be a regular file"):
        read_records(str(folder), OTHELLO)
    with pytest.raises(GameFileError, match=r"for connect, expected moves or a file ending in \.txt"):
        read_records("games.wtb", get_game("connect"))


# Output


@pytest.fixture(scope="module")
def analysis() -> GameAnalysis:
    effort = ReviewEffort(Settings(), Limits(depth=2), 8)
    record = replace(record_of(with_a_pass()), players=("A rather long name of a player", "Another"))
    return GameAnalysis(record, reviewed(record, effort), effort)


def report_lines(record: ReviewedGame, effort: ReviewEffort) -> list[str]:
    lines: list[str] = []
    list(analyze_games([record], effort, None, lines.append))
    return lines


def test_each_move_is_written_as_soon_as_it_is_reviewed() -> None:
    class EnoughError(Exception):
        """Raised once the last move has been written."""

    record = record_of(with_a_pass())
    last = len(record.moves)
    lines: list[str] = []

    def write(line: str) -> None:
        lines.append(line)
        if line.startswith(f"{last - 1:3}  "):
            raise EnoughError

    with pytest.raises(EnoughError):
        list(analyze_games([record], ReviewEffort(Settings(), Limits(depth=1), 4), None, write))
    assert [int(line.split()[0]) for line in lines[-2:]] == [last, last - 1]


def test_the_table_fits_80_columns_and_adds_up(analysis: GameAnalysis) -> None:
    lines = report_lines(analysis.record, analysis.effort)
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in reversed(lines) if re.match(r" *\d+  (Black|White) ", line)]
    assert len(rows) == len(analysis.reviews)
    for side in range(2):
        name = OTHELLO.players[side]
        lost = sum(each.loss or 0 for each in analysis.reviews if each.side == side and each.choices > 1)
        (totals_row,) = [line.split() for line in lines if line.startswith(name)]
        assert float(totals_row[5]) == lost / 100
        choices = [row for row, each in zip(rows, analysis.reviews, strict=True) if each.side == side]
        assert sum(row[-2:-1] == ["??"] for row in choices) == int(totals_row[9])
    assert any(row[2] == "pass" and row[-1] == "exact" for row in rows)


def test_the_sparkline_rises_with_the_value(analysis: GameAnalysis) -> None:
    head, *bars = report.sparkline(analysis)
    assert head.startswith("Value for Black, ")
    line = "".join(bar.strip() for bar in bars)
    assert len(line) == len(analysis.reviews)
    values = [-each.value if each.side else each.value for each in analysis.reviews]
    heights = [report.BLOCKS.index(letter) for letter in line]
    assert [height for _, height in sorted(zip(values, heights, strict=True))] == sorted(heights)
    assert len(set(line)) > 3


def test_the_json_document_is_what_its_description_says(analysis: GameAnalysis) -> None:
    end = replace(analysis, reviews=analysis.reviews[-12:])
    document = json.loads(report.as_json([end], {"depth": 2}))
    (game,) = document["games"]
    described = set(re.findall(r"``(\w+)``", report.__doc__ or ""))
    used = {*document, *game, *game["moves"][0], *game["totals"]["Black"]}
    assert used <= described
    assert described - used <= {"win", "loss"}
    assert game["players"] == ["A rather long name of a player", "Another"]
    assert [move["move"] for move in game["moves"]] == [OTHELLO.format_move(each.move) for each in end.reviews]
    lost = sum(move["loss"] for move in game["moves"] if move["side"] == "White" and move["choices"] > 1)
    assert game["totals"]["White"]["loss"] == pytest.approx(lost)


def test_a_proven_win_is_words() -> None:
    assert report.value_text(WIN - 3, True) == report.value_json(WIN - 3) == "win 3"
    assert report.value_text(4 - WIN, False) == "loss 4"
    assert (report.value_text(400, True), report.value_text(-123, False)) == ("+4", "~-1.23")


def test_a_game_without_moves_has_an_empty_table(tmp_path: Path) -> None:
    """In a file of several games it does not end the report on the others."""
    file = tmp_path / "none.ggf"
    file.write_text("(;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)")
    (record,) = read_records(str(file), OTHELLO)
    effort = ReviewEffort(PLAIN, Limits(depth=2), 4)
    lines = report_lines(record, effort)
    assert sum(line.startswith("Black ") for line in lines) == 1
