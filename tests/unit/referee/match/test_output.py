"""The score of a match: while it runs, at its end and as a document."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from quietmove.engine.common.command_line import run_group
from quietmove.referee.cli import referee
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.match import command as match_command
from quietmove.referee.match import output
from quietmove.referee.match.output import ScoreDisplay, document, score_lines

NAMES = ("a", "[b]")


def record(index: int, margin_first: int, opening: str = "") -> GameRecord:
    """Return a game, won by so much by the first engine; it has Black in those of even index."""
    players = [EngineConfig(name, ("x",)) for name in NAMES]
    margin = margin_first
    if index % 2:
        players.reverse()
        margin = -margin_first
    points = 0.5 + (margin > 0) / 2 - (margin < 0) / 2
    spec = GameSpec("othello", (opening or f"f5{index // 2}",), *players)
    return GameRecord(spec, (MoveRecord("c3", "black"),), "finished", None, points, margin, "made up")


def test_margin_and_normalized_elo_are_of_the_distinct_pairs() -> None:
    """Two pairs with +10 and -2 in the mean, one of which is played twice more."""
    margins = [12, 8, -6, 2, 12, 8, 12, 8]
    openings = ["f5", "f5", "d3", "d3", "f5", "f5", "f5", "f5"]
    records = {index: record(index, *pair) for index, pair in enumerate(zip(margins, openings, strict=True))}
    lines = [line.strip() for line in score_lines(NAMES, records)]
    assert "4 of 8 games are distinct; the others repeat one of these exactly" in lines
    assert "margin +4.00 ± 6.00 (standard error) per game" in lines
    assert "normalized Elo +245.7 ± 340.5" in lines
    score = document(NAMES, records, complete=True)["score"]
    assert (score["games"], score["distinct"], score["margin"], score["margin_error"]) == (8, 4, 4.0, 6.0)
    assert round(score["estimate"]["normalized"], 1) == 245.7


def test_the_score_is_printed_when_a_transcript_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(path: Path, text: str) -> None:
        written(Path("/dev/full") / path.name if path.name == "game-0002.txt" else path, text)

    written = match_command._write
    monkeypatch.setattr(match_command, "_write", write)
    player = "protocol=in-process"
    words = ["match", "--each", "depth=1", "--engine", player, "name=a", "--engine", player, "name=b"]
    assert run_group(referee, "quietmove-referee", [*words, "--transcripts", str(tmp_path / "games")]) == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1].startswith("a against b: ")
    assert captured.err == "error: /dev/full/game-0002.txt: Not a directory\n"
    assert [path.name for path in (tmp_path / "games").iterdir()] == ["game-0001.txt"]


@pytest.mark.parametrize("to_stderr", [False, True])
def test_a_log_has_a_line_for_each_game_and_now_and_then_the_score(
    capsys: pytest.CaptureFixture[str], to_stderr: bool
) -> None:
    display = ScoreDisplay(NAMES, 20, to_stderr=to_stderr)
    with display.displaying():
        for index in range(4):
            display.game_ended(index, record(index, 2))
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
    with display.displaying():
        display.notice("no room")
        display.game_ended(0, record(0, 2))
        display.game_ended(1, record(1, 0))
    assert isinstance(out.file, StringIO)
    text = out.file.getvalue()
    assert "note: no room" in text
    assert "game 2/20  [b] - a  1/2-1/2 (+0)" in text
    assert "a 1.5 - 0.5 [b]: won 1, drawn 1, lost 0, +191 Elo (" in text
    with out.capture() as capture:
        out.print(display._picture())
    assert max(map(len, capture.get().splitlines())) <= width
