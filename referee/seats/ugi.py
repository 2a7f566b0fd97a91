"""An engine that speaks UGI, the Universal Game Interface."""

from __future__ import annotations

from typing import ClassVar

from quietmove.engine.protocol.lines import GO_ALIASES
from quietmove.engine.protocol.notation import UGI
from quietmove.referee.config.settings import Setting
from quietmove.referee.seats.base import Turn
from quietmove.referee.seats.uci import UciSeat

WORDS = {ours: theirs for theirs, ours in GO_ALIASES.items()}  # UGI's words of ``go``, by ours


class UgiSeat(UciSeat):
    """The seat of a UCI engine with other words; there is no pondering in this protocol."""

    settings: ClassVar[tuple[Setting, ...]] = tuple(row for row in UciSeat.settings if row.name != "ponder")
    greeting = ("ugi", "ugiok")
    new_game_line = "uginewgame"
    coordinates = UGI

    def _go_line(self, turn: Turn, *, ponder: bool = False) -> str:
        return " ".join(WORDS.get(word, word) for word in super()._go_line(turn, ponder=ponder).split())
