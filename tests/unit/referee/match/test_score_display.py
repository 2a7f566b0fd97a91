from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.match import output
from quietmove.referee.match.output import ScoreDisplay, document, score_text

NAMES = ("a", "[b]")


def record(index: int, points_first: float, opening: str = "", move: str = "c3") -> GameRecord:
    """Return a game; the first engine has Black in those of even index."""
    players = [EngineConfig(name, ("x",)) for name in NAMES]
    points = points_first if index % 2 == 0 else 1 - points_first
    spec = GameSpec("othello", (opening or f"f5{index // 2}",), *(players if index % 2 == 0 else players[::-1]))
    return GameRecord(spec, (MoveRecord(move, "black"),), "finished", None, points, 2, "made up")


def test_the_score_is_that_of_the_document_at_the_end() -> None:
    points = (1, 1, 0.5, 1, 0, 1, 1, 1, 0, 0.5, 1)
    records = {index: record(index, value) for index, value in enumerate(points)}
    found = document(NAMES, records, True)["score"]
    assert score_text(NAMES, records) == (
        f"a {found['points']:g} - {11 - found['points']:g} [b]: won 7, drawn 2, lost 2, "
        f"{found['estimate']['elo']:+.0f} Elo "
        f"(95%: {found['estimate']['elo_low']:+.0f} to {found['estimate']['elo_high']:+.0f})"
    )
    assert score_text(NAMES, {}) == "a 0 - 0 [b]: won 0, drawn 0, lost 0"


@pytest.mark.parametrize("to_stderr", [False, True])
def test_a_log_has_a_line_for_each_game_and_now_and_then_the_score(
    capsys: pytest.CaptureFixture[str], to_stderr: bool
) -> None:
    display = ScoreDisplay(NAMES, 20, to_stderr=to_stderr)
    with display.shown():
        for index in range(4):
            display.game_ended(index, record(index, 1))
    captured = capsys.readouterr()
    out, empty = (captured.err, captured.out) if to_stderr else (captured.out, captured.err)
    lines = out.splitlines()
    assert empty == ""
    assert [line.startswith("game ") for line in lines] == [True, True, False, True, True, False]
    assert lines[2].startswith("a 2 - 0 [b]: won 2, drawn 0, lost 0, +infinite Elo (95%: -")
    assert "; 2 of 20 games, " in lines[2]


@pytest.mark.parametrize("width", [60, 80])
def test_on_a_terminal_the_score_stands_below_the_games(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    out = Console(file=StringIO(), force_terminal=True, width=width, color_system=None)
    monkeypatch.setattr(output, "_terminal", lambda to_stderr: out)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    display = ScoreDisplay(NAMES, 20, to_stderr=False)
    with display.shown():
        display.notice("no room")
        display.game_ended(0, record(0, 1))
        display.game_ended(1, record(1, 0.5))
    assert isinstance(out.file, StringIO)
    text = out.file.getvalue()
    assert "note: no room" in text
    assert "game 2/20  [b] - a  1/2-1/2 (+2)" in text
    assert "a 1.5 - 0.5 [b]: won 1, drawn 1, lost 0, +191 Elo (" in text
    with out.capture() as capture:
        out.print(display._picture())
    assert max(map(len, capture.get().splitlines())) <= width
