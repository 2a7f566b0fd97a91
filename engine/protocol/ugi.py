"""UGI, the Universal Game Interface: the UCI-style protocol with players instead of colours, and queries.

Moves are algebraic, a pass is ``0000``, and ``bestmove`` and ``response`` lines have exactly two words. Otherwise UGI
works like :mod:`quietmove.engine.protocol.uci`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from quietmove.engine.common.text import did_you_mean
from quietmove.engine.errors import NotationError
from quietmove.engine.protocol.describe import Command
from quietmove.engine.protocol.notation import UGI, Coordinates
from quietmove.engine.protocol.options import OPTIONS, DialectSettings
from quietmove.engine.protocol.uci import COMMANDS as UCI_COMMANDS
from quietmove.engine.protocol.uci import Uci
from quietmove.engine.session import Options, Session


class Ugi(Uci):
    """The UGI dialect, which has only the session's options."""

    settings_type: ClassVar[type[DialectSettings]] = DialectSettings
    names_ponder_move = False
    options = tuple(option for option in OPTIONS if option.holder is Options)

    @property
    def coordinates(self) -> Coordinates:
        return UGI

    def answer_query(self, tokens: list[str]) -> None:
        """Answer a query about the current position.

        :raises NotationError: if the query is unknown.
        """
        question = " ".join(tokens[1:])
        if question not in QUESTIONS:
            hint = did_you_mean(question, tuple(QUESTIONS))
            raise NotationError(f"must be one of {', '.join(QUESTIONS)}, not {question!r}{hint}")
        self._write(f"response {QUESTIONS[question](self.session)}")


def result(session: Session) -> str:
    if not session.position.is_over():
        return "none"
    score = session.position.result()
    return "p1win" if score > 0 else "p2win" if score < 0 else "draw"


QUESTIONS: dict[str, Callable[[Session], str]] = {
    "gameover": lambda session: str(session.position.is_over()).lower(),
    "p1turn": lambda session: str(session.position.next_player == 0).lower(),
    "result": result,
}

OWN_COMMANDS = {
    "ugi": Command("ugi", "print name, author and options, then ugiok", Uci.identify),
    "uginewgame": Command("uginewgame", "start a new game: initial position, empty table", Uci.new_game),
    "query": Command("query gameover|p1turn|result", "ask about the position", Ugi.answer_query),
}
COMMANDS = OWN_COMMANDS | {name: row for name, row in UCI_COMMANDS.items() if name not in ("uci", "ucinewgame")}
Ugi.commands = COMMANDS
