"""What the page of practice asks of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.practice.page import AnswerRequest, PositionRequest, PracticePages, PracticeRequest
from quietmove.addons.practice.positions import Practice
from quietmove.addons.practice.problems import endgame_problems
from quietmove.addons.practice.schedule import FILE_NAME
from quietmove.addons.web.kept import KeptGames
from quietmove.engine.errors import GameError, GameFileError
from quietmove.referee.errors import SetupError
from tests.addons.practice.kept_games import keep_game, review


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    review(keep_game(tmp_path, 0))
    return tmp_path


def answered(pages: PracticePages, **asked: Any) -> dict[str, Any]:
    return pages.answer(AnswerRequest.read(json.dumps(asked)))


def test_what_is_due_is_asked_answered_and_due_no_more(folder: Path) -> None:
    pages, problems = PracticePages(folder), Practice(folder).problems
    found = pages.overview(PracticeRequest())
    few = [each for each in problems if not each.is_extra]
    assert found["due"] == len(found["queue"]) == len(few) > 3
    assert found["count"] == len(problems)
    assert found["openings"] == sum(each.kind == "opening" for each in few)
    first, second = (next(each for each in problems if each.key == key) for key in found["queue"][:2])
    shown = pages.position(PositionRequest(key=first.key))
    assert (shown["step"]["position"], shown["seen"], len(shown["hints"])) == (first.position, "never", 3)
    assert shown["source"].startswith("your game of 1 June 2026 against level 3, move ")
    assert "best" not in shown

    wrong = answered(pages, key=first.key, move=first.played[0])
    assert (wrong["right"], wrong["move"], wrong["due"]) == (False, first.played[0], found["due"] - 1)
    assert [[each["move"] for each in line["line"]] for line in wrong["lines"]] == [
        list(first.line[: len(wrong["lines"][0]["line"])]),
        list(first.played),
    ]
    assert wrong["again"] == "It comes back tomorrow."
    assert wrong["seen"] == "once, last today, wrong once"
    assert wrong["text"].startswith(f"{first.played[0]} loses ")
    again = answered(pages, key=first.key, move=first.best, counts=False)
    assert (again["right"], again["again"]) == (True, "")
    assert len(Practice(folder).schedule.cards[first.key].answers) == 1
    assert answered(pages, key=second.key, move=second.best, hints=2)["again"] == "It comes back tomorrow."

    after = pages.overview(PracticeRequest())
    assert (after["due"], after["asked"], after["right"], after["tomorrow"]) == (found["due"] - 2, 2, 1, 2)
    extras = {each.key for each in problems if each.is_extra}
    assert set(after["more"]) & {first.key, *extras}
    assert len(after["more"]) == min(5, len(extras) + 2)
    assert pages.overview(PracticeRequest(place="othello-00"))["count"] == found["count"]
    assert pages.overview(PracticeRequest(place="another"))["count"] == 0


def test_endgames_are_chosen_by_their_difficulty(tmp_path: Path) -> None:
    pages = PracticePages(tmp_path)
    found = pages.overview(PracticeRequest.read('{"kind": "endgames", "level": "6"}'))
    hard = [each for each in endgame_problems() if each.level == 6]
    assert (found["count"], found["due"]) == (len(hard), 0)
    assert found["queue"] == [each.key for each in hard[:10]]
    assert {"level": 6, "count": len(hard), "right": None} in found["levels"]
    assert sum(each["count"] for each in found["levels"]) == len(endgame_problems())
    shown = answered(pages, key=hard[0].key)
    assert (shown["right"], shown["text"]) == (False, f"The answer is {hard[0].best}.")
    assert answered(pages, key=hard[1].key, move=hard[1].best)["right"]
    levels = {each["level"]: each["right"] for each in pages.overview(PracticeRequest(kind="endgames"))["levels"]}
    assert levels.pop(6) == 50
    assert set(levels.values()) == {None}
    assert pages.overview(PracticeRequest())["count"] == 0


def test_what_is_wrong_is_one_error(folder: Path) -> None:
    pages = PracticePages(folder)
    key = pages.overview(PracticeRequest())["queue"][0]
    for asked, message in (
        ({"kind": "all"}, "kind: must be 'mistakes', 'openings', 'endgames' or 'learn', not 'all'"),
        ({"level": "30"}, "level: must be "),
    ):
        with pytest.raises(SetupError, match=message):
            PracticeRequest.read(json.dumps(asked))
    with pytest.raises(SetupError, match="position: there is no 'nothing' to practise"):
        pages.position(PositionRequest(key="nothing"))
    with pytest.raises(GameError, match="'zz' is not a move"):
        answered(pages, key=key, move="zz")
    assert not (folder / FILE_NAME).exists()
    with pytest.raises(SetupError, match="saves no games"):
        PracticePages(None).overview(PracticeRequest())


def test_a_damaged_file_is_put_aside_only_by_a_person_and_games_go_on(folder: Path) -> None:
    pages, file = PracticePages(folder), folder / FILE_NAME
    count = pages.overview(PracticeRequest())["due"]
    with pytest.raises(SetupError, match=r"practice\.json: is not damaged"):
        pages.begin_anew()
    file.write_text('{"positions": [\n{"position": "one"}\n]}')
    damaged = file.read_bytes()
    key = Practice.__name__
    with pytest.raises(GameFileError, match=r"practice\.json: line 2"):
        pages.overview(PracticeRequest())
    with pytest.raises(GameFileError, match=r"practice\.json: line 2"):
        answered(pages, key=key, move="a1")
    assert file.read_bytes() == damaged
    assert len(KeptGames(folder).listed()["games"]) == 1
    assert KeptGames(folder).shown("othello-00")["review"]["moves"]
    aside = pages.begin_anew()["aside"]
    assert (folder / aside).read_bytes() == damaged
    assert pages.overview(PracticeRequest())["due"] == count
    (folder / "broken.jsonl").write_text("{")
    found = pages.overview(PracticeRequest())
    assert (found["due"], len(found["damaged"])) == (count, 1)
    assert found["damaged"][0].startswith(f"{folder / 'broken.jsonl'}: ")


def test_the_list_of_games_has_the_accuracy_of_those_reviewed(folder: Path) -> None:
    keep_game(folder, 1)
    games = {each["name"]: each for each in KeptGames(folder).listed()["games"]}
    assert games["othello-01"]["accuracy"] is None
    black, white = games["othello-00"]["accuracy"]
    assert 0 <= black <= 100
    assert 0 <= white <= 100
    assert games["othello-00"]["people"] == ["black"]
