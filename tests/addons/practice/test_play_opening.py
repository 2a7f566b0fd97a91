"""An opening that is trained by hand, in this process: its replies, what is said, and what is kept to practise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.addons.practice.openings import good_or_popular
from quietmove.addons.practice.positions import Practice
from quietmove.addons.practice.training import training_of
from quietmove.commands import run_command
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.registry import get_game
from quietmove.referee.game.saved import games_folder, read_game
from quietmove.referee.play.commands import obey
from quietmove.referee.play.opponents import Opponent
from quietmove.referee.play.play_session import PlaySession, Start
from tests.dialogue.referee.test_play import FIRST, Script

OTHELLO = get_game("othello")
BOOK = book_of(SHIPPED)
SECOND = frozenset((1,))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return games_folder()


def trained(name: str, humans: frozenset[int], choose: Callable[[PlaySession], str]) -> tuple[PlaySession, list[str]]:
    """Return a session that plays until the opening is over, and all that was said."""
    script = Script(lambda _: choose(session))
    start = Start(OTHELLO, humans, Opponent(0), 6, training=training_of(name))
    session = PlaySession(start, script, color=False)  # type: ignore[arg-type]
    session.greet()
    while not any(line.startswith("'undo' tries again") for line in script.said):
        session.turn(lambda line: obey(session, line))
    return session, script.said


def best(session: PlaySession) -> str:
    return OTHELLO.format_move(good_or_popular(BOOK, session.game.position)[0].move)


def worst(session: PlaySession) -> str:
    """Return the first move that is no good reply."""
    position = session.game.position
    good = {each.move for each in good_or_popular(BOOK, position)}
    return OTHELLO.format_move(next(move for move in reversed(position.legal_moves()) if move not in good))


@pytest.mark.parametrize("humans", [FIRST, SECOND])
def test_an_opening_without_a_mistake(humans: frozenset[int], folder: Path) -> None:
    session, said = trained("tiger", humans, best)
    assert "Opening: Tiger (f5d6c3d3c4); replies follow the book up to move 20." in said
    assert len(session.game.moves) == 20
    assert not [line for line in said if "is not in the book; it loses" in line]
    assert sum("good" in line for line in said) == sum(ply % 2 in humans for ply in range(5, 20))
    position = OTHELLO.initial()
    for ply, move in enumerate(session.game.numbers()):
        if ply >= 5 and position.side_to_move not in humans:
            assert move in {each.move for each in good_or_popular(BOOK, position)}
        position.play(move)
    assert any("none of them a mistake" in line for line in said)
    assert not Practice(folder, "openings").problems
    session.close()


def test_mistakes_are_shown_and_practised_and_undo_tries_again(folder: Path) -> None:
    session, said = trained("Rose", SECOND, worst)
    assert len([line for line in said if "is not in the book; it loses" in line]) >= 3
    shown = [line for line in said if " was better" in line]
    asked = Practice(folder, "openings").problems
    assert asked
    assert any(line.startswith(f"{len(asked)} position") and "practice --kind openings" in line for line in said)
    for each in asked:
        assert each.kind == "opening"
        assert each.ply > 11  # moves of the opening itself do not count as mistakes
        saved = read_game(folder / f"{each.place}.jsonl")
        assert saved.event == "Opening: Rose"
        assert len(saved.moves) == 20
        assert saved.moves[each.ply - 1].by == "white"
        assert any(line.startswith(f"  {each.ply} {each.played[0]}") for line in shown)
    obey(session, "undo")
    assert len(session.game.moves) < 20
    obey(session, best(session))
    session.save_begun()
    assert len(list(folder.glob("*.jsonl"))) == 2  # what follows is another game
    assert Practice(folder, "openings").problems == asked
    obey(session, "new")
    assert "".join(session.game.texts()) == "f5d6c5f4e3c6d3f6e6d7"
    session.close()


def test_a_new_opening_without_a_move_of_ones_own_is_not_saved(folder: Path) -> None:
    start = Start(OTHELLO, FIRST, Opponent(0), 5, training=training_of("f5"))
    session = PlaySession(start, Script(lambda _: "quit"), color=False)  # type: ignore[arg-type]
    session.save_begun()
    session.close()
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--opening", "tigr"], "--opening: opening: expected a name such as Tiger"),
        (["--opening", "tiger", "--two"], "--opening cannot be combined with --two"),
        (["--opening", "tiger", "--load", "x.jsonl"], "--opening cannot be combined with --load"),
        (["--opening", "tiger", "--game", "nim"], "--opening needs --game othello, not nim"),
    ],
)
def test_an_opening_that_does_not_fit_is_one_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 2
