"""Conversations with a dialect, in the thread of the test, and with a session."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest

from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.protocol.options import DialectSettings
from quietmove.engine.session import Session
from quietmove.engine.values import Info, Limits, SearchResult
from tests.fakes.processes import WAIT


class Talk:
    """What was said to a dialect, and what it has answered.

    :ivar said: the lines that it wrote, since the last lines were said.
    """

    def __init__(self, kind: type[Dialect], settings: DialectSettings | None = None) -> None:
        self.said: list[str] = []
        self._posted: list[Callable[[], None]] = []
        self.dialect = kind(lambda *lines: self.said.extend(lines), settings, self._posted.append)

    def say(self, *lines: str) -> list[str]:
        """Return what is answered to the lines, each once the search before it has ended."""
        self.said.clear()
        for line in lines:
            self.dialect.handle(line)
            assert "infinite" in line or self.dialect.session.wait(WAIT)
            while self._posted:
                self._posted.pop(0)()
                assert self.dialect.session.wait(WAIT)
        return list(self.said)

    @property
    def position(self) -> str:
        """The current position as the game writes it."""
        return self.dialect.session.game.format_position(self.dialect.session.position)


class ClockedTalk:
    """A conversation whose searches answer with the first legal move, and a hand-wound clock.

    :param cost: seconds that each search takes.
    :ivar held: the answers that are held back; None to let each go at once.
    """

    def __init__(
        self, patch: pytest.MonkeyPatch, kind: type[Dialect], settings: DialectSettings, cost: float = 0.0
    ) -> None:
        self.now = 0.0
        self.cost = cost
        self.limits: list[Limits] = []
        self.sent: list[str] = []
        self.held: list[Callable[[], None]] | None = None
        self.player: Any = kind(lambda *lines: self.sent.extend(lines), settings)
        patch.setattr(self.player.session, "clock", lambda: self.now)
        patch.setattr(self.player.session, "go", self.go)
        patch.setattr(self.player.session, "close", self.close)

    def go(self, limits: Limits, on_info: object, on_result: Callable[[SearchResult], None], on_error: object) -> None:
        self.limits.append(limits)
        self.now += self.cost
        move = min(self.player.session.position.legal_moves())
        answer = lambda: on_result(SearchResult(move, None, None, 1, 1, 1))  # noqa: E731
        answer() if self.held is None else self.held.append(answer)

    def close(self) -> bool:
        held = list(self.held or ())
        for answer in held:  # only the replies held now; a search started by one of them must be stopped separately
            self.held.remove(answer)  # type: ignore[union-attr]
            answer()
        return True

    def play(self, *lines: str) -> list[str]:
        """Return all that has been sent, empty lines left out."""
        self.player.begin()
        for line in lines:
            self.player.handle(line)
        return [line for line in self.sent if line]


class SessionTalk:
    """A session with some options, and the reports, answers and errors that nobody has taken yet.

    :param options: fields of the session's options, and their values.
    """

    def __init__(self, **options: object) -> None:
        self.session = Session()
        self.said: SimpleQueue[Any] = SimpleQueue()
        self.change(**options)

    def change(self, **options: object) -> None:
        for field, value in options.items():
            self.session.configure(self.session.options.changed(field, value))

    def begin(self, limits: Limits) -> None:
        self.session.go(limits, self.said.put, self.said.put, self.said.put)

    def answer(self) -> tuple[list[Info], SearchResult]:
        infos = []
        while not isinstance(said := self.said.get(timeout=WAIT), SearchResult):
            assert isinstance(said, Info), said
            infos.append(said)
        return infos, said

    def go(self, limits: Limits = Limits()) -> tuple[list[Info], SearchResult]:  # noqa: B008 (a frozen value)
        self.begin(limits)
        return self.answer()
