"""Practice: which mistakes are asked, how answers are judged, the hints, the dates and their file."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quietmove.addons.practice.answers import judge
from quietmove.addons.practice.hints import hints
from quietmove.addons.practice.positions import Losses, Practice, losses_of
from quietmove.addons.practice.problems import CLEAR, Problem, choose, describe_loss, endgame_problems
from quietmove.addons.practice.schedule import (
    AGAIN,
    FILE_NAME,
    GOOD,
    HARD,
    NEW_A_DAY,
    REASONS,
    Card,
    Schedule,
    describe_due,
    describe_history,
    rate,
)
from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import ACCURATE_BELOW
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.tools.analysis.reviews import Review, ReviewedMove, accuracy
from quietmove.engine.values import Limits, Settings
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame, keep_review, read_game, write_game
from quietmove.referee.game.transcript import MoveRecord
from tests.addons.practice.kept_games import keep_game, review
from tests.fakes.processes import WAIT

OTHELLO = get_game("othello")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two reviewed games, one with a person as Black, one as White."""
    found = tmp_path_factory.mktemp("games")
    for seed in (0, 1):
        review(keep_game(found, seed))
    return found


def problems(folder: Path) -> list[Problem]:
    found = Practice(folder).problems
    assert len(found) > 5
    return found


def test_the_problems_are_the_costly_mistakes_of_ones_own_with_one_clear_answer(folder: Path) -> None:
    count = 0
    for path in folder.glob("*.jsonl"):
        saved = read_game(path)
        assert saved.review is not None
        own = [each for each in saved.review.moves if saved.people == (("black", "white")[each.side],)]
        costly = [each for each in own if (each.loss or 0) >= 200]
        assert all(each.second is not None for each in costly)
        count += sum(each.best_value - each.second >= CLEAR for each in costly)  # type: ignore[operator]
    assert len(problems(folder)) == count
    for each in problems(folder):
        saved = read_game(folder / f"{each.place}.jsonl")
        assert saved.review is not None
        found = saved.review.moves[each.ply - 1]
        assert saved.people == (("black", "white")[found.side],)
        assert saved.moves[each.ply - 1].move == each.played[0] != each.best
        assert each.loss >= 200
        assert each.value - each.second >= CLEAR
        position = saved.begin()
        for move in saved.moves[: each.ply - 1]:
            position.play(OTHELLO.parse_move(position, move.move))
        assert OTHELLO.format_position(position) == each.position
        assert each.kind == ("opening" if each.ply <= 20 else "mistake")


def last_value(position: object) -> int:
    reports = Deepening(position, None, Settings(), Limits(goal="solve")).iterations()  # type: ignore[arg-type]
    last = list(reports)
    if not last:
        return position.result() * (-1 if position.next_player else 1)  # type: ignore[attr-defined, no-any-return]
    return last[-1].score.value


def test_an_answer_is_read_in_any_notation_and_judged_with_its_line(folder: Path) -> None:
    for each in problems(folder):
        wrong = judge(each, each.played[0])
        assert (wrong.is_right, wrong.loss, wrong.line) == (False, each.loss, each.played)
        right = judge(each, each.best.upper())
        assert (right.is_right, right.loss, right.line) == (True, 0, each.line)
        for move in each.begin().legal_moves():
            answer = judge(each, OTHELLO.format_move(move))
            assert answer.line[0] == answer.move == OTHELLO.format_move(move)
            assert answer.is_right or answer.loss >= CLEAR
    with pytest.raises(GameError, match="'zz' is not a move"):
        judge(each, "zz")


def test_a_wrong_answer_to_an_exact_problem_is_solved() -> None:
    """A search of a million nodes says that g7 wins by 3 discs; it loses by 2."""
    position = "--XXXXXXXOOOOOX-XOOXOOX-XOOXX-O-XXOXOO--XXXXOOO---OXO----------- X"
    problem = Problem("mistake", "othello", position, ("f4",), 2800, 2400, depth=22, exact=True)
    assert (judge(problem, "g7").value, judge(problem, "g7").loss) == (-200, 3000)


def test_a_loss_of_more_discs_than_the_board_has_is_told_by_the_results() -> None:
    position = "X" * 64 + "X"
    for value, after, said in (
        (3200, -3200, "loses 64 discs"),
        (5400, -5400, "turns a win by 54 discs into a loss by 54 discs"),
        (6400, -100, "turns a win by 64 discs into a loss by 1 disc"),
    ):
        assert describe_loss(Problem("endgame", "othello", position, ("a1",), value, 0, exact=True), after) == said


