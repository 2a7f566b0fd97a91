"""Manages a server's games: starts requested games, limits their number, and ends games that no page shows."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import click

from quietmove.addons.web.analysis import Analysis
from quietmove.addons.web.boards import Json
from quietmove.addons.web.kept import KeptGames
from quietmove.addons.web.requests import AnalysisRequest, GameRequest, Model, PlayerRequest, parse_position
from quietmove.addons.web.session import PERSON, GameSession, PersonSeat
from quietmove.engine.common.addons import need_hook
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameFileError
from quietmove.engine.games.base import Game
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.protocol.notation import play_moves, written_moves
from quietmove.referee.config.model import (
    COLORS,
    OWN_ENGINE,
    VARIED,
    Color,
    EngineConfig,
    GameSpec,
    TimeControl,
    split_opening,
)
from quietmove.referee.config.validation import suggestion
from quietmove.referee.errors import SetupError
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.play.game import Training
from quietmove.referee.process.launch import with_seed
from quietmove.referee.seats import SEATS, check_config, check_game

MOST_SESSIONS = 16
MACHINE_MARGIN_MS = 60_000  # total delay allowed to this installation's engine in a game
GRACE_SECONDS = 60.0  # time a game continues without a page, so that a reloaded page finds it
DEFAULT_ENGINES = (EngineConfig("Quietmove", (OWN_ENGINE,), limit=TimeControl(movetime_ms=500)),)


class GameSessions:
    """The games and analyses of one server. Use it from one event loop."""

    def __init__(
        self, engines: Sequence[EngineConfig], grace: float = GRACE_SECONDS, own_games: Sequence[str] = ()
    ) -> None:
        SEATS[PERSON] = PersonSeat
        self.engines = {
            engine.name: engine for engine in engines or DEFAULT_ENGINES
        }  # pages can start no other programs
        self.kept = KeptGames(None)
        self.games = list(dict.fromkeys([*game_names(), *own_games]))  # no other Python files are run
        self.sessions: dict[str, GameSession] = {}  # keyed by a name that cannot be guessed
        self.analyses: set[Analysis] = set()  # analyses with a running engine
        self._grace = grace
        self._played: set[asyncio.Task[None]] = set()

    def keep_in(self, folder: Path) -> None:
        """Save all games to a folder from now on."""
        self.kept = KeptGames(folder, next((name for name, each in self.engines.items() if has_levels(each)), ""))

    def check_game(self, name: str) -> None:
        """Check that a page may use a game.

        :raises SetupError: if the game is a Python file that was not named at startup and therefore must not be run.
        """
        file = GameFile.of_game(name)
        if file is not None and file not in map(GameFile.of_game, self.games):
            raise SetupError(f"game: {name[:60]!r} can only be played if the server was started with --game for it")

    def checked(self, work: Callable[[Model], Json]) -> Callable[[Model], Json]:
        """Return ``work``, preceded by :meth:`check_game` for the request's game."""

        def check_first(request: Model) -> Json:
            self.check_game(getattr(request, "game", ""))
            return work(request)

        return check_first

    def open(self, request: GameRequest) -> GameSession:
        """Start a game, and return it. If it replaces a running game, close that game.

        :raises SetupError: if a player, the opening or a limit is invalid, too many games are running, or moves are
            taken back in a game with a person on another machine, who must agree.
        :raises GameError: if there is no such game, position or opening.
        """
        before = self.sessions.get(request.instead)
        if before and before.seats and before.verdict is None:
            raise SetupError("instead: the other player must agree before moves are taken back")
        session = self._open(request, before)
        if before and before.verdict is None:
            self.close(before.name)
            session.replace_file_of(before)
        return session

    def _follow(self, before: GameSession, plies: int | None) -> None:
        """Start the game that two people have agreed on, and send their pages there; see :meth:`GameSession.begin`."""
        session = self._open(before.following(plies), before)
        session.take_seats_of(before, swapped=plies is None)
        if before.verdict is None:
            session.replace_file_of(before)
        before.tell({"type": "moved", "id": session.name})
        self.close(before.name)

    def _open(self, request: GameRequest, before: GameSession | None) -> GameSession:
        self._make_room()
        training = need_hook("training", "practice", "trains")(request.trains) if request.trains else None
        spec = self._spec(request, training)
        name = secrets.token_urlsafe(9)
        path, saved = (None if before else self.kept.find(request.kept)) or (None, None)
        start, records = (before.spec.position, before.moves) if before else ("", ())
        if saved:
            start, records = saved.start, saved.moves
        spec, played = split_played(spec, start, records)
        players = {color: getattr(request, color) for color in COLORS}
        session = GameSession(name, spec, players, training, played, assisted=request.assisted)
        if path and saved and path not in self.running_files() and session.may_continue(saved):
            session.continue_file(path, saved)
        self.sessions[name] = session
        self._played.add(session.begin(self._grace, lambda: self.close(name), self._keep, self._follow))
        session.task.add_done_callback(self._played.discard)
        return session

    def check_analysis(self, request: AnalysisRequest, seat: str = "") -> None:
        """Check that a page may request an analysis. An analysis of a running game's position counts as help in it.

        :param seat: the seat's address if the page has no other access; such a page can only review its finished game.
        :raises SetupError: if the position is from a running game between two people who play without an engine, or a
            page with only a seat requests anything else.
        :raises GameError: if there is no such game or position, or a move is illegal.
        """
        game = get_game(request.game)
        position = parse_position(game, request.start)
        passed = [game.format_position(position)]
        for move in written_moves(game, position, [request.moves]):
            position.play(move)
            passed.append(game.format_position(position))
        if seat:
            session = self.sessions.get(self.session_of_seat(seat) or "")
            shown = [step["position"] for step in session.steps] if session and session.verdict else None
            if not request.review or passed != shown or not session or session.side_of(seat) not in COLORS:
                raise SetupError("engine: this address only allows the players to review their game once it is over")
        for session in self.sessions.values():
            is_running = session.verdict is None and session.spec.game == request.game
            if not is_running or session.steps[-1]["position"] not in passed:
                continue
            if not session.assisted:
                raise SetupError(
                    "engine: not available, because this game between two people is played without an engine"
                )
            if not request.review:  # the review of another game may pass through the same opening
                session.note_help()

    def session_of_seat(self, seat: str) -> str | None:
        """Return the name of the game that a seat address belongs to, or None if there is no such game."""
        return next((name for name, session in self.sessions.items() if session.side_of(seat)), None)

    def close(self, name: str) -> None:
        """Stop a game and remove it."""
        session = self.sessions.pop(name, None)
        if session is not None:
            session.close()

    def _keep(self, session: GameSession) -> None:
        """Save a game's current state to its file. Errors are reported on the game's pages and on standard error."""
        try:
            if saved := session.saved():
                session.path = self.kept.keep(saved, session.path)
        except GameFileError as error:
            text = f"the game is not saved: {printable(str(error))}"
            session.tell({"type": "error", "error": text})
            click.echo(f"error: {text}", err=True)

    def running_files(self) -> set[Path]:
        """Return the files of running games, which are written at each move."""
        return {each.path for each in self.sessions.values() if each.path and each.verdict is None}

    async def close_all(self) -> None:
        """Stop all games and engines."""
        for name in list(self.sessions):
            self.close(name)
        for analysis in list(self.analyses):
            await analysis.close()
        await asyncio.gather(*self._played, return_exceptions=True)

    def _make_room(self) -> None:
        """If there are too many games, remove the oldest game without a page, preferably a finished game."""
        if len(self.sessions) < MOST_SESSIONS:
            return
        unwatched = [session for session in self.sessions.values() if not session.watchers]
        if not unwatched:
            raise SetupError(f"at most {MOST_SESSIONS} games can run at once; end one first")
        self.close(min(unwatched, key=lambda session: session.verdict is None).name)

    def _spec(self, request: GameRequest, training: Training | None) -> GameSpec:
        game = get_game(request.game)
        opening = opening_of(game, request)
        if training and (game.name != "othello" or " " in "".join(opening[:1])):
            raise SetupError(f"trains cannot be combined with {'a position' if opening else game.name}")
        players = [self._player(color, getattr(request, color)) for color in COLORS]
        if training:
            opening = opening or tuple(map(game.format_move, training.moves))
            players = [training.seat_of(player) if has_levels(player) else player for player in players]
        if players[0].name == players[1].name:
            players = [replace(player, name=f"{player.name} {number}") for number, player in enumerate(players, 1)]
        if game.kind == "hidden" and all(player.protocol == PERSON for player in players):
            raise SetupError(f"game: only one person can play {game.name} here, since two would see all cards")
        seed = secrets.randbits(31)
        black, white = (with_seed(player, seed) for player in players)
        return check_game(GameSpec(game.name, opening, black, white, seed=seed))

    def _player(self, color: Color, request: PlayerRequest) -> EngineConfig:
        """Return the player that a page selected."""
        if request.person:
            has_clock = request.limit.startswith("tc=")
            # A person without a clock has no time limit.
            limit = TimeControl.parse(request.limit) if has_clock else TimeControl(depth=1)
            return EngineConfig("person", protocol=PERSON, limit=limit)
        if request.engine not in self.engines:
            hint = suggestion(request.engine, list(self.engines))
            raise SetupError(f"{color}: must be {' or '.join(self.engines)}, not {request.engine[:60]!r}; {hint}")
        engine = self.engines[request.engine]
        if request.limit:
            engine = check_config(replace(engine, limit=TimeControl.parse(request.limit)))
        if has_levels(engine):
            return by_hand(engine, request.level)
        if request.level is not None:
            raise SetupError(f"level: {engine.name} has no levels; only {OWN_ENGINE} has")
        return engine


