"""Seat for an engine that speaks the UCI-style protocol of protocol.md."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cache, partial
from typing import ClassVar

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.lines import GO_ALIASES, OptionLine, format_go, parse_bestmove, parse_info, parse_option
from quietmove.engine.protocol.notation import PROJECT, UGI, Coordinates
from quietmove.engine.values import Info
from quietmove.referee.config.model import COLORS, EngineConfig
from quietmove.referee.config.validation import Setting, suggestion
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer, Failure, Objection, Turn
from quietmove.referee.seats.process_seat import KEEP_SECONDS, RESTART, ProcessSeat, other_reading

GAME_OPTION = "Game"
MAX_REPORTS = 1000  # maximum number of reports kept per turn; many may follow the last one about the best line
PONDER_OPTION = "Ponder"  # the option declared by engines that can ponder


class UciSeat(ProcessSeat):
    """A UCI engine. While it thinks, only ``info`` and ``bestmove`` lines are read, as the protocol requires."""

    quit_line = "quit"
    can_resign = True
    analyses = True
    passing = "answer 'bestmove pass'"
    greeting: ClassVar[tuple[str, str]] = ("uci", "uciok")  # the first line, and the line that ends the reply
    new_game_line: ClassVar[str] = "ucinewgame"
    coordinates: Coordinates = PROJECT  # the notation in which moves are sent
    default_game: ClassVar[str] = "othello"  # the game an engine plays by default

    settings: ClassVar[tuple[Setting, ...]] = (
        RESTART,
        Setting("ponder", False, "whether the engine thinks on its opponent's time, about the reply it expects"),
    )

    _has_moved = False  # whether the engine has already moved in this game
    _pondered: tuple[str, ...] = ()  # the moves of the position that the engine is pondering
    _options: tuple[tuple[str, str], ...] = ()  # the options as last set

    def __init__(self, config: EngineConfig, game: str) -> None:
        super().__init__(config, game)
        # Every turn sends all moves of the game. Caching their text saves 20 of the referee's 130 µs per move.
        self._spell = cache(partial(self.coordinates.write, self.grid))
        self._wants_to_ponder = bool(dict(config.settings).get("ponder"))
        self._offered: list[OptionLine] = []  # the engine's `option` lines
        self._complaints: list[str] = []  # errors the engine reported while options were being set

    async def objections(self) -> list[Objection]:
        if self.game == self.default_game and not self.config.options and not self._wants_to_ponder:
            return []
        if failure := await self.start_to_check():
            return [Objection(None, failure.detail)] if failure.reason == "illegal" else []
        problems = [Objection(None, text) for text in await self._set_options(self.game_option())]
        if self._wants_to_ponder and not self._declares(PONDER_OPTION):
            problems.append(Objection(None, f"it has no option {PONDER_OPTION}, so it cannot ponder"))
        for name, value in self.config.options:
            if not self._declares(name):
                declared = [option.name for option in self._offered]
                whole = next((each for each in declared if each.startswith(f"{name}=")), "")
                hint = f'write option."{whole}"=VALUE; ' if whole else suggestion(name, declared)
                names = ", ".join(declared) or "none"
                problems.append(Objection(name, f"it has no option {name!r}; {hint}its options: {names}"))
            else:
                problems += [Objection(name, text) for text in await self._set_options([(name, value)])]
        return problems

    async def offered(self) -> list[OptionLine]:
        await super().offered()
        return self._offered

    async def _begin_first_game(self) -> Failure | None:
        return await self._begin_next_game([*self.game_option(), *self._ponder_option()])

    async def _begin_next_game(self, first: Sequence[tuple[str, str]] = ()) -> Failure | None:
        changed = [option for option in self.config.options if option not in self._options]
        self._options = self.config.options
        self.process.send(*setoption_lines([*first, *changed]), self.new_game_line, "isready")
        return await self._await_word("readyok")

    async def _answers_between_games(self) -> bool:
        pondered, self._pondered = self._pondered, ()
        if pondered and not await self._stop_pondering(now() + KEEP_SECONDS):
            return False
        self.process.send("isready")
        return await self._await_word("readyok", KEEP_SECONDS) is None

    async def think(self, turn: Turn) -> Answer:
        """Send the whole game, or the player's view of it, and the limits; return the answer when `bestmove` arrives.

        If the engine is already pondering this position, send `ponderhit` instead; an answer it has already given
        counts. If it is pondering another position, stop it first, on its own clock.
        """
        self._has_moved = len(turn.moves) > len(self.opening) + 1
        request = self.position_line(turn), self._go_line(turn)
        started = now()
        deadline = self._start_clock(turn, started)
        pondered, self._pondered = self._pondered, ()
        if pondered and pondered == turn.moves:
            self.process.inbox.begin_turn(forget=False)
            self.process.send("ponderhit")
            return await self._read_answer(started, deadline)
        forgotten = self.process.inbox.begin_turn(forget=True)
        has_answered = any(text.startswith("bestmove") for text in forgotten)
        if pondered and not has_answered and not await self._stop_pondering(deadline):
            return self._answer(None, None, started)
        self.process.send(*request)
        return await self._read_answer(started, deadline)

    def objection(self, position: Position, answer: Answer, error: GameError | None) -> str:
        """Return the reason why an answer is not played.

        For a first move, the text also names other coordinates in which the move would be legal.
        """
        text = super().objection(position, answer, error)
        best = parse_bestmove(answer.line or "")
        if self._has_moved or best is None or self.must_pass(position):
            return text
        legal = [get_game(self.game).format_move(move) for move in position.legal_moves()]
        return text + other_reading(PROJECT, self.grid, best.move, legal)

    def stop(self) -> None:
        if self._process is not None:
            self.process.send("stop")

    def ponder(self, turn: Turn) -> None:
        if self._ponder_option():
            self.process.inbox.begin_turn(forget=True)
            self.process.send(self.position_line(turn), self._go_line(turn, ponder=True))
            self._pondered = turn.moves

    async def _stop_pondering(self, deadline: float) -> bool:
        """Stop pondering on a move that was not played; return whether the `bestmove`, which is discarded, arrived."""
        self.process.send("stop")
        while line := await self.process.read_line(deadline):
            if line.text.strip().startswith("bestmove"):
                return True
        return False

    async def _read_answer(self, started: float, deadline: float) -> Answer:
        """Return the `bestmove` with the last report before it, or an empty answer if none arrives by ``deadline``."""
        reports: deque[str] = deque(maxlen=MAX_REPORTS)
        while line := await self.process.read_line(deadline):
            text = line.text.strip()
            if text.startswith("info"):
                reports.append(text)
                if self.listener.info and (info := parse_info(text)):
                    self.listener.info(info)
            elif best := parse_bestmove(text):
                expected = self.from_wire(best.ponder) if best.ponder and self._wants_to_ponder else None
                return self._answer(line, self.from_wire(best.move), started, _claim(reports), expected)
        return self._answer(None, None, started, _claim(reports))

    def from_wire(self, move: str) -> str:
        """Convert an engine's move to the game's notation; return other text, and text after the move, unchanged."""
        words = move.split()
        size = 2 if self.grid and self.grid.rows is not None else 1
        square = PROJECT.read(self.grid, " ".join(words[:size]))
        return " ".join((square, *words[size:])) if square else move

    async def introduce(self) -> Failure | None:
        self._offered = []
        line, answer = self.greeting
        self.process.send(line)
        if failure := await self._await_word(answer):
            return failure
        if not self.game_option() or self._declares(GAME_OPTION):
            return None
        text = f"has no option {GAME_OPTION}, so it plays {self.default_game} and cannot play {self.game}"
        return Failure("illegal", text)

    def _declares(self, name: str) -> bool:
        return name.lower() in (option.name.lower() for option in self._offered)

    def _ponder_option(self) -> list[tuple[str, str]]:
        return [(PONDER_OPTION, "true")] if self._wants_to_ponder and self._declares(PONDER_OPTION) else []

    def game_option(self) -> list[tuple[str, str]]:
        """Return the name and value of the option that selects the game, or an empty list for the default game."""
        return [] if self.game == self.default_game else [(GAME_OPTION, self.game)]

    async def _set_options(self, options: Sequence[tuple[str, str]]) -> list[str]:
        """Set ``options`` and return the errors that the engine reports."""
        self._complaints = []
        self.process.send(*setoption_lines(options), "isready")
        self._was_late |= await self._await_word("readyok") is not None
        return self._complaints

    async def _await_word(self, word: str, seconds: float | None = None) -> Failure | None:
        """Wait for the line ``word``; return the failure, or None. Collect options and errors that arrive before it.

        :param seconds: the time limit; by default the time limit of a handshake step.
        """
        self.process.inbox.begin_turn(forget=False)
        deadline = now() + (self.config.start_timeout_ms / 1000 if seconds is None else seconds)
        while line := await self.process.read_line(deadline):
            tokens = line.text.split()
            if tokens == [word]:
                return None
            if option := parse_option(line.text):
                self._offered.append(option)
            elif tokens[:3] == ["info", "string", "error:"]:
                self._complaints.append(" ".join(tokens[3:]))
        return await self.failure(word)

    def position_line(self, turn: Turn) -> str:
        """Return the line that sets up the position to search."""
        if turn.view is not None:
            return f"position fen {turn.view}"
        moves = map(self._spell, turn.moves)
        start = f"position fen {turn.start}" if turn.start else "position startpos"
        return " ".join((start, "moves", *moves) if turn.moves else (start,))

    def _go_line(self, turn: Turn, *, ponder: bool = False) -> str:
        return format_go(self.limits(turn, ponder=ponder), COLORS.index(self.color), str)


def setoption_lines(options: Sequence[tuple[str, str]]) -> list[str]:
    """Return the lines that set ``options``, given as pairs of name and value."""
    return [f"setoption name {name} value {value}" for name, value in options]


def _claim(reports: Sequence[str]) -> Info[str] | None:
    """Return the last report about the engine's best line that has a score, or None if there is none."""
    infos = filter(None, map(parse_info, reversed(reports)))
    return next((info for info in infos if info.rank == 1), None)


WORDS = {ours: theirs for theirs, ours in GO_ALIASES.items()}  # maps UCI's names of the clocks to UGI's


class UgiSeat(UciSeat):
    """The seat of an engine that speaks UGI, which uses other keywords than UCI and has no pondering."""

    settings: ClassVar[tuple[Setting, ...]] = tuple(row for row in UciSeat.settings if row.name != "ponder")
    greeting = ("ugi", "ugiok")
    new_game_line = "uginewgame"
    coordinates = UGI

    def _go_line(self, turn: Turn, *, ponder: bool = False) -> str:
        return " ".join(WORDS.get(word, word) for word in super()._go_line(turn, ponder=ponder).split())