def test_hints_are_true_and_tell_more_from_step_to_step(folder: Path) -> None:
    asked = set()
    for each in problems(folder):
        question, place, choice = hints(each)
        asked.add(question.text)
        assert each.best not in question.text
        position = each.begin()
        target = OTHELLO.squares_of(position, OTHELLO.parse_move(position, each.best))[-1]
        if "quarter" in place.text:
            assert target in place.squares
            assert len(place.squares) == 16
        else:  # only a wrong move gives this corner away
            assert place.squares[0] in {0, 7, 56, 63}
        assert choice.text == "It is {} or {}.".format(*sorted((each.best, each.played[0])))
        assert target in choice.squares
    assert len(asked) > 1
    # The question is about the reason saved with the mistake.
    mistake = problems(folder)[0]
    assert "discs on an edge" in hints(replace(mistake, reason="wedge"))[0].text
    assert "replies" in hints(replace(mistake, reason="mobility"))[0].text
    kinds = [kind for kind in REASONS if kind != "corner"]
    assert len({hints(replace(mistake, reason=kind))[0].text for kind in kinds}) == len(kinds)


def test_the_accuracy_is_the_share_of_accurate_moves(folder: Path) -> None:
    for path in folder.glob("*.jsonl"):
        found = read_game(path).review
        assert found is not None
        for side in (0, 1):
            chosen = [each for each in found.moves if each.side == side and each.line]
            good = [each for each in chosen if each.loss is not None and each.loss < ACCURATE_BELOW]
            assert accuracy(found, side) == round(100 * len(good) / len(chosen))
    assert accuracy(Review((ReviewedMove(0),)), 0) is None


def test_a_deeper_review_replaces_the_kept_one_and_a_shallower_one_never(tmp_path: Path) -> None:
    path = keep_game(tmp_path, 4)
    moves = [each.move for each in read_game(path).moves]
    shallow, deep = review(path, nodes=300, exact=2), review(path, nodes=3000, exact=6)
    assert deep.effort > shallow.effort
    assert read_game(path).review == deep
    assert not keep_review(path, moves, shallow)
    assert not keep_review(path, moves, deep)
    assert read_game(path).review == deep
    before = path.read_bytes()
    with pytest.raises(GameFileError, match="the game's moves differ from the reviewed moves"):
        keep_review(path, moves[:-1], deep)
    assert path.read_bytes() == before
    for text in ("", "[]", "{}", '{"moves": [], "review": {"moves": [{"sides": 1}]}}', '{"moves": 1}'):
        path.write_text(text)
        with pytest.raises(
            GameFileError, match=r"othello-04\.jsonl: (a saved game|moves|review\.moves\.0\.sides?): must be"
        ):
            keep_review(path, [], deep)
        assert path.read_text() == text


def test_a_review_that_has_come_or_gone_is_seen_at_once(tmp_path: Path) -> None:
    path = keep_game(tmp_path, 2)
    assert Practice(tmp_path).problems == []
    review(path, nodes=500)
    assert Practice(tmp_path).problems
    path.unlink()
    assert Practice(tmp_path).problems == []


def problem(number: int, loss: int = 400) -> Problem:
    return Problem("mistake", "othello", f"position {number}", ("a1",), 0, -400, played=("a2",), played_value=-loss)


@pytest.mark.parametrize(
    ("ratings", "days"),
    [
        ("333333", [2, 11, 46, 163, 497, 1346]),
        ("133333", [1, 2, 6, 17, 44, 102]),
        ("233333", [1, 5, 17, 50, 133, 321]),
        ("333133", [2, 11, 46, 3, 8, 19]),
        ("113133", [1, 1, 1, 1, 1, 2]),
    ],
)
def test_the_dates_are_the_golden_sequence_of_the_scheduler(tmp_path: Path, ratings: str, days: list[int]) -> None:
    now, found = NOON, []
    for rating in ratings:
        card = Schedule(tmp_path / FILE_NAME).answer("one", int(rating), now)  # read from the file each time
        found.append((card.due - now).days)
        now = card.due
    assert found == days


def test_right_answers_are_counted_by_reason_for_thirty_days(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / FILE_NAME)
    kinds = ("parity", "corner", "corner", "")
    many = [replace(problem(number), reason=kind) for number, kind in enumerate(kinds)]
    for number, rating in ((0, AGAIN), (1, GOOD), (2, HARD), (3, GOOD), (0, AGAIN)):
        schedule.answer(many[number].key, rating, NOON)
    schedule.answer(many[1].key, AGAIN, NOON + DAY)
    assert schedule.by_reason(many, NOON + DAY) == [("Corner given", 2, 3), ("Parity", 0, 2)]
    assert schedule.by_reason(many[2:], NOON + DAY) == [("Corner given", 1, 1)]
    assert schedule.by_reason(many, NOON + 30.5 * DAY) == [("Corner given", 0, 1)]