def opening_of(game: Game, request: GameRequest) -> tuple[str, ...]:
    """Return a request's opening for a specification: the position, unless it is the initial one, and the moves."""
    position = parse_position(game, request.position)
    if isinstance(game, HiddenCards) and (deals := len(game.deals(position))) > 1:
        raise SetupError(f"position: all cards must be known, but {deals} deals are possible")
    start = game.format_position(position)
    moves = tuple(map(game.format_move, play_moves(game, position, [request.opening])))
    is_usual = start == game.format_position(game.initial())
    if is_usual and game.kind == "hidden":  # deal new cards, unless the page has seen these
        is_usual = not request.position and not moves
    return moves if is_usual else (start, *moves)


def split_played(spec: GameSpec, start: str, records: Sequence[MoveRecord]) -> tuple[GameSpec, tuple[MoveRecord, ...]]:
    """Split a specification's moves into the opening and the moves played in the game to continue.

    :param start: the initial position of the game to continue.
    :param records: all moves of the game to continue.
    :return: the specification with only the opening, and the records of the moves after it; or the same specification
        and no records, if its moves are not from this game.
    """
    position, moves = split_opening(spec.opening)
    if position != start or tuple(record.move for record in records[: len(moves)]) != tuple(moves):
        return spec, ()
    opening = [record.move for record in takewhile(lambda record: record.by == "opening", records[: len(moves)])]
    words = (position, *opening) if position else tuple(opening)
    return replace(spec, opening=words), tuple(records[len(opening) : len(moves)])


def by_hand(engine: EngineConfig, level: int | None) -> EngineConfig:
    """Return this installation's engine, set to vary its play and not to lose on time if the machine is busy.

    :param level: the level, or None for the level in the configuration.
    """
    options = {**dict(VARIED), **dict(engine.options)} | ({} if level is None else {"Level": str(level)})
    return replace(engine, options=tuple(options.items()), margin_ms=max(engine.margin_ms, MACHINE_MARGIN_MS))


def has_levels(engine: EngineConfig) -> bool:
    """Return whether an engine has the Level option, as this installation's does."""
    return engine.command[:1] == (OWN_ENGINE,) and engine.protocol == "uci"
