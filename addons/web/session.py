"""A game on the page: a person's seat, and the referee's events as messages to all watching pages."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from quietmove.addons.web.agreement import Agreement
from quietmove.addons.web.boards import Json, Steps, describe_end, describe_game
from quietmove.addons.web.passwords import is_same
from quietmove.addons.web.requests import GameRequest, MoveRequest, Offer, PlayerRequest
from quietmove.addons.web.thinking import Thinking
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.levels import level_name
from quietmove.engine.values import Info
from quietmove.referee.config.model import COLORS, Color, EngineConfig, GameSpec
from quietmove.referee.errors import SetupError
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.record import Clocks, GameRecord, Observer
from quietmove.referee.game.saved import SavedGame, SavedPlayer, Spec, Strength
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.game.verdict import Verdict, forfeited
from quietmove.referee.play.game import Training
from quietmove.referee.seats import Answer, Failure, Listener, Seat, Turn
from quietmove.referee.seats.pool import SeatPool

PERSON = "person"  # the protocol of a person's seat
Watcher = asyncio.Queue[Json | None]
Viewer = Color | Literal["watcher"]  # the side of a seat on another machine, or "watcher" for the spectators' address


class PersonSeat(Seat):
    """A seat whose moves come from :meth:`answer`. Without a clock it waits indefinitely."""

    can_resign = True
    waits = False  # True until the first move of the game, which starts the clocks
    _asked: asyncio.Future[str] | None = None

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        self.color, self.listener = color, listener
        return None

    async def think(self, turn: Turn) -> Answer:
        loop = asyncio.get_running_loop()
        started, self._asked = loop.time(), loop.create_future()
        patience_ms = None if self.waits else turn.clocks[self.color].patience_ms
        try:
            move = await asyncio.wait_for(self._asked, None if patience_ms is None else patience_ms / 1000)
        except TimeoutError:
            move = None
        is_free = self.waits and turn.clocks[self.color].limit_ms is not None
        return Answer(move, move, 0 if is_free else (loop.time() - started) * 1000)

    def answer(self, move: str) -> None:
        """Submit a move in the game's notation, or ``resign``. It is ignored if no move is due."""
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(move)

    async def end(self, *, patient: bool = True) -> None:
        """Do nothing: a person's seat has no process to end."""