def test_the_positions_of_a_day_are_those_due_and_a_portion_of_new_ones(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / FILE_NAME)
    many = [problem(number, 200 + number) for number in range(NEW_A_DAY + 10)]
    first = schedule.due(many, NOON)
    assert first == many[::-1][:NEW_A_DAY]  # the costliest mistakes
    for number, each in enumerate(first):
        schedule.answer(each.key, AGAIN if number < 5 else GOOD, NOON)
    assert schedule.due(many, NOON) == []
    assert schedule.today(many, NOON) == (NEW_A_DAY, NEW_A_DAY - 5)
    late, early = NOON.replace(hour=23), NOON.replace(hour=0) + DAY
    assert schedule.due(many, late) == []
    assert schedule.due(many, early) == first[4::-1] + many[9::-1]  # days begin at midnight
    assert schedule.count_due_by(many, early) == 5
    assert schedule.later(many, NOON)[:10] == many[:10]  # the positions never presented
    assert {each.key for each in schedule.later(many, NOON)} == {each.key for each in many}


@pytest.mark.parametrize("year", [1, 1969, 9000, 9998])
def test_a_clock_that_is_far_off_is_an_error_and_nothing_is_written(year: int, tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / FILE_NAME)
    schedule.answer("one", GOOD, NOON)
    before = schedule.path.read_bytes()
    for _ in range(2):  # the file can still be read
        with pytest.raises(GameFileError, match=f"^the clock: must show a year from 1970 to 8999, not {year}; "):
            Schedule(schedule.path).answer("one", GOOD, NOON.replace(year=year))
    assert schedule.path.read_bytes() == before


def test_answers_of_two_processes_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: Schedule(tmp_path / FILE_NAME).answer(key, GOOD, NOON), map(str, range(40))))
    assert len(Schedule(tmp_path / FILE_NAME).cards) == 40


def test_the_history_of_a_position_and_when_it_comes_back(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / FILE_NAME)
    card = schedule.answer("one", AGAIN, NOON)
    assert describe_history(card, NOON) == "once, last today, wrong once"
    assert describe_due(card, NOON) == "It comes back tomorrow."
    for day in range(4):
        card = schedule.answer("one", GOOD, NOON + (10 * day + 1) * DAY)
    assert describe_history(card, NOON + 35 * DAY) == "5 times, last 4 days ago, wrong once"
    assert describe_due(card, NOON + 31 * DAY) == f"It comes back in {(card.due - NOON).days - 31} days."
    ratings = [rate(is_right=right, hints=given) for right, given in ((True, 0), (True, 2), (False, 0))]
    assert ratings == [GOOD, HARD, AGAIN]
    assert not Card(NOON + 20 * DAY, 1.0, 1.0, ((NOON, GOOD),)).is_learnt
    assert Card(NOON + 21 * DAY, 1.0, 1.0, ((NOON, GOOD),)).is_learnt


def test_the_mastery_of_a_position_is_what_its_next_answers_show(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / FILE_NAME)
    schedule.answer("hinted", HARD, NOON)
    assert schedule.mastery("one", NOON).days_with_hints == (schedule.cards["hinted"].due - NOON).days
    card = schedule.answer("one", AGAIN, NOON)
    told = first = schedule.mastery("one", card.due)
    assert (first.right, first.days_with_hints <= first.days) == (0, True)
    for number in range(1, first.left + 1):
        assert not card.is_learnt
        at = card.due
        card = schedule.answer("one", GOOD, at)
        assert (card.due - at).days == told.days
        told = schedule.mastery("one", card.due)
        assert (told.right, told.left) == (number, first.left - number)
    assert card.is_learnt


def test_a_damaged_file_is_one_error_that_names_its_place_and_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    for number in range(40):
        Schedule(path).answer(f"position {number}", GOOD, NOON)
    lines = path.read_text().splitlines(keepends=True)
    due, stability = re.compile(r'"due": "[^"]+"'), re.compile(r'"stability": [\d.]+')
    assert len(json.loads("".join(lines))["positions"]) == len(lines) - 2 == 40
    for line, wrong, where in (
        (20, "nonsense\n", r"line 21, column \d+"),
        (7, lines[7].replace("2026", "20x6"), "line 8: expected a position"),
        (7, lines[7].replace("+00:00", ""), "line 8: expected a position"),
        (7, due.sub('"due": "9999-12-31T23:59:59-23:59"', lines[7]), "line 8: expected a position"),
        (7, stability.sub('"stability": 1e999', lines[7]), "a number is not finite or has more"),
        (7, stability.sub(f'"stability": {"9" * 6000}', lines[7]), "a number is not finite or has more"),
        (7, "[" * 100_000, "nested more than 100 levels"),
        (0, '{"cards": [\n', "line 1: must be an object"),
    ):
        damaged = "".join([*lines[:line], wrong, *lines[line + 1 :]])
        path.write_text(damaged)
        with pytest.raises(GameFileError, match=rf"practice\.json: {where}.*left as it is"):
            Schedule(path)
        assert path.read_text() == damaged
    for junk in (b"", b"\xff\xfe", b"[]", b"null", b'{"positions": 5}', random.Random(1).randbytes(100)):
        path.write_bytes(junk)
        with pytest.raises(GameFileError, match=r"practice\.json: (line|byte) \d"):
            Schedule(path)
        assert path.read_bytes() == junk
    path.unlink()
    path.mkdir()
    with pytest.raises(GameFileError, match=r"practice\.json: must be a regular file"):
        Schedule(path)


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / "nowhere" / FILE_NAME)
    with pytest.raises(GameFileError, match="No such file or directory"):
        schedule.answer("one", GOOD, NOON)


