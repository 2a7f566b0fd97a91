"""One game between two engines, from the start of their processes to the verdict.

The referee applies the rules itself; it trusts nothing in an engine's output except the choice of move.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import DECISIVE, NATURE, Position
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.values import Info
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, REASONS, Adjudication, Color, GameSpec, Reason, split_opening
from quietmove.referee.errors import PauseError, RefereeError, SetupError, ShortageError
from quietmove.referee.game.record import Clocks, DialogueLog, GameRecord, Observer, fields_of
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.game.verdict import Verdict, finished, forfeited, judge
from quietmove.referee.process.loop import paused_seconds
from quietmove.referee.process.shortage import check_tasks, refused_tasks
from quietmove.referee.seats import Answer, Failure, Listener, Seat, Turn, check_game, get_seat
from quietmove.referee.seats.base import leading_move, shortened
from quietmove.referee.seats.pool import SeatPool
from quietmove.referee.seats.process_seat import ProcessSeat

SOLVER_NODES = 10_000_000  # limit per solution: at most 0.3 s; enough for 19 of 20 random positions with 18 empties


async def adjudicate(
    rules: Adjudication,
    position: Position,
    moves: Sequence[MoveRecord],
    players: tuple[str, str] = ("Black", "White"),
) -> Verdict | None:
    """Return the verdict that ends the game now, or None if it continues.

    :param position: the position of an unfinished game; it is left unchanged.
    :param moves: all moves of the game so far.
    :param players: the game's names for Black and White.
    """
    if rules.solve_empties and (left := position.moves_left()) <= rules.solve_empties:
        result = await solve(position)
        if result is not None:
            return solved(result, left, players)
    if rules.resign_score and (loser := agreed_loser(moves, rules)):
        return _conceded(loser, moves, rules, position.largest_score)
    if agreed_draw(moves, rules):
        detail = (
            f"both engines reported for {rules.draw_moves} moves that neither leads by more than {rules.draw_score:g}"
        )
        return Verdict("adjudicated", None, 0.5, 0, detail)
    if len(moves) >= rules.max_plies:
        return Verdict("adjudicated", None, 0.5, 0, f"the game has not ended after {rules.max_plies} plies")
    return None


async def solve(position: Position) -> int | None:
    """Return Black's score with best play, in hundredths of a point, or None if the node limit is too small.

    The search runs in a thread, so that other games continue.
    """
    from quietmove.engine.solver import Solver  # load the search only if a game is solved

    solver = Solver(position, SOLVER_NODES)
    try:
        value = await asyncio.to_thread(solver.value)
    finally:
        solver.stop()
    position.check()
    return value if value is None or position.next_player == 0 else -value


def solved(result: int, moves_left: int, players: tuple[str, str]) -> Verdict:
    """Return the verdict on a solved game; ``result`` is Black's score with best play, in hundredths of a point."""
    verdict = finished(result, players)
    return replace(verdict, reason="adjudicated", detail=f"solved with {moves_left} moves left: {verdict.detail}")


def agreed_loser(moves: Sequence[MoveRecord], rules: Adjudication) -> Color | None:
    """Return the loser on which both engines' last scores agree, or None if they do not agree.

    A move without a score breaks the agreement.
    """
    black, white = last_claims(moves, rules.resign_moves)
    if not black or not white:
        return None
    least = round(100 * rules.resign_score)
    if max(black) <= -least and min(white) >= least:
        return "black"
    return "white" if max(white) <= -least and min(black) >= least else None


def agreed_draw(moves: Sequence[MoveRecord], rules: Adjudication) -> bool:
    """Return whether the scores that both engines claimed for their last moves make the game a draw."""
    if not rules.draw_moves or len(moves) < rules.draw_after:
        return False
    black, white = last_claims(moves, rules.draw_moves)
    most = round(100 * rules.draw_score)
    return bool(black and white) and all(abs(score) <= most for score in (*black, *white))


def last_claims(moves: Sequence[MoveRecord], count: int) -> Iterator[list[int]]:
    """Yield a list of the scores of Black's last ``count`` moves, then of White's, or [] if a score is missing."""
    for color in COLORS:
        scores = [move.score for move in moves if move.by == color][-count:]
        claimed = [score for score in scores if score is not None]
        yield claimed if len(claimed) == count else []


