"""All tables of a server: who may sit down, which games are played at once, and their end."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.config.config import COLORS, OWN_ENGINE, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.config.settings import Setting, suggestion
from quietmove.referee.errors import GameInterruptedError, SetupError
from quietmove.referee.game.host import GameHost
from quietmove.referee.process.programs import with_seed
from quietmove.referee.seats import SEATS, Seat, check_config, check_game, create_seat
from quietmove.referee.web.boards import Json
from quietmove.referee.web.person import PERSON, PersonSeat
from quietmove.referee.web.table import Table
from quietmove.referee.web.wishes import position_in, text_in

if TYPE_CHECKING:
    from quietmove.referee.web.analyst import Analyst

__all__ = ["DEFAULT_ENGINES", "MOST_ANALYSTS", "MOST_TABLES", "House", "has_levels"]

MOST_TABLES = 16
MOST_ANALYSTS = 4  # analyses at once, each with an engine
GRACE_SECONDS = 60.0  # how long a game goes on that nobody watches: a page that is loaded again finds it
LEVEL = Setting("level", 20, "how well the engine plays", least=0, most=20)
MOST_MOVETIME_MS = 60_000
MOST_BASE_MS = 3_600_000
MOST_DEPTH = 60
MOST_NODES = 1_000_000_000  # for a move: some minutes
MOST_SHORT_TEXT = 10_000  # characters
PLAYER_KEYS = ("person", "engine", "limit", "level")  # what a page says of a player
DEFAULT_ENGINES = (EngineConfig("quietmove", (OWN_ENGINE,), limit=TimeControl(movetime_ms=500)),)

SEATS.setdefault(PERSON, PersonSeat)


class House:
    """The tables of one server. Its methods belong to one event loop.

    :ivar engines: those that may be asked to play, by name; no page can name another program.
    :ivar games: those that may be played; of Python files only these.
    :ivar tables: by their numbers, which cannot be guessed.
    """

    def __init__(
        self, engines: Sequence[EngineConfig], grace: float = GRACE_SECONDS, own_games: Sequence[str] = ()
    ) -> None:
        self.engines = {engine.name: engine for engine in engines}
        self.games = list(dict.fromkeys([*game_names(), *own_games]))
        self.tables: dict[str, Table] = {}
        self._grace = grace
        self._hosts: dict[str, GameHost] = {}
        self._threads = ThreadPoolExecutor(MOST_TABLES, thread_name_prefix="table")
        self._enders = ThreadPoolExecutor(MOST_TABLES, thread_name_prefix="end")  # games may hold all other threads
        self._games: set[asyncio.Future[None]] = set()
        self._analysts: set[Analyst] = set()

    def take_analyst(self, analyst: Analyst) -> None:
        """Allow ``analyst`` to run an engine, until it is given back.

        :raises SetupError: if too many do.
        """
        if analyst not in self._analysts and len(self._analysts) >= MOST_ANALYSTS:
            raise SetupError(f"{MOST_ANALYSTS} analyses are running, which is the most; end one first")
        self._analysts.add(analyst)

    def give_analyst_back(self, analyst: Analyst) -> None:
        """Note that ``analyst`` runs no engine any more."""
        self._analysts.discard(analyst)

    def check_game(self, wished: object) -> None:
        """Check that a page may ask for a game.

        :raises SetupError: if it is a file of Python, which would be run, and was not named at the start.
        """
        file = GameFile.of_game(wished) if isinstance(wished, str) else None
        if file is not None and file not in map(GameFile.of_game, self.games):
            raise SetupError(
                "game: a file is played if --game named it at the start, or games in the configuration; "
                f"{str(wished)[:60]!r} came"
            )

    # ---- a game

    def open(self, wish: Mapping[str, object]) -> Table:
        """Begin a game as a page wishes it.

        :raises SetupError: if a player, the game, the opening or a limit is not allowed, or all tables are taken.
        """
        self._make_room()
        spec = self._spec(wish)
        number = secrets.token_urlsafe(9)
        table = Table(number, spec, {color: _chosen(wish[color]) for color in COLORS})
        self.tables[number] = table
        work = asyncio.get_running_loop().run_in_executor(self._threads, self._play, table)
        self._games.add(work)
        work.add_done_callback(self._games.discard)
        return table

    def close(self, number: str) -> None:
        """End a game and forget it."""
        table = self.tables.pop(number, None)
        if table is not None:
            table.dismiss()
        host = self._hosts.pop(number, None)
        if host is not None:
            self._enders.submit(host.close)

    async def sweep(self) -> None:
        """End, again and again, the games that nobody watches any more."""
        while True:
            await asyncio.sleep(min(1.0, self._grace / 4))
            for number in self._abandoned():
                self.close(number)

    async def close_all(self) -> None:
        """End all games; when this returns, no engine runs."""
        for number in list(self.tables):
            self.close(number)
        for analyst in list(self._analysts):
            await analyst.close()
        await asyncio.gather(*self._games, return_exceptions=True)
        for threads in (self._threads, self._enders):
            await asyncio.to_thread(threads.shutdown)

    def _abandoned(self) -> list[str]:
        now = time.monotonic()
        left = ((number, table.left_at) for number, table in self.tables.items())
        return [number for number, since in left if since is not None and now - since > self._grace]

    def _make_room(self) -> None:
        """Forget the oldest game that is over and watched by nobody, if all tables are taken."""
        if len(self.tables) < MOST_TABLES:
            return
        for number, table in self.tables.items():
            if table.verdict is not None and not table.watchers:
                self.close(number)
                return
        raise SetupError(f"{MOST_TABLES} games are being played, which is the most; end one first")

    def _play(self, table: Table) -> None:
        """Play the game, in a thread of its own; engines that it needs end with it."""

        def create(config: EngineConfig, game: str) -> Seat:
            seat = create_seat(config, game)
            if isinstance(seat, PersonSeat):
                color = next(each for each in COLORS if table.spec.player(each) is config)
                table.seats[color] = seat
            return seat

        try:
            with GameHost(0, create) as host:
                self._hosts[table.number] = host
                if table.number in self.tables:  # it may have been closed meanwhile
                    host.play(table.spec, table)
        except GameInterruptedError:
            pass
        except Exception as error:
            table.broke(f"{type(error).__name__}: {error}" if not isinstance(error, QuietmoveError) else str(error))
        finally:
            self._hosts.pop(table.number, None)

    # ---- what a page may wish

    def _spec(self, wish: Mapping[str, object]) -> GameSpec:
        game = get_game(_short(wish, "game", "othello"))
        opening = self._opening(game, wish)
        players = [self._player(wish, color) for color in COLORS]
        if players[0].name == players[1].name:
            players = [replace(player, name=f"{player.name} {number}") for number, player in enumerate(players, 1)]
        if game.kind == "hidden" and all(player.protocol == PERSON for player in players):
            raise SetupError(f"game: one person at most can play {game.name} here, since two would see all cards")
        seed = secrets.randbits(31)
        black, white = (with_seed(player, seed) for player in players)
        return check_game(GameSpec(game.name, opening, black, white, seed=seed))

    @staticmethod
    def _opening(game: Game, wish: Mapping[str, object]) -> tuple[str, ...]:
        """Return an opening as a specification holds it: moves, after the position if it is not the usual one."""
        position = position_in(wish, "position", game)
        if (deals := len(game.deals(position))) > 1:
            raise SetupError(f"position: one with all cards known is allowed; {deals} deals fit this one")
        start = game.format_position(position)
        moves = tuple(map(game.format_move, play_moves(game, position, _short(wish, "opening").split())))
        is_usual = start == game.format_position(game.initial())
        if is_usual and game.kind == "hidden":  # cards are dealt anew, unless the page has seen these
            is_usual = not wish.get("position") and not moves
        return moves if is_usual else (start, *moves)

    def _player(self, wish: Mapping[str, object], color: Color) -> EngineConfig:
        given = wish.get(color)
        if not isinstance(given, Mapping):
            raise SetupError(f"{color}: a player is wanted; {given!r:.60} came")
        limit = _short(given, "limit")
        if given.get("person") is True:
            clock = _limit(limit) if limit.startswith("tc=") else TimeControl(depth=1)  # without a clock nobody waits
            return EngineConfig("person", protocol=PERSON, limit=clock)
        name = _short(given, "engine")
        if name not in self.engines:
            hint = suggestion(name, list(self.engines))
            raise SetupError(f"{color}: engine {name[:60]!r}; {hint}allowed: {', '.join(self.engines)}")
        engine = self.engines[name]
        if limit:
            engine = check_config(replace(engine, limit=_limit(limit)))
        if given.get("level") is not None:
            engine = self._at_level(engine, given["level"])
        return engine

    @staticmethod
    def _at_level(engine: EngineConfig, level: object) -> EngineConfig:
        if not has_levels(engine):
            raise SetupError(f"level: {engine.name} has none; only {OWN_ENGINE} itself does")
        try:
            LEVEL.check(level)
        except ValueError as error:
            raise SetupError(f"level: {error}") from None
        kept = tuple((name, value) for name, value in engine.options if name != "Level")
        return replace(engine, options=(*kept, ("Level", str(level))))


def has_levels(engine: EngineConfig) -> bool:
    """Tell whether an engine has the option Level: the engine of this installation does."""
    return engine.command[:1] == (OWN_ENGINE,) and engine.protocol == "uci"


def _short(wish: Mapping[str, object], key: str, default: str = "") -> str:
    return text_in(wish, key, default, MOST_SHORT_TEXT)


def _chosen(player: object) -> Json:
    """Return what a page said of a player, so that it can say it again; it has been checked."""
    return (
        {key: value for key, value in dict(player).items() if key in PLAYER_KEYS} if isinstance(player, Mapping) else {}
    )


def _limit(text: str) -> TimeControl:
    """Return a limit that a page may give.

    :raises SetupError: if it is none, or takes too long.
    """
    limit = TimeControl.parse(text)
    bounds = (
        (limit.movetime_ms, MOST_MOVETIME_MS, "movetime"),
        (limit.base_ms, MOST_BASE_MS, "tc (in milliseconds)"),
        (limit.increment_ms, MOST_MOVETIME_MS, "the increment of tc (in milliseconds)"),
        (limit.depth, MOST_DEPTH, "depth"),
        (limit.nodes, MOST_NODES, "nodes"),
    )
    for value, most, what in bounds:
        if value is not None and value > most:
            raise SetupError(f"limit: {what} of at most {most} is allowed; {value} came")
    return limit
