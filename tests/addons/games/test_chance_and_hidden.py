"""Games with dice and hidden cards, judged: the referee rolls and deals, and tells nobody more than he may know."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.config.openings import read_openings
from quietmove.referee.config.validation import adapter
from quietmove.referee.errors import SetupError
from quietmove.referee.game.host import GameHost, play_game
from quietmove.referee.game.record import GameRecord

CHEAT = """
import sys
for line in sys.stdin:
    answer = {"uci": "uciok", "isready": "readyok", "go": "bestmove s1"}.get(line.split()[0])
    if answer:
        print(answer, flush=True)
"""


def engine(name: str, **options: str) -> EngineConfig:
    command = (sys.executable, "-m", "quietmove")
    return EngineConfig(name, command, options=tuple({"Hash": "1", **options}.items()), limit=TimeControl(nodes=500))


def inside(spec: GameSpec) -> GameSpec:
    """Return the same game between players in this process."""
    black, white = (replace(each, command=(), protocol="in-process") for each in (spec.black, spec.white))
    return replace(spec, black=black, white=white)


def spec(game: str, seed: int = 5, **options: str) -> GameSpec:
    return GameSpec(game, (), engine("ours"), engine("theirs", **options), keep_dialogue=True, seed=seed)


def told(record: GameRecord, color: str) -> list[str]:
    """Return the positions that one engine was told, in order."""
    lines = [line.partition(f"{color} > ")[2] for line in record.dialogue]
    return [line for line in lines if line.startswith("position")]


def test_the_referee_rolls_dice_that_follow_from_the_seed_alone() -> None:
    """They do not depend on the players or on earlier moves; another seed gives others."""
    others = [inside(spec("einstein", seed, Algorithm=each)) for seed, each in ((5, "alphabeta"), (6, "pvs"))]
    records = [play_game(each) for each in (spec("einstein", 5), *others)]
    rolls = [[move.move for move in record.moves[::2]][:8] for record in records]
    assert rolls[0] == rolls[1] != rolls[2]
    record = records[0]
    assert (record.reason, abs(record.margin_black)) == ("finished", 100), record.detail
    makers = [move.by for move in record.moves]
    assert makers == [("chance", "black", "chance", "white")[number % 4] for number in range(len(makers))]
    assert all(move.elapsed_ms == 0 and move.score is None for move in record.moves[::2])
    assert len({move.move for move in record.moves[::2]}) > 2
    first = [move.move for move in record.moves[:3]]
    assert told(record, "black")[0] == f"position startpos moves {first[0]}"
    assert told(record, "white")[0] == f"position startpos moves {' '.join(first)}"
    assert f"   1 chance  {first[0]}" in record.text()
    assert adapter(GameRecord).validate_json(record.to_json(), strict=True) == record


def test_nobody_is_told_the_other_hand() -> None:
    record = play_game(spec("whist", Deals="5", Seed="3"))
    assert record.reason == "finished", record.detail
    assert {move.by for move in record.moves} == {"black", "white"}
    game = get_game("whist")
    position = game.begin(5)
    black, white, *_ = game.format_position(position).split()
    assert told(record, "black")[0] == f"position fen {black} ????? - B"
    for side, color in enumerate(("black", "white")):
        views = told(record, color)
        assert len(views) == sum(move.by == color for move in record.moves)
        own, other = (black, white) if color == "black" else (white, black)
        played = "".join(move.move for move in record.moves)
        hidden = [other[i : i + 2] for i in range(0, 10, 2)]
        for view in views:
            hands, shown = view.split()[2:4], view.split()[4]
            assert not set(hands[1 - side]) - set("?-")
            assert hands[side] == "-" or hands[side][:2] in own
            assert shown == "-" or played.replace("pass", "").startswith(shown)
            assert all(card in shown for card in hidden if card in view)
    for move in record.moves:
        position.play(game.parse_move(position, move.move))
    assert position.result() == 100 * record.margin_black
    assert f" black   {record.moves[0].move}" in record.text()
    assert adapter(GameRecord).validate_json(record.to_json(), strict=True) == record


def test_the_deal_follows_from_the_seed() -> None:
    with GameHost() as host:
        records = [host.play(spec("whist", seed, Deals="5")) for seed in (8, 8, 9)]
    moves = [[(move.by, move.move) for move in record.moves] for record in records]
    views = [told(record, "black")[0] for record in records]
    assert (moves[0], views[0]) == (moves[1], views[1])
    assert views[1] != views[2]


def test_a_card_that_is_not_held_is_illegal(tmp_path: Path) -> None:
    cheat = tmp_path / "cheat.py"
    cheat.write_text(CHEAT, encoding="utf-8")
    white = EngineConfig("cheat", (sys.executable, str(cheat)), limit=TimeControl(depth=1))
    record = play_game(replace(spec("whist"), white=white))
    held = get_game("whist").view(get_game("whist").begin(5), 1).split()[1]
    assert "s1" not in held
    assert (record.reason, record.loser) == ("illegal", "white")


def test_there_are_no_openings_with_hidden_cards(tmp_path: Path) -> None:
    (tmp_path / "openings").write_text("s1\n")
    with pytest.raises(SetupError, match="cannot be used in whist"):
        read_openings(tmp_path / "openings", "whist")
