"""``quietmove practice``, which reads lines, and the days of a person who practises."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.practice.positions import Practice
from quietmove.addons.practice.problems import endgame_problems
from quietmove.addons.practice.schedule import FILE_NAME, NEW_A_DAY
from quietmove.commands import run_command
from quietmove.referee.game.saved import read_game
from tests.addons.practice.kept_games import keep_game, review

DAY = timedelta(days=1)
Run = Callable[..., str]


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "quietmove" / "games"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return folder


@pytest.fixture
def run(games: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in this process and returns what it writes."""

    def run(*arguments: str, said: str = "", status: int = 0) -> str:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said.encode())))
        assert run_command(arguments) == status
        streams = capfd.readouterr()
        return streams.out + streams.err

    return run


@pytest.fixture
def practice(run: Run) -> Run:
    return partial(run, "practice")


def listed(practice: Run) -> dict[str, Any]:
    found = json.loads(practice("--json"))
    assert isinstance(found, dict)
    return found


def test_a_game_is_reviewed_practised_and_asked_again_the_next_day(games: Path, practice: Run) -> None:
    path = keep_game(games, 2)
    said = practice()
    assert "nothing to practise yet" in said
    assert "1 saved game without a review: review with 'quietmove practice --review'." in said
    said = practice("--review", "--nodes", "2000", "--list")
    assert said.startswith(f"reviewed {path.name}\n")
    assert read_game(path).review
    positions = listed(practice)["positions"]
    assert len(positions) > 2
    few = {each.key for each in Practice(games).problems if not each.is_extra}
    assert f"{len(few)} due today; {len(positions)} positions, 0 learnt" in said

    asked = [each for each in positions if f"{each['game']} {each['position']}" in few]
    first, second = sorted(asked, key=lambda each: each["value"] - each["played_value"], reverse=True)[:2]
    lines = ["help", "hint", "hint", "hint", "zz", first["played"][0], "later", "quit"]
    said = practice(said="\n".join(lines))
    lost = round((first["value"] - first["played_value"]) / 100)
    about = "" if first["exact"] else "about "
    assert f"{first['played'][0]} loses {about}{lost} discs: {first['best']} was better" in said
    assert f"{' '.join(first['line'])}\n" in said
    assert f"{' '.join(first['played'])}\n" in said
    assert "'zz' is not a move" in said
    assert "hint 3 of 3: It is " in said
    assert "It comes back tomorrow." in said

    said = practice(said=second["best"])  # the input ends here
    assert f"Right: {second['best']}. It keeps " in said
    assert "It comes back in 2 days." in said
    found = listed(practice)
    assert found["due"] == len(few) - 2
    answers = {each["position"]: each["answers"] for each in found["positions"]}
    assert [rating for _, rating in answers[first["position"]]] == [1]
    assert [rating for _, rating in answers[second["position"]]] == [3]

    said = practice(said="answer\n" * len(few))
    assert said.count("The answer is ") == len(few) - 2
    assert f"Done for today: {len(few)} positions, 1 right." in said
    assert "Right in the last 30 days: " in said
    said = practice()
    assert said.startswith("0 due today")
    assert "The next is due on " in said
    more = practice("--more", "--most", "1", said="quit")
    assert "1 of 1: your game of " in more


def test_endgames_are_asked_by_their_difficulty_and_come_again(games: Path, practice: Run) -> None:
    hard = [each for each in endgame_problems() if each.level == 9]
    said = practice("--kind", "endgames", "--level", "9", said=f"{hard[0].best}\nanswer\nhint\n")
    assert f"20 due today; {len(hard)} positions" in said
    assert f"1 of 20: an endgame of difficulty 9, {hard[0].empties} empty squares" in said
    assert f"Right: {hard[0].best}. It keeps {round(hard[0].value / 100):+d}." in said
    assert f"The answer is {hard[1].best}." in said
    assert "hint 1 of 3: " in said
    found = json.loads(practice("--kind", "endgames", "--level", "9", "--json"))
    assert found["due"] == 18
    lines = practice("--kind", "endgames", "--level", "9", "--list").splitlines()[1:]
    assert len(set(lines)) == len(lines) == len(hard)
    assert any(line.endswith(f": {found['positions'][5]['position']}") for line in lines)
    assert [len(each["answers"]) for each in found["positions"][:3]] == [1, 1, 0]
    assert "error: --level needs --kind endgames" in practice("--level", "9", status=2)


