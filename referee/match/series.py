"""The games of a match, several of them at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence

from quietmove.referee.config.model import GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import RunningGames, local_pool
from quietmove.referee.process.shortage import Notice, ignore_notice

__all__ = ["play_series"]


def play_series(
    specs: Sequence[GameSpec], concurrency: int, notice: Notice = ignore_notice
) -> Generator[tuple[int, GameRecord], None, None]:
    """Play all games, ``concurrency`` at once, and yield each with its index in ``specs`` as it ends.

    When the iterator is closed, or its consumer is interrupted, the running games are stopped.

    :param notice: is told if there is room for fewer at once.
    :raises ShortageError: if there is no room for a single one.
    """
    with local_pool(concurrency, notice) as pool:
        running: RunningGames[int] = RunningGames(pool, notice)
        waiting = deque(range(len(specs)))
        while waiting or running:
            for _ in range(min(running.free, len(waiting))):
                index = waiting.popleft()
                running.begin(index, specs[index])
            for index, future in running.ended():
                if future is None:
                    waiting.appendleft(index)
                else:
                    yield index, future.result()
