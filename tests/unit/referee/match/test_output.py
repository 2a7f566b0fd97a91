from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from quietmove.common.command_line import run_group
from quietmove.referee.cli import referee
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match import command as match_command
from quietmove.referee.match.output import document, score_lines


@pytest.fixture
def handlers() -> Iterator[None]:
    """Take back how a match handles signals."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def record(index: int, margin_first: int, opening: str) -> GameRecord:
    """Make a game without moves; a's games have even indices with Black."""
    players = [EngineConfig("a", ("x",)), EngineConfig("b", ("x",))]
    if index % 2:
        players.reverse()
    margin = -margin_first if index % 2 else margin_first
    spec = GameSpec("othello", (opening,), *players)
    return GameRecord(spec, (), "finished", None, 0.5 + (margin > 0) / 2 - (margin < 0) / 2, margin, "made up")


def test_margin_and_normalized_elo_are_of_the_distinct_pairs() -> None:
    """Two pairs with +10 and -2 in the mean, one of which is played twice more."""
    margins = [12, 8, -6, 2, 12, 8, 12, 8]
    openings = ["f5", "f5", "d3", "d3", "f5", "f5", "f5", "f5"]
    records = {index: record(index, *pair) for index, pair in enumerate(zip(margins, openings, strict=True))}
    lines = [line.strip() for line in score_lines(("a", "b"), records)]
    assert "4 of 8 games are distinct; the others repeat one of these exactly" in lines
    assert "margin +4.00 ± 6.00 (standard error) a game" in lines
    assert "normalized Elo +245.7 ± 340.5" in lines
    score = document(("a", "b"), records, complete=True)["score"]
    assert (score["games"], score["distinct"], score["margin"], score["margin_error"]) == (8, 4, 4.0, 6.0)
    assert round(score["estimate"]["normalized"], 1) == 245.7


@pytest.mark.usefixtures("handlers")
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
