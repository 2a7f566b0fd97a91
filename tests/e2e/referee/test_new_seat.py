"""A kind of seat that the referee has never seen: one class and one row make it play, and configure and explain it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.referee.arguments.engine_args import engine_words, parse_engine
from quietmove.referee.config.model import Color, GameSpec
from quietmove.referee.config.validation import Setting, adapter
from quietmove.referee.errors import SetupError
from quietmove.referee.game.host import play_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.seats import SEATS, Answer, Failure, Listener, Seat, Turn, check_game


class PlainPlayer(Seat):
    """Plays in this very process: the first legal move, or the last one, until it has had enough."""

    settings = (
        Setting("choice", "first", "the move that it plays", ("first", "last")),
        Setting("patience", 1000, "plies after which it resigns", least=1),
        Setting("polite", False, "whether it says so"),
    )
    can_resign = True
    ends = 0

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        if game == "connect":
            yield "a plain player does not like connect"

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        self.color = color
        return None

    async def think(self, turn: Turn) -> Answer:
        if len(turn.moves) >= int(self.setting("patience")):
            return Answer("enough", "resign", 1.0)
        game = get_game(self.game)
        position = game.initial()
        for text in turn.moves:
            position.play(game.parse_move(position, text))
        moves = sorted(position.legal_moves())
        move = game.format_move(moves[0 if self.setting("choice") == "first" else -1])
        return Answer(move, move, 1.0)

    async def end(self, *, patient: bool = True) -> None:
        PlainPlayer.ends += 1


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SEATS, "plain", PlainPlayer)


def test_it_plays_against_an_engine(fakes: Any) -> None:
    plain = parse_engine(["protocol=plain", "name=me", "choice=last"])
    assert plain.settings == (("choice", "last"),)
    record = play_game(fakes.game(plain, fakes.config("sane")))
    assert (record.reason, record.loser) == ("finished", None)
    assert adapter(GameRecord).validate_json(record.to_json(), strict=True) == record
    assert PlainPlayer.ends > 0


def test_it_resigns_when_its_setting_says_so(fakes: Any) -> None:
    plain = parse_engine(["protocol=plain", "name=me", "patience=5"])
    record = play_game(fakes.game(fakes.config("sane"), plain))
    assert (record.reason, record.loser, len(record.moves)) == ("resign", "white", 5)


def test_its_settings_are_words_and_are_checked() -> None:
    assert engine_words()["polite"] == "plain only: whether it says so (off)"
    with pytest.raises(SetupError, match="choice: must be 'first' or 'last', not 'frist'; did you mean first"):
        parse_engine(["protocol=plain", "name=me", "choice=frist"])
    assert parse_engine(["protocol=plain", "name=me", "polite=on"]).settings == (("polite", True),)
    with pytest.raises(SetupError, match="does not like connect"):
        check_game(GameSpec("connect", (), *[parse_engine(["protocol=plain", "name=me"])] * 2))