def test_reviews_from_every_command_are_kept(games: Path, run: Run) -> None:
    folder = games.parents[1]
    path = keep_game(games, 0)
    one = ["analyze", str(path), "--exact", "4"]
    said = run(*one, "--nodes", "3000")
    assert "The review was saved with the game" in said
    kept = path.read_bytes()
    said = run(*one, "--depth", "1")
    assert "at least as deep and was kept" in said
    assert path.read_bytes() == kept
    elsewhere = folder / "copy.jsonl"
    elsewhere.write_text(json.dumps({**json.loads(kept), "review": None}))
    before = elsewhere.read_bytes()
    run("analyze", str(elsewhere), "--depth", "1", "--exact", "4")
    assert elsewhere.read_bytes() == before

    path.unlink()
    run("play", "--level", "0", said="f5\nanalyze\nquit\n")
    (path,) = games.glob("*.jsonl")
    review = read_game(path).review
    assert review
    assert len(review.moves) == len(read_game(path).moves)
    words = ["play", "--load", str(path)]
    run(*words, said="quit\n")
    assert read_game(path).review == review
    run(*words, said="undo\nf5\nquit\n")
    moves = len(read_game(path).moves)
    assert read_game(path).review in (None, review)
    run(*words, said="undo\nd3\nquit\n")
    assert moves == len(read_game(path).moves)
    assert read_game(path).review is None  # the earlier review was of other moves


def test_a_damaged_file_ends_the_practice_and_nothing_else(games: Path, practice: Run, run: Run) -> None:
    path = keep_game(games, 2)
    practice("--review", "--nodes", "500", "--most", "2", said="answer\nanswer\n")
    file = games / FILE_NAME
    good = file.read_text()
    file.write_text(good.replace('"due"', '"due', 1))
    damaged = file.read_bytes()
    for arguments in ((), ("--json",)):
        said = practice(*arguments, said="answer\n", status=2)
        assert said.startswith("error: ")
        assert said.count("\n") == 1
        assert f"{file}: line 2, column " in said
    assert file.read_bytes() == damaged
    run("analyze", str(path), "--depth", "1", "--exact", "4")
    file.write_text(good)
    assert len([each for each in listed(practice)["positions"] if each["answers"]]) == 2
    (games / "broken.jsonl").write_text("{")  # a damaged game does not prevent practising the others
    said = practice("--list")
    assert f"skipped: {games / 'broken.jsonl'}: " in said
    assert said.count("broken.jsonl") == 1
    assert " positions, " in said
    assert "error: --nodes needs --review" in practice("--nodes", "5", status=2)


def test_a_kill_loses_no_answer_that_was_told(games: Path, practice: Run) -> None:
    keep_game(games, 2)
    practice("--review", "--nodes", "500", "--list")
    folder, file = games.parents[1], games / FILE_NAME
    process = subprocess.Popen(
        [sys.executable, "-m", "quietmove", "practice"],
        env={"XDG_DATA_HOME": str(folder), "PATH": "", "PYTHONPATH": ":".join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    for _ in range(2):
        process.stdin.write("answer\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("It comes back"):
            assert process.poll() is None
    process.kill()
    process.communicate()
    assert len(json.loads(file.read_text())["positions"]) == 2


@pytest.mark.parametrize("count", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_games_are_learnt_in_sixty_days(games: Path, count: int) -> None:
    """A person who remembers a position better each time it was asked, and what the days then look like."""
    for seed in range(count):
        review(keep_game(games, seed, level=1 + seed % 8))
    start, person = datetime(2026, 3, 1, 20, tzinfo=UTC), random.Random(1)
    total = sum(not each.is_extra for each in Practice(games).problems)
    assert total > 2 * count
    asked, right = Counter[int](), Counter[int]()
    for day in range(60):
        now = start + day * DAY
        state = Practice(games)  # like a new process each day
        due = state.schedule.due(state.problems, now)
        for problem in due:
            card = state.schedule.cards.get(problem.key)
            assert card is None or card.due.date() <= now.date()
            times = len(card.answers) if card else 0
            knows = person.random() < 1 - 0.5 ** (times + 1)
            judged = state.answer(problem, problem.best if knows else problem.played[0], 0, now)
            assert judged.answer.is_right == knows
            after = state.schedule.cards[problem.key]
            assert (after.due - now).days >= 1
            if not knows:
                assert (after.due - now).days < 10
            asked[day] += 1
            right[day] += knows
        assert state.schedule.due(state.problems, now) == []
        new = [each for each in state.schedule.cards.values() if each.answers[0][0] == now]
        assert len(new) <= NEW_A_DAY
    state = Practice(games)
    end = start + 60 * DAY
    assert all(each.key in state.schedule.cards for each in state.problems if not each.is_extra)  # extras are optional
    learnt = sum(card.is_learnt for card in state.schedule.cards.values())
    assert learnt > total / 2
    first, last = range(14), range(46, 60)
    assert share(right, asked, last) > share(right, asked, first) + 0.1
    assert sum(asked[day] for day in last) < sum(asked[day] for day in first) / 3
    assert state.schedule.count_due_by(state.problems, end + 365 * DAY) > 0
    lines = (games / FILE_NAME).read_text().splitlines()
    assert len(lines) == total + 2


def share(some: Counter[int], of: Counter[int], days: range) -> float:
    return sum(some[day] for day in days) / max(1, sum(of[day] for day in days))