def _conceded(loser: Color, moves: Sequence[MoveRecord], rules: Adjudication, largest_score: int) -> Verdict:
    """Return the verdict when both engines consider ``loser`` lost.

    The margin is the smaller of their last scores in whole points, but at least 1; in a game without points, it is 1.
    """
    winner: Color = "white" if loser == "black" else "black"
    last = [next(abs(move.score or 0) for move in reversed(moves) if move.by == color) for color in COLORS]
    margin = 1 if largest_score > DECISIVE else max(1, min(*last, largest_score) // 100)
    times = f"{rules.resign_moves} moves" if rules.resign_moves > 1 else "its last move"
    detail = f"both engines reported for {times} that {loser} loses by {rules.resign_score:g} or more: {winner} wins"
    return Verdict("adjudicated", None, float(winner == "black"), margin if winner == "black" else -margin, detail)


SETTLE_SECONDS = 0.1  # an engine that exits this soon after a wrong reply has crashed


class JudgedGame:
    """A running game under the referee's control: the position, the clocks and the two seats."""

    def __init__(
        self,
        spec: GameSpec,
        observers: Sequence[Observer] = (),
        played: Sequence[MoveRecord] = (),
        cpus: tuple[int, ...] = (),
    ) -> None:
        """Create a game, set up its board and play the opening.

        :param played: the moves after the opening of an interrupted game, which continues with its clocks restored.
        :param cpus: the processors that both engines can use; if empty, each engine's own setting applies.
        :raises UnknownGameError, SetupError: if the game does not exist, the seats cannot play it from its opening, or
            a move in ``played`` is not legal.
        """
        self.spec = check_game(spec)
        self.game = get_game(spec.game)
        self._cards = self.game if isinstance(self.game, HiddenCards) else None  # this check is slow
        try:
            self.position = spec.begin()
            opening = play_moves(self.game, self.position, split_opening(spec.opening)[1])
        except GameError as error:
            raise SetupError(f"opening {' '.join(spec.opening)}: {error}") from None
        self.moves = [MoveRecord(self.game.format_move(move), "opening") for move in opening]
        self.clocks: dict[Color, Clock] = {
            color: Clock(spec.player(color).limit, spec.player(color).margin_ms) for color in COLORS
        }
        for record in played:
            try:
                self.position.play(self.game.parse_move(self.position, record.move))
            except GameError as error:
                raise SetupError(f"move {len(self.moves) + 1} of a resumed game: {error}") from None
            if record.by in COLORS:
                self.clocks[record.by].replay(record.elapsed_ms, record.clock_ms)
            self.moves.append(record)
        self.seats: dict[Color, Seat] = {}
        self._cpus = cpus
        self._started = True
        self._faulty: set[Color] = set()  # the players that failed to start or lost by a fault
        self._illegal = ""  # the illegal reply that ended the game, shortened
        self._ignored: dict[Color, str] = {}  # the first words that each player wrote after a move
        self.dialogue = DialogueLog() if spec.keep_dialogue else None
        self.observers = [*([self.dialogue] if self.dialogue else []), *observers]

    async def play(self, pool: SeatPool) -> GameRecord:
        """Play the game with seats from ``pool``, release the reusable ones to it, and return the record.

        :raises ShortageError: if the machine has no room for an engine, or may have refused threads to a failed one.
        :raises PauseError: if the referee was paused while an engine's clock ran.
        """
        refused_before = refused_tasks()
        try:
            verdict = await self._play(pool)
            if verdict.loser and verdict.reason != "resign":
                check_tasks(refused_before)
                self._faulty.add(verdict.loser)
            reusable = [color for color in COLORS if color not in self._faulty and await self.seats[color].keep()]
            await self._end([seat for color, seat in self.seats.items() if color not in reusable], patient=True)
            record = GameRecord(
                spec=self.spec,
                moves=tuple(self.moves),
                **fields_of(verdict),
                black_stderr=self._stderr("black"),
                white_stderr=self._stderr("white"),
                dialogue=tuple(self.dialogue.lines) if self.dialogue else (),
                answer=self._illegal,
                started=self._started,
            )
            for observer in self.observers:
                observer.game_ended(record)
            for color in reusable:
                await pool.release(self.seats.pop(color))
        finally:
            await self._end(self.seats.values(), patient=False)
        return record

    async def _play(self, pool: SeatPool) -> Verdict:
        """Start both seats, ask for moves in turn, with dice rolls in between, and return the verdict."""
        before = paused_seconds()
        failed = await self._start(pool)
        if any(failure.reason == "stall" for failure, _ in failed):
            _check_pause(before)
        if failed:  # if both failed in the same way, Black is charged, because it moves first
            self._started = False
            self._faulty.update(color for _, color in failed)
            failure, color = min(failed, key=lambda pair: REASONS.index(pair[0].reason))
            return self._forfeit(failure.reason, color, failure.detail)
        for observer in self.observers:
            observer.game_started(self.spec, self._remaining())
        for ply, record in enumerate(self.moves, 1):
            self._tell_move(ply, record)
        while not self.position.is_over():
            if verdict := await adjudicate(self.spec.adjudication, self.position, self.moves, self.game.players):
                return verdict
            if self.position.side_to_move == NATURE:
                move = nature_move(self.position, self.spec.seed, len(self.moves))
                self._make(move, MoveRecord(self.game.format_move(move), "chance"))
            elif verdict := await self._play_turn():
                return verdict
        return finished(self.position.result(), self.game.players)

    async def _start(self, pool: SeatPool) -> list[tuple[Failure, Color]]:
        """Start both seats; return each failure with the colour of its seat.

        :raises ShortageError: if the machine has no room for one of them.
        :raises SetupError: if an engine requires a sandbox and none is available.
        """
        failed: list[tuple[Failure, Color]] = []
        errors: list[RefereeError] = []

        async def start(color: Color) -> None:
            player = self.spec.player(color)
            if self._cpus and issubclass(get_seat(player.protocol), ProcessSeat):
                player = replace(player, cpus=self._cpus)
            listener = self._listener(color)
            opening = split_opening(self.spec.opening)[1]
            try:
                self.seats[color], failure = await pool.start(player, self.spec.game, color, listener, opening)
            except (ShortageError, SetupError) as error:
                errors.append(error)
                return
            if failure:
                failed.append((failure, color))

        async with asyncio.TaskGroup() as group:
            for color in COLORS:
                group.create_task(start(color))
        if errors:
            raise errors[0]
        return sorted(failed, key=lambda pair: COLORS.index(pair[1]))

    async def _play_turn(self) -> Verdict | None:
        """Ask the side to move for a move and play it; return a verdict if no legal move arrives in time, else None."""
        color = COLORS[self.position.side_to_move]
        seat = self.seats[color]
        for observer in self.observers:
            observer.turn_began(color, self._remaining())
        before = paused_seconds()
        answer = await seat.think(self._turn())
        if answer.line is None or self.clocks[color].limit_ms is not None:
            _check_pause(before)
        move, rest, error = self._legal_move(answer.move)
        if move is None:
            return await self._judged(seat, answer, error)
        if rest:
            self._ignored.setdefault(color, shortened(rest))
        clock, claim = self.clocks[color], answer.claim
        clock.charge(answer.elapsed_ms)
        record = MoveRecord(
            move=self.game.format_move(move),
            by=color,
            elapsed_ms=round(answer.elapsed_ms),
            clock_ms=None if clock.remaining_ms is None else round(clock.remaining_ms),
            score=claim.score.value if claim else None,
            depth=claim.depth or None if claim else None,
            nodes=claim.nodes if claim else None,
        )
        self._make(move, record)
        self._let_ponder(seat, answer)
        return None

    async def _judged(self, seat: Seat, answer: Answer, error: GameError | None) -> Verdict:
        """Return the verdict on a reply without a legal move. A crash after a legal move is judged at the next turn."""
        resigned = seat.resigns(answer)
        reason = judge(
            crashed=not resigned and await seat.has_left(SETTLE_SECONDS if answer.line is not None else 0),
            late=answer.line is None and self.clocks[seat.color].limit_ms is not None,
            answered=answer.line is not None,
            resigned=resigned,
        )
        if reason == "illegal":
            self._illegal = shortened(answer.line or "")
        self._started = not (reason == "crash" and seat.is_silent)
        return self._forfeit(reason, seat.color, await self._explain(reason, seat, answer, error))

    def _let_ponder(self, seat: Seat, answer: Answer) -> None:
        """Let the player that has just moved ponder on the reply it expects, if its turn would follow that reply."""
        if answer.ponder is None:
            return
        expected, _, _ = self._legal_move(answer.ponder)
        opponent = 1 - COLORS.index(seat.color)
        if expected is None or self._cards or self.position.side_to_move != opponent:
            return
        self.position.play(expected)
        goes_on = self.position.side_to_move == 1 - opponent and not self.position.is_over()
        self.position.undo()
        if goes_on:
            seat.ponder(self._turn(self.game.format_move(expected)))

    def _turn(self, *expected: str) -> Turn:
        """Return the request for the side to move, after ``expected`` if given, without information hidden from it."""
        moves = (*(record.move for record in self.moves), *expected)
        view = self._cards.view(self.position, self.position.side_to_move) if self._cards else None
        return Turn(moves, self.clocks, view, self.spec.position)

    def _legal_move(self, text: str | None) -> tuple[int | None, str, GameError | None]:
        """Parse a move; return it, the words after it, and the error if it is not legal. None is not a move."""
        try:
            parse = partial(self.game.parse_move, self.position)
            return (None, "", None) if text is None else (*leading_move(text, parse), None)
        except GameError as error:
            return None, "", error

    def _stderr(self, color: Color) -> str:
        """Return a player's standard error, with a note if words after its moves were ignored."""
        text = self.seats[color].stderr
        if words := self._ignored.get(color):
            text += "\n" * bool(text and not text.endswith("\n"))
            text += f"[the referee ignored the words after a move, such as {words!r}]\n"
        return text

    async def _explain(self, reason: Reason, seat: Seat, answer: Answer, error: GameError | None) -> str:
        """Describe what the engine did, worded to complete a sentence that starts with its name."""
        config, clock = seat.config, self.clocks[seat.color]
        if reason == "crash":
            return await seat.describe_end()
        if reason == "timeout":
            kind = " of processor time, or ten times that of wall time" if config.clock == "processor" else ""
            return f"did not answer within {clock.describe()}{kind}{seat.hint_at_silence(self.position)}"
        if reason == "illegal":
            line, move = answer.line or "", answer.move or ""
            canonical = f" ({shortened(move)})" if move and move not in line else ""
            return f"answered {shortened(line)!r}{canonical}, {seat.objection(self.position, answer, error)}"
        if reason == "stall":
            return f"did not answer within {config.stall_timeout_ms} ms{seat.hint_at_silence(self.position)}"
        return "resigns"

    def _forfeit(self, reason: Reason, color: Color, what: str) -> Verdict:
        detail = f"{self.spec.player(color).name} ({color}) {what}"
        return forfeited(reason, color, detail, self.position.largest_score)

    def _make(self, move: int, record: MoveRecord) -> None:
        self.position.play(move)
        self.moves.append(record)
        self._tell_move(len(self.moves), record)

    def _listener(self, color: Color) -> Listener:
        """Return a listener that forwards lines and reports from ``color`` to observers that override these methods."""
        line_takers = [each for each in self.observers if type(each).line_passed is not Observer.line_passed]
        report_takers = [each for each in self.observers if type(each).search_reported is not Observer.search_reported]

        def pass_line(direction: str, line: str) -> None:
            for observer in line_takers:
                observer.line_passed(color, direction, line)

        def pass_report(info: Info[str]) -> None:
            for observer in report_takers:
                observer.search_reported(color, info)

        return Listener(pass_line if line_takers else None, pass_report if report_takers else None)

    def _tell_move(self, ply: int, record: MoveRecord) -> None:
        for observer in self.observers:
            observer.move_made(ply, record, self._remaining())

    def _remaining(self) -> Clocks:
        """Return the remaining clock times in whole milliseconds."""
        left = {color: clock.remaining_ms for color, clock in self.clocks.items()}
        return {color: None if milliseconds is None else round(milliseconds) for color, milliseconds in left.items()}

    @staticmethod
    async def _end(seats: Iterable[Seat], *, patient: bool) -> None:
        async with asyncio.TaskGroup() as group:
            for seat in seats:
                group.create_task(seat.end(patient=patient))


def nature_move(position: Position, seed: int, plies: int) -> int:
    """Return nature's move, which depends only on the position, the game's seed and the number of previous moves."""
    outcomes = position.outcomes()
    digest = hashlib.blake2b(f"{seed}/{plies}".encode(), digest_size=8).digest()
    lot = int.from_bytes(digest) % sum(weight for _, weight in outcomes)
    ends = accumulate(weight for _, weight in outcomes)
    return next(move for (move, _), end in zip(outcomes, ends, strict=True) if lot < end)


def _check_pause(before: float) -> None:
    """Raise a PauseError if the referee was paused while an engine was thinking.

    :param before: the value of :func:`paused_seconds` when the engine started to think.
    """
    if (away := paused_seconds() - before) > 0:
        raise PauseError(f"the referee was paused for {away:.1f} s while a clock ran")
