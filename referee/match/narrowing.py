"""A live picture that leaves no old lines behind when the terminal becomes narrower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.control import Control
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import ConsoleRenderable

__all__ = ["NarrowingLive"]


class NarrowingLive(Live):
    """A terminal that becomes narrower breaks the lines of the picture: they are more than were drawn.

    Nobody tells how many. So all that is on the screen is moved up, to where it can be scrolled back to, and the
    picture is drawn on the empty screen.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._width = self.console.width
        self._is_alone = False  # nothing but the picture was printed since the screen was cleared

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return what is printed now. Called by the console for all that is printed, and to draw the picture anew."""
        width, self._width = self._width, self.console.width
        found = super().process_renderables(renderables)
        if self._width < width:
            kept = [] if self._is_alone else [Text("\n" * (self.console.height - 1))]
            found = [*kept, Control.clear(), Control.home(), *found]
            self._is_alone = True
        if not all(isinstance(each, Control) for each in renderables):
            self._is_alone = False
        return found
