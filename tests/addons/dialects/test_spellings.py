"""GTP and NBoard read moves in every spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from quietmove.addons.dialects.gtp import Gtp
from quietmove.addons.dialects.nboard import NBoard
from quietmove.engine.protocol.notation import play_moves
from tests.contract.test_spellings import END, MOVES, OTHELLO, WORDS
from tests.fakes.talk import Talk


def by_gtp(words: Sequence[str]) -> str:
    talk = Talk(Gtp)
    position = OTHELLO.initial()
    for word in words:
        side = position.side_to_move
        made = play_moves(OTHELLO, position, [word])
        talk.say(f"play {'bw'[side ^ (len(made) == 2)]} {word}")  # after an omitted pass, the move is the opponent's
    return talk.position


def by_nboard(words: Sequence[str]) -> str:
    talk = Talk(NBoard)
    talk.say(*(f"move {word}" for word in words))
    return talk.position


def ggf(words: Sequence[str]) -> str:
    rows = " ".join(re.findall(".{8}", OTHELLO.format_position(OTHELLO.initial()).split()[0].replace("X", "*")))
    moves = "".join(f"{'BW'[index % 2]}[{word}]" for index, word in enumerate(words))
    if len(words) < len(MOVES):
        moves = re.sub(r"W(\[\w+\])$", r"B\1", moves)
    return f"(;GM[Othello]TY[8]RE[?]BO[8 {rows} *]{moves};)"


def by_set_game(words: Sequence[str]) -> str:
    talk = Talk(NBoard)
    talk.say(f"set game {ggf(words)}")
    return talk.position


DOORS: dict[str, Callable[[Sequence[str]], str]] = {
    "GTP play": by_gtp,
    "NBoard move": by_nboard,
    "NBoard set game": by_set_game,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("spelling", WORDS)
def test_a_move_is_read_in_every_spelling(spelling: str, door: str) -> None:
    assert DOORS[door](WORDS[spelling]) == END