class GameSession(Observer):
    """A game and the pages that watch it, in the server's event loop.

    In a card game with a person, pages get only what this person knows until the game ends.
    """

    task: asyncio.Task[None]  # the task that plays the game

    def __init__(
        self,
        name: str,
        spec: GameSpec,
        players: Mapping[Color, PlayerRequest],
        training: Training | None = None,
        played: Sequence[MoveRecord] = (),
        *,
        assisted: bool = False,
    ) -> None:
        """Prepare the game.

        :param players: the players as the page requested them.
        :param training: the opening being trained.
        :param played: the moves after the opening, if the game continues another game.
        :param assisted: whether two people may ask an engine while they play.
        :raises GameError: if a user's game cannot be drawn.
        """
        self.name = name
        self.shown_text: Callable[[str], str] = str  # changes the verdict's text for the people who see it
        self.spec = spec
        # The secret part of the address of each seat on another machine.
        self.seats: dict[Color, str] = {color: secrets.token_urlsafe(9) for color in COLORS if players[color].away}
        # The secret part of the spectators' address; "" without such seats, or if spectators would see hidden cards.
        self._watching = secrets.token_urlsafe(9) if self.seats and get_game(spec.game).kind != "hidden" else ""
        self._arrived = set[Viewer]()  # the seats on other machines whose player has connected
        self.watchers: set[Watcher] = set()  # a queue of messages for each page; None ends it
        self.path: Path | None = None  # the game's file
        self.verdict: Json | None = None
        self._players = players
        self._training = training
        self.assisted = assisted or not all(each.person for each in players.values())
        self.agreement = Agreement(self.tell, self._accept)
        self._comments = set[asyncio.Task[None]]()
        game = get_game(spec.game)
        people = [side for side, color in enumerate(COLORS) if spec.player(color).protocol == PERSON]
        self._viewer = people[0] if people and game.kind == "hidden" else None
        self._described = describe_game(game)
        self._steps = Steps(game, spec.begin(), self._viewer, openings=True)
        self.steps: list[Json] = [self._steps.first()]  # the game so far, as page data
        self._moves: list[MoveRecord] = []
        self._turn: Json | None = None
        self._thinking = Thinking(self._show_thinking)
        self._game = JudgedGame(spec, (self,), played)
        for move in self._game.moves:
            self.steps.append(self._steps.after(move))
            self._moves.append(move)
        # The data of the game's file besides the moves and the players.
        self._record = SavedGame(
            moves=(),
            date=time.strftime("%Y-%m-%d %H:%M:%S"),
            event=training.title if training else "",
            given=len(self._moves),
        )

    def replace_file_of(self, before: GameSession) -> None:
        """Save to the file of the session whose moves were taken back, and copy the book's comments from it."""
        given = min(before._record.given, self._record.given)
        self.path, self._record = before.path, before._record.model_copy(update={"given": given})
        self.note_help()
        for step, old in zip(self.steps, before.steps, strict=False):
            step.update({key: old[key] for key in ("said",) if key in old})

    def may_continue(self, saved: SavedGame) -> bool:
        """Return whether this game has the moves and the players of an unfinished saved game."""
        own = self.saved()
        if own is None or saved.margin_black is not None:
            return False
        return all(getattr(own, key) == getattr(saved, key) for key in ("moves", "players", "people", "opponent"))

    def continue_file(self, path: Path, saved: SavedGame) -> None:
        """Continue a saved game in its file. If the game has a review, it counts as helped."""
        was_helped = saved.was_helped or saved.review is not None
        self.path, self._record = path, saved.model_copy(update={"review": None, "was_helped": was_helped})

    def note_help(self) -> None:
        """Record that a person took moves back or asked an engine."""
        self._record = self._record.model_copy(update={"was_helped": True})

    @property
    def moves(self) -> tuple[MoveRecord, ...]:
        """The moves so far."""
        return tuple(self._moves)

    def take_seats_of(self, before: GameSession, *, swapped: bool) -> None:
        """Take over the seats of the game ``before``, so that its people play this game at the same addresses.

        :param swapped: whether the people have changed colours.
        """
        sides = dict(zip(COLORS, reversed(COLORS) if swapped else COLORS, strict=True))
        self.seats = {sides[color]: seat for color, seat in before.seats.items()}
        self._watching = before._watching
        self._arrived = {"watcher" if each == "watcher" else sides[each] for each in before._arrived}
        self.agreement.lines = [{**line, "by": sides[line["by"]]} for line in before.agreement.lines]

    def begin(
        self,
        grace: float,
        abandoned: Callable[[], None],
        keep: Callable[[GameSession], None],
        follow: Callable[[GameSession, int | None], None],
    ) -> asyncio.Task[None]:
        """Start the game, and return the task that plays it.

        :param abandoned: called when no page has watched for ``grace`` seconds.
        :param keep: saves the game; called after each move and at the end.
        :param follow: starts the game that two people have agreed on: this game from the given number of moves, or a
            rematch if None.
        """
        self._grace, self._abandoned, self._keep, self._follow = grace, abandoned, keep, follow
        self._wait_for_page()
        self.task = asyncio.create_task(self._play())
        return self.task

    def _wait_for_page(self) -> None:
        self._leaving = asyncio.get_running_loop().call_later(self._grace, self._abandoned)

    def close(self) -> None:
        """Stop the game, and disconnect all watching pages."""
        self._leaving.cancel()
        self.task.cancel()
        if self.verdict is None:
            self._keep(self)
        for watcher in self.watchers:
            watcher.put_nowait(None)

    async def _play(self) -> None:
        try:
            await self._game.play(SeatPool(0))
        except Exception as error:  # a user's game may raise anything
            text = str(error) if isinstance(error, QuietmoveError) else f"{type(error).__name__}: {error}"
            self._end({"reason": "error", "detail": text, "result": "*", "margin": None})

    def side_of(self, seat: str) -> Viewer | None:
        """Return the side or "watcher" that a seat address belongs to, or None if it is not an address of this game."""
        addresses: list[tuple[Viewer, str]] = [*self.seats.items(), ("watcher", self._watching)]
        return next((who for who, text in addresses if text and is_same(seat, text)), None)

    def snapshot(self, viewer: Viewer | None = None) -> Json:
        """Return everything a page needs to show the current game.

        :param viewer: the side whose seat on another machine the page has, or "watcher"; None for the server's own
            pages.
        """
        return {
            "type": "snapshot",
            "id": self.name,
            **self._described,
            "trains": self._training.name if self._training else "",
            "seats": [describe_seat(self.spec.player(color), self._players[color], color, viewer) for color in COLORS],
            "awaited": {
                color: seat for color, seat in self.seats.items() if viewer is None and color not in self._arrived
            },
            "watching": "" if viewer else self._watching,
            "assisted": self.assisted,
            "talk": self.agreement.lines,
            "offer": self.agreement.offer,
            "steps": list(self.steps),  # a copy, because steps added before it is sent have messages of their own
            "turn": self._turn,
            "thinking": self._lines(),
            "verdict": self.verdict,
            "kept": self.kept_as if self.verdict else None,
        }

    @property
    def has_person(self) -> bool:
        """Whether a person plays."""
        return any(each.person for each in self._players.values())

    def summary(self) -> Json:
        """Return a preview of the game: the position and the players."""
        known = self.snapshot()
        return {**known, "steps": [], "step": self.steps[-1], "plies": len(self.steps) - 1}

    @property
    def kept_as(self) -> str | None:
        """The game's name among the saved games, or None if it is not saved."""
        return self.path.stem if self.path else None

    def watch(self, viewer: Viewer | None = None) -> Watcher:
        """Return a queue that receives a snapshot and then every message; for ``viewer`` see :meth:`snapshot`."""
        watcher: Watcher = asyncio.Queue()
        watcher.put_nowait(self.snapshot(viewer))
        if viewer in self.seats and viewer not in self._arrived:
            self._arrived.add(viewer)
            self.tell({"type": "arrived", "color": viewer})
        self.watchers.add(watcher)
        self._leaving.cancel()
        return watcher

    def leave(self, watcher: Watcher) -> None:
        """Stop sending messages to a page."""
        self.watchers.discard(watcher)
        if not self.watchers:
            self._leaving.cancel()
            self._wait_for_page()

    def answer(self, request: MoveRequest, viewer: Viewer | None = None) -> None:
        """Play a person's move; for ``viewer`` see :meth:`snapshot`.

        :raises SetupError: if the move cannot be played now. A person can resign at any time.
        """
        if self.verdict is not None:
            raise SetupError("the game is over")
        if request.move == "resign":
            self._resign(self._person(viewer))
            return
        color = None if self._turn is None else self._turn["color"]
        seat = None if color is None else self._game.seats.get(color)
        if not isinstance(seat, PersonSeat) or (viewer or color) != color or (viewer is None and color in self.seats):
            raise SetupError("it is not your turn")
        if request.ply != len(self.steps) - 1:
            raise SetupError(f"ply: expected {len(self.steps) - 1}, the number of moves so far, not {request.ply}")
        legal = [each["move"] for each in self.steps[-1]["legal"]]
        if request.move not in legal:
            raise SetupError(f"{request.move[:20]!r} is not legal here; legal: {' '.join(legal)}")
        seat.answer(request.move)

    def hear(self, request: MoveRequest, viewer: Viewer | None = None) -> None:
        """Handle a message or an offer from one of two people; for ``viewer`` see :meth:`snapshot`.

        :raises SetupError: if no one plays on another machine, or the offer cannot be made or answered now.
        """
        if not self.seats:
            raise SetupError("offers and messages need a person on another machine")
        by = self._person(viewer)
        possible: tuple[Offer, ...] = ("rematch",)
        if self.verdict is None:
            possible = ("draw", "takeback") if self._last_ply(by) else ("draw",)
        self.agreement.take(request, by, possible)

    def _person(self, viewer: Viewer | None) -> Color:
        """Return the side of the person at a page, or the side to move if two people share the page.

        :raises SetupError: if the page only watches.
        """
        here = [color for color in COLORS if self._players[color].person and not self._players[color].away]
        asked = self._turn["color"] if self._turn else None
        mine = [viewer] if viewer in self.seats else here if viewer is None else []
        if not mine:
            raise SetupError("only the players of this game can do that")
        return asked if asked in mine else mine[0]

    def _last_ply(self, color: Color) -> int:
        """Return the ply of a side's last move, or 0 if there is none."""
        return next((ply for ply in range(len(self._moves), 0, -1) if self._moves[ply - 1].by == color), 0)

    def _accept(self, offer: Offer, by: Color) -> None:
        """Act on an accepted offer."""
        if offer == "draw":
            self._stop(Verdict("adjudicated", None, 0.5, 0, "the players agreed to a draw"))
        else:
            self._follow(self, self._last_ply(by) - 1 if offer == "takeback" else None)

    def _resign(self, color: Color) -> None:
        detail = f"{self.spec.player(color).name} ({color}) resigns"
        self._stop(forfeited("resign", color, detail, self._steps.position.largest_score))

    def _stop(self, verdict: Verdict) -> None:
        """End the game with a verdict that no move has caused, such as a resignation."""
        self.task.cancel()
        self._end(describe_end(verdict.reason, self._name_players(verdict.detail), verdict.margin_black))

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        seat = self._game.seats[color]
        if isinstance(seat, PersonSeat):
            seat.waits = not any(move.by in COLORS for move in self._moves)
        runs = not (isinstance(seat, PersonSeat) and seat.waits)
        self._turn = {"color": color, "clocks": clocks, "runs": runs}
        self._thinking.clear()
        self.tell({"type": "turn", "turn": self._turn})

    def search_reported(self, color: Color, info: Info[str]) -> None:
        if self._viewer is None and self._turn is not None and self._turn["color"] == color:
            self._thinking.add(info)

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        if ply < len(self.steps):  # a move of the opening, or of the continued game
            return
        before = self._steps.position.copy()
        step = self._steps.after(move)
        self._moves.append(move)
        self.steps.append(step)
        self._turn = None
        self._thinking.clear()
        self.tell({"type": "step", "ply": ply, "step": step})
        self.agreement.end()
        self._keep(self)
        if self._concerns_training(ply) and move.by in COLORS and self._players[move.by].person:
            self._comments.add(task := asyncio.create_task(self._comment(ply, before, move.move)))
            task.add_done_callback(self._comments.discard)

    def _concerns_training(self, ply: int) -> bool:
        """Return whether a move belongs to the training: after the opening's own moves, up to the last trained ply."""
        training = self._training
        return training is not None and len(training.moves) < ply <= training.last_ply

    async def _comment(self, ply: int, before: Position, move: str) -> None:
        """Send the book's comment on a person's move."""
        assert self._training is not None
        played = get_game(self.spec.game).parse_move(before, move)
        text = f"{await asyncio.to_thread(self._training.comment, before, played)}."
        if not self._concerns_training(ply + 2):
            text += " The opening is over; from here on, the engine searches for its moves."
        self.steps[ply]["said"] = text
        self.tell({"type": "said", "ply": ply, "text": text})

    def game_ended(self, record: GameRecord) -> None:
        detail = self._name_players(record.detail, is_late=record.reason == "timeout")
        self._end(describe_end(record.reason, detail, record.margin_black))

    def _name_players(self, detail: str, *, is_late: bool = False) -> str:
        """Return the text about a game's end with the player's name replaced by the side, as shown on the page.

        :param is_late: whether a player lost on time.
        """
        people = [self._players[color].person for color in COLORS]
        for color, is_person, side in zip(COLORS, people, self._described["players"], strict=True):
            name = self.spec.player(color).name
            who = side if all(people) else f"{side} ({'you' if is_person else name})"
            if detail.startswith(known := f"{name} ({color}) "):
                detail = f"{who} {'lost on time' if is_person and is_late else detail.removeprefix(known)}"
        return detail

    def tell(self, message: Json) -> None:
        """Send a message to every connected page."""
        for watcher in self.watchers:
            watcher.put_nowait(message)

    def _end(self, verdict: Json | None) -> None:
        self._turn = None
        self.verdict = verdict and {**verdict, "detail": self.shown_text(verdict["detail"])}
        self.agreement.end()
        self._keep(self)
        self.tell({"type": "end", "verdict": self.verdict, "kept": self.kept_as, **self._uncovered()})

    def saved(self) -> SavedGame | None:
        """Return the game in saved form, or None if there is nothing to save.

        A game is saved once a player has moved. Without such a move, it is saved only to complete an existing file.
        """
        is_fresh = all(move.by in ("opening", "chance") for move in self._moves)
        if is_fresh and (self.path is None or self.verdict is None):
            return None
        people = tuple(color for color in COLORS if self._players[color].person)
        black, white = (SavedPlayer(name=self._title(color, people)) for color in COLORS)
        ended = self.verdict if self.verdict and self.verdict["margin"] is not None else {}
        played = {
            "spec": Spec(game=self.spec.game, seed=self.spec.seed, black=black, white=white),
            "start": self.spec.position,
            "moves": tuple(self._moves),
            "reason": ended.get("reason", ""),
            "detail": ended.get("detail", ""),
            "margin_black": ended.get("margin"),
            "people": people,
            "opponent": self._opponent(people),
        }
        return self._record.model_copy(update=played)

    def following(self, plies: int | None) -> GameRequest:
        """Return a request to continue this game after ``plies`` moves or, if None, to play a rematch.

        A rematch has the colours swapped.
        """
        black, white = (self._players[color] for color in COLORS)
        moves = self._moves[:plies] if plies is not None else [each for each in self._moves if each.by == "opening"]
        return GameRequest(
            game=self.spec.game,
            instead=self.name,
            position=self.spec.position,
            opening=" ".join(each.move for each in moves),
            assisted=self.assisted,
            black=white if plies is None else black,
            white=black if plies is None else white,
        )

    def _title(self, color: Color, people: Sequence[Color]) -> str:
        if color in people:
            return "you" if len(people) == 1 else ""
        level = self._players[color].level
        return f"{self.spec.player(color).name}{'' if level is None else f', level {level}, {level_name(level)}'}"

    def _opponent(self, people: Sequence[Color]) -> Strength | None:
        """Return the opponent's strength, or None unless one person plays against an engine level."""
        others = [color for color in COLORS if color not in people]
        if len(others) != 1 or (level := self._players[others[0]].level) is None:
            return None
        return Strength(level=level, limit=self._players[others[0]].limit)

    def _uncovered(self) -> Json:
        """Reveal all cards, and return the new steps under the key ``steps``.

        Return an empty dictionary if no cards were hidden.
        """
        if self._viewer is None:
            return {}
        self._steps = Steps(self._steps.game, self.spec.begin(), openings=True)
        self.steps = [self._steps.first(), *map(self._steps.after, self._moves)]
        return {"steps": list(self.steps)}

    def _show_thinking(self) -> None:
        self.tell({"type": "thinking", "thinking": self._lines()})

    def _lines(self) -> list[Json]:
        return self._thinking.lines(self._steps.game, self._steps.position)


def describe_seat(config: EngineConfig, request: PlayerRequest, color: Color, viewer: Viewer | None) -> Json:
    """Return a player as page data, with the request that selects the player again.

    ``person`` is true only for a person at this page.
    """
    is_here = request.person and (not request.away if viewer is None else color == viewer)
    name = config.name
    if request.person and not is_here:
        name = "A person" if viewer == "watcher" else "The other player"
    limit = None if request.person else str(config.limit)
    asked = request.model_dump() if viewer is None else None  # a browser with only a seat cannot start other games
    return {"name": name, "person": is_here, "away": request.person and not is_here, "limit": limit, "request": asked}
