"""All games of a server: which may be played, by whom, how many at once, and their end."""

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
from quietmove.addons.web.requests import GameRequest, Model, PlayerRequest, parse_position
from quietmove.addons.web.session import PERSON, GameSession, PersonSeat
from quietmove.engine.common.addons import need_hook
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameFileError
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.protocol.notation import play_moves
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
MACHINE_MARGIN_MS = 60_000  # all answers of this engine in a game may be a minute late, taken together
GRACE_SECONDS = 60.0  # a game goes on for a minute without a page, so that a page that is loaded again finds it
DEFAULT_ENGINES = (EngineConfig("quietmove", (OWN_ENGINE,), limit=TimeControl(movetime_ms=500)),)


class GameSessions:
    """The games and analyses of one server. Its methods belong to one event loop."""

    def __init__(
        self, engines: Sequence[EngineConfig], grace: float = GRACE_SECONDS, own_games: Sequence[str] = ()
    ) -> None:
        SEATS[PERSON] = PersonSeat
        self.engines = {engine.name: engine for engine in engines or DEFAULT_ENGINES}  # pages name no other program
        self.kept = KeptGames(None)
        self.games = list(dict.fromkeys([*game_names(), *own_games]))  # no other Python file is run
        self.sessions: dict[str, GameSession] = {}  # the key is a name that cannot be guessed
        self.analyses: set[Analysis] = set()  # the analyses whose engine runs
        self._grace = grace
        self._played: set[asyncio.Task[None]] = set()

    def keep_in(self, folder: Path) -> None:
        """Keep all games in a folder from now on."""
        self.kept = KeptGames(folder, next((name for name, each in self.engines.items() if has_levels(each)), ""))

    def check_game(self, name: str) -> None:
        """Check that a page may ask for a game.

        :raises SetupError: if it is a file of Python, which would be run, and was not named at the start.
        """
        file = GameFile.of_game(name)
        if file is not None and file not in map(GameFile.of_game, self.games):
            raise SetupError(f"game: a file must be named at the start by --game, not {name[:60]!r}")

    def checked(self, work: Callable[[Model], Json]) -> Callable[[Model], Json]:
        """Return ``work``, preceded by :meth:`check_game` for the game that the request names."""

        def check_first(request: Model) -> Json:
            self.check_game(getattr(request, "game", ""))
            return work(request)

        return check_first

    def open(self, request: GameRequest) -> GameSession:
        """Begin a game.

        :raises SetupError: if a player, the opening or a limit is not allowed, or too many games are played.
        :raises GameError: if there is no such game, position or opening.
        """
        self._make_room()
        training = need_hook("training", "practice", "trains")(request.trains) if request.trains else None
        spec = self._spec(request, training)
        name = secrets.token_urlsafe(9)
        before = self.sessions.get(request.instead)
        start, records = (before.spec.position, before.moves) if before else self.kept.moves(request.kept)
        spec, played = split_played(spec, start, records)
        players = {color: getattr(request, color) for color in COLORS}
        session = GameSession(name, spec, players, training, played)
        if before and before.verdict is None:
            self.close(request.instead)
            session.replace_file_of(before)
        self.sessions[name] = session
        self._played.add(session.begin(self._grace, lambda: self.close(name), self._keep))
        session.task.add_done_callback(self._played.discard)
        return session

    def session_of_seat(self, seat: str) -> str | None:
        """Return the game in which a seat at another machine has this address; None if there is none."""
        return next((name for name, session in self.sessions.items() if session.side_of(seat)), None)

    def close(self, name: str) -> None:
        """End a game and forget it."""
        session = self.sessions.pop(name, None)
        if session is not None:
            session.close()

    def _keep(self, session: GameSession) -> None:
        """Write a game as it stands to its file; where it cannot be written its pages and standard error say so."""
        try:
            if saved := session.saved():
                session.path = self.kept.keep(saved, session.path)
        except GameFileError as error:
            text = f"the game is not kept: {printable(str(error))}"
            session.tell({"type": "error", "error": text})
            click.echo(f"error: {text}", err=True)

    def running_files(self) -> set[Path]:
        """Return the files of the games that go on, which are written at each move."""
        return {each.path for each in self.sessions.values() if each.path and each.verdict is None}

    async def close_all(self) -> None:
        """End all games; when this returns, no engine runs."""
        for name in list(self.sessions):
            self.close(name)
        for analysis in list(self.analyses):
            await analysis.close()
        await asyncio.gather(*self._played, return_exceptions=True)

    def _make_room(self) -> None:
        """Forget the oldest game that nobody watches, one that is over first, if there are too many."""
        if len(self.sessions) < MOST_SESSIONS:
            return
        unwatched = [session for session in self.sessions.values() if not session.watchers]
        if not unwatched:
            raise SetupError(f"games played at once: must be at most {MOST_SESSIONS}; end one first")
        self.close(min(unwatched, key=lambda session: session.verdict is None).name)

    def _spec(self, request: GameRequest, training: Training | None) -> GameSpec:
        game = get_game(request.game)
        opening = opening_of(game, request)
        if training and (game.name != "othello" or " " in "".join(opening[:1])):
            raise SetupError(f"trains: must be left out with {'a position' if opening else game.name}")
        players = [self._player(color, getattr(request, color)) for color in COLORS]
        if training:
            opening = opening or tuple(map(game.format_move, training.moves))
            players = [training.seat_of(player) if has_levels(player) else player for player in players]
        if players[0].name == players[1].name:
            players = [replace(player, name=f"{player.name} {number}") for number, player in enumerate(players, 1)]
        if game.kind == "hidden" and all(player.protocol == PERSON for player in players):
            raise SetupError(f"game: one person at most can play {game.name} here, since two would see all cards")
        seed = secrets.randbits(31)
        black, white = (with_seed(player, seed) for player in players)
        return check_game(GameSpec(game.name, opening, black, white, seed=seed))

    def _player(self, color: Color, request: PlayerRequest) -> EngineConfig:
        """Return the player that a page has chosen."""
        if request.person:
            has_clock = request.limit.startswith("tc=")
            # A person without a clock has no limit.
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
            raise SetupError(f"level: {engine.name} has none; only {OWN_ENGINE} itself does")
        return engine


