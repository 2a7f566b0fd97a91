"""A conversation in a dialect, in the thread of the test."""

from __future__ import annotations

from collections.abc import Callable

from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.protocol.rows import DialectSettings

WAIT = 60  # seconds after which a search that has not ended fails the test


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