def test_an_answer_to_an_endgame_is_exact() -> None:
    for each in endgame_problems()[::250]:
        position = each.begin()
        assert position.moves_left() >= each.empties
        for move in position.legal_moves():
            after = position.copy()
            after.play(move)
            value = -last_value(after) if after.side_to_move != position.side_to_move else last_value(after)
            answer = judge(each, OTHELLO.format_move(move))
            assert answer.value == value
            assert answer.is_right == (value == each.value) == (answer.move == each.best)
            assert answer.better[0] == each.best
        assert all(each.best not in hint.text for hint in hints(each)[:2])


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from quietmove.addons.practice.schedule import GOOD, Schedule
schedule = Schedule(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    schedule.answer(f"{sys.argv[2]} {number}", GOOD, datetime.now(UTC))
"""


def test_two_processes_that_answer_at_once_lose_no_answer(tmp_path: Path) -> None:
    path, pipe = tmp_path / FILE_NAME, subprocess.PIPE
    words = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*words, name], stdin=pipe, stdout=pipe, text=True) for name in "ab"]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=WAIT)
        assert writer.returncode == 0
    assert set(Schedule(path).cards) == {f"{name} {number}" for name in "ab" for number in range(20)}


def mistake(number: int, loss: int, reason: str, value: int = 0) -> Problem:
    return Problem(
        kind="mistake",
        game="othello",
        position=f"{number}",
        line=("f5",),
        value=value,
        second=value - 300,
        played=("f4",),
        played_value=value - loss,
        reason=reason,
    )


def test_a_game_gives_five_mistakes_of_different_reasons_and_none_of_a_decided_game() -> None:
    game = [
        *(mistake(number, 1000 - number, "corner") for number in range(6)),
        mistake(6, 300, "mobility"),
        mistake(7, 250, ""),
        mistake(8, 5000, "parity", value=8000),  # winning either way
        mistake(9, 5000, "parity", value=-2500),  # losing either way
    ]
    chosen = choose(game)
    assert [each.position for each in chosen] == [each.position for each in game]
    assert [each.position for each in chosen if not each.is_extra] == ["0", "1", "2", "6", "7"]
    assert not any(each.is_extra for each in choose(game[4:8]))


def test_extras_are_asked_only_on_request(tmp_path: Path) -> None:
    schedule = Schedule(tmp_path / FILE_NAME)
    first, extra = mistake(0, 500, ""), replace(mistake(1, 900, ""), is_extra=True)
    assert schedule.due([first, extra], NOON) == [first]
    assert schedule.later([first, extra], NOON) == [extra]
    schedule.answer(extra.key, 1, NOON)
    assert extra in schedule.due([first, extra], NOON + DAY)  # a position presented once comes back


def test_losses_are_told_by_opening_and_by_phase(tmp_path: Path) -> None:
    moves = ["f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3", "e6", "e7"]
    found = [ReviewedMove(number % 2, value=0, best_value=0, line=move) for number, move in enumerate(moves)]
    found[2] = replace(found[2], value=-400, played="c3")
    found[3] = replace(found[3], value=-9000, played="d3")  # the other side's mistake
    saved = SavedGame(
        moves=tuple(MoveRecord(move, COLORS[number % 2]) for number, move in enumerate(moves)),
        people=("black",),
        review=Review(tuple(found), "movetime=200", "2026-01-01 10:00:00"),
    )
    write_game(saved, tmp_path / "a.jsonl", replaces=False)
    assert losses_of(tmp_path) == (
        [],
        [Losses("opening", 1, 400), Losses("middle game", 1, 0), Losses("endgame", 1, 0)],
    )
    write_game(saved, tmp_path / "b.jsonl", replaces=False)
    (opening,), phases = losses_of(tmp_path)
    assert (opening.games, opening.average) == (2, 4)
    assert opening.name
    assert [each.average for each in phases] == [4, 0, 0]