def opening_of(game: Game, request: GameRequest) -> tuple[str, ...]:
    """Return an opening as a specification holds it: moves, after the position if it is not the usual one."""
    position = parse_position(game, request.position)
    if (deals := len(game.deals(position))) > 1:
        raise SetupError(f"position: all cards must be known; {deals} deals fit this one")
    start = game.format_position(position)
    moves = tuple(map(game.format_move, play_moves(game, position, [request.opening])))
    is_usual = start == game.format_position(game.initial())
    if is_usual and game.kind == "hidden":  # cards are dealt anew, unless the page has seen these
        is_usual = not request.position and not moves
    return moves if is_usual else (start, *moves)


def split_played(spec: GameSpec, start: str, records: Sequence[MoveRecord]) -> tuple[GameSpec, tuple[MoveRecord, ...]]:
    """Split the moves with which a game begins into its opening and those that were played before.

    :param start: the first position of the game that it continues.
    :param records: all moves of that game.
    :return: the specification with the opening alone, and the records of the moves after it, none if it continues
        another game.
    """
    position, moves = split_opening(spec.opening)
    if position != start or tuple(record.move for record in records[: len(moves)]) != tuple(moves):
        return spec, ()
    opening = [record.move for record in takewhile(lambda record: record.by == "opening", records[: len(moves)])]
    words = (position, *opening) if position else tuple(opening)
    return replace(spec, opening=words), tuple(records[len(opening) : len(moves)])


def by_hand(engine: EngineConfig, level: int | None) -> EngineConfig:
    """Return the engine of this installation as it plays here: each game anew, and no busy machine loses it a game.

    :param level: None for that of its configuration.
    """
    options = {**dict(VARIED), **dict(engine.options)} | ({} if level is None else {"Level": str(level)})
    return replace(engine, options=tuple(options.items()), margin_ms=max(engine.margin_ms, MACHINE_MARGIN_MS))


def has_levels(engine: EngineConfig) -> bool:
    """Tell whether an engine has the option Level: the engine of this installation does."""
    return engine.command[:1] == (OWN_ENGINE,) and engine.protocol == "uci"
