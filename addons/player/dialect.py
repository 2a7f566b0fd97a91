"""The engine as a course's player, which plays one colour of one game of Othello."""

from __future__ import annotations

import sys

from quietmove.addons.player.lines import COMMENT, LETTERS, move_line, move_of
from quietmove.engine.errors import NotationError
from quietmove.engine.protocol.dialect import DEFAULT_DEPTH, QueuedDialect
from quietmove.engine.values import Limits, SearchResult

MAX_SHOWN = 60  # maximum length of a line quoted in an error


class Player(QueuedDialect):
    """A conversation with a referee: ``I B`` gives the colour, and the opponent's moves follow.

    A number, the final count of discs, ends the conversation. Comments are ignored.
    """

    def open(self) -> None:
        super().open()
        self._side: int | None = None

    def take(self, line: str, arrival: float) -> None:
        words = line.split()
        if not words or words[0] == COMMENT:
            return
        if len(words) == 1 and words[0].isdecimal():
            self.over = True
        elif self._side is None:
            if len(words) != 2 or words[0] != "I" or words[1] not in LETTERS:
                raise NotationError(f"first line: must be 'I B' or 'I W', not {line.strip()[:MAX_SHOWN]!r}")
            self._side = LETTERS.index(words[1])
            self._write(f"R {words[1]}")
            self._move(self._side)
        else:
            letter = LETTERS[1 - self._side]
            if (move := move_of(letter, words)) is None:
                example = f"a line such as '{letter} d 3', or {letter!r} for a pass"
                raise NotationError(f"opponent's move: must be {example}, not {line.strip()[:MAX_SHOWN]!r}")
            position = self.session.position
            position.play(self.session.game.parse_move(position, move))
            self._move(self._side)

    def _move(self, side: int) -> None:
        """Think about a move if it is our turn, and play it."""
        position = self.session.position

        def answer(result: SearchResult) -> None:
            assert result.move is not None, "a search of a position with moves returns a move"
            text = move_line(LETTERS[side], self.spell(result.move))
            position.play(result.move)
            self._write(text)

        if position.side_to_move == side and not position.is_over():
            self.think(Limits(depth=DEFAULT_DEPTH), answer, _complain)


def _complain(error: Exception) -> None:
    """Report a failed search; the game continues with the best move found so far."""
    sys.stderr.write(f"error: search: {type(error).__name__}: {error}\n")
