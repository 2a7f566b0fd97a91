"""Offers and short messages between two people in a game."""

from __future__ import annotations

from collections.abc import Callable

from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import MoveRequest, Offer
from quietmove.engine.common.text import printable
from quietmove.referee.config.model import Color
from quietmove.referee.errors import SetupError

MAX_LINES = 100  # maximum number of lines of text; the oldest are dropped


class Agreement:
    """The messages between two people in a game, and the pending offer."""

    def __init__(self, tell: Callable[[Json], None], accepted: Callable[[Offer, Color], None]) -> None:
        """Create an empty conversation.

        :param tell: sends a message to the pages.
        :param accepted: called with each accepted offer and the side that made it.
        """
        self._tell = tell
        self._accepted = accepted
        self.lines: list[Json] = []
        self.offer: Json | None = None  # the pending offer and the side that made it

    def take(self, request: MoveRequest, by: Color, possible: tuple[Offer, ...]) -> None:
        """Handle a person's text, offer, or answer to an offer.

        :param possible: the offers that can be made now.
        :raises SetupError: if the offer cannot be made now, or there is no offer for this person to answer.
        """
        if text := printable(request.say.strip()):
            self.lines = [*self.lines, {"by": by, "text": text}][-MAX_LINES:]
            self._tell({"type": "talk", "talk": self.lines})
        if request.offer:
            if request.offer not in possible:
                if not possible:
                    raise SetupError("offer: nothing can be offered now")
                raise SetupError(f"offer: must be {' or '.join(possible)}, not {request.offer}")
            self._set({"what": request.offer, "by": by})
        if request.accept is not None:
            if self.offer is None or self.offer["by"] == by:
                raise SetupError("accept: there is no offer for you to answer")
            offer, was_declined = self.offer, not request.accept
            self._set(None, offer["what"] if was_declined else "")
            if request.accept:
                self._accepted(offer["what"], offer["by"])

    def end(self) -> None:
        """Withdraw the pending offer, if any."""
        if self.offer:
            self._set(None)

    def _set(self, offer: Json | None, declined: str = "") -> None:
        self.offer = offer
        self._tell({"type": "offer", "offer": offer, "declined": declined})
