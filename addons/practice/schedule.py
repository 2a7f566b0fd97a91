"""The schedule of practice positions, and the file that stores it.

Dates come from FSRS, the scheduler of the library ``fsrs`` (Ye, Su and Cao 2022, "A stochastic shortest path algorithm
for optimizing spaced repetition scheduling"): a position is due when the probability that the person remembers the
answer is expected to have dropped to 90 %. Intervals are not randomized. After a wrong answer, a position is due the
next day. A right answer is rated *good*, or *hard* if the person used hints.

The file is JSON: ``{"positions": [``, then one line per answered position, then ``]}``. It is replaced atomically.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quietmove.addons.practice.problems import Problem
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.errors import GameFileError
from quietmove.engine.files import locked, read_bytes, write_whole

if TYPE_CHECKING:
    from fsrs import Scheduler

FILE_NAME = "practice.json"
NEW_A_DAY = 20  # maximum number of new positions per day
RECENT_DAYS = 30  # period of the statistics by reason, in days
REASONS = {
    "corner": "Corner given",
    "mobility": "Mobility lost",
    "parity": "Parity",
    "region": "Parity of a region",
    "wedge": "Wedge allowed",
    "quiet": "Quiet move missed",
    "edge": "Unbalanced edge",
    "pass": "Pass forced",
    "stable": "Stable discs",
}
LEARNT_DAYS = 21  # a position with an interval of at least this many days counts as learnt
AGAIN, HARD, GOOD = 1, 2, 3  # the FSRS ratings in use
YEARS = range(1970, 9999)  # allowed years of answers and due dates; these dates are valid in every time zone
CLOCK_YEARS = range(YEARS[0], 9000)  # years in which an answer can be recorded: it is due at most a century later
FIRST_LINE, LAST_LINE = '{"positions": [', "]}"
KEYS = {"position": str, "due": str, "stability": float, "difficulty": float, "answers": list}


@dataclass(frozen=True, slots=True)
class Card:
    """The history and the schedule of a position.

    :param due: the time at which the position is due next.
    :param stability, difficulty: FSRS's parameters of the position: stability in days, difficulty from 1 to 10.
    :param answers: the time and rating of each answer, in order.
    """

    due: datetime
    stability: float
    difficulty: float
    answers: tuple[tuple[datetime, int], ...]

    @property
    def last(self) -> datetime:
        """The time of the last answer."""
        return self.answers[-1][0]

    @property
    def is_learnt(self) -> bool:
        """Whether the interval is long enough for the position to count as learnt."""
        return self.due - self.last >= timedelta(days=LEARNT_DAYS)


@dataclass(frozen=True, slots=True)
class Mastery:
    """A person's progress with one position.

    :param right: the number of right answers since the last wrong one.
    :param left: the number of further right answers until the position counts as learnt, if each is given without
        hints on the due date.
    :param days: the number of days until the position comes back after a right answer now without hints;
        ``days_with_hints`` is the number after a right answer with hints.
    """

    right: int
    left: int
    days: int
    days_with_hints: int


class Schedule:
    """The histories of all answered positions, as stored in a file.

    Times are time-zone aware; days are in ``now``'s time zone.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, if it exists.

        :raises GameFileError: naming the path and the line, if the file is damaged or cannot be read.
        """
        self.path = path
        self.cards = _read(path)

    def due(self, problems: Iterable[Problem], now: datetime) -> list[Problem]:
        """Return the positions due today, by due date, then new positions, costliest first.

        Extras are left out, and so are new positions beyond today's :data:`NEW_A_DAY`.
        """
        known = list[Problem]()
        new = list[Problem]()
        begun = 0
        for each in problems:
            card = self.cards.get(each.key)
            if card is None:
                new += [] if each.is_extra else [each]
                continue
            begun += _is_day(card.answers[0][0], now)
            if card.due.astimezone(now.tzinfo).date() <= now.date():
                known.append(each)
        known.sort(key=lambda each: self.cards[each.key].due)
        new.sort(key=lambda each: each.loss, reverse=True)
        return known + new[: max(0, NEW_A_DAY - begun)]

    def later(self, problems: Iterable[Problem], now: datetime) -> list[Problem]:
        """Return the positions that :meth:`due` leaves out, by due date; new positions count as due now."""
        problems = list(problems)
        today = {each.key for each in self.due(problems, now)}
        rest = [each for each in problems if each.key not in today]
        return sorted(rest, key=lambda each: card.due if (card := self.cards.get(each.key)) else now)

    def known(self, problems: Iterable[Problem]) -> list[Card]:
        """Return the histories of the positions that have been answered."""
        return [self.cards[each.key] for each in problems if each.key in self.cards]

    def count_due_by(self, problems: Iterable[Problem], day: datetime) -> int:
        """Return the number of answered positions that are due on or before a day."""
        return sum(card.due.astimezone(day.tzinfo).date() <= day.date() for card in self.known(problems))

    def learnt(self, problems: Iterable[Problem]) -> int:
        """Return the number of positions that count as learnt."""
        return sum(card.is_learnt for card in self.known(problems))

    def today(self, problems: Iterable[Problem], now: datetime) -> tuple[int, int]:
        """Return the number of positions answered today, and how many of them were right at the first attempt."""
        cards = self.known(problems)
        first = [next((rating for at, rating in card.answers if _is_day(at, now)), 0) for card in cards]
        return sum(rating > 0 for rating in first), sum(rating > AGAIN for rating in first)

    def by_reason(self, problems: Iterable[Problem], now: datetime) -> list[tuple[str, int, int]]:
        """Return each reason with its numbers of right and of all answers, in the RECENT_DAYS days up to ``now``."""
        ratings = defaultdict[str, list[int]](list)
        for each in problems:
            for at, rating in self.cards[each.key].answers if each.key in self.cards else ():
                if timedelta() <= now - at <= timedelta(days=RECENT_DAYS):
                    ratings[each.reason].append(rating)
        counts = [(text, ratings[kind]) for kind, text in REASONS.items() if kind in ratings]
        return [(text, sum(rating > AGAIN for rating in found), len(found)) for text, found in counts]

    def share_right(self, problems: Iterable[Problem]) -> int | None:
        """Return the percentage of right answers, or None without answers."""
        ratings = [rating for card in self.known(problems) for _, rating in card.answers]
        return round(100 * sum(rating > AGAIN for rating in ratings) / len(ratings)) if ratings else None

    def answer(self, key: str, rating: int, now: datetime) -> Card:
        """Reload the file, add an answer, save the file, and return the position's new history.

        :raises GameFileError: if the file cannot be read or written; its contents are unchanged.
        """
        with locked(self.path, GameFileError):
            self.cards = _read(self.path)  # the page or another terminal may have changed the file
            card = self.cards[key] = _rated(self.cards.get(key), rating, now)
            self._write()
        return card

    def mastery(self, key: str, now: datetime) -> Mastery:
        """Return the progress with a position, with the next intervals that the scheduler predicts."""
        card = self.cards.get(key)
        right = 0
        for _, rating in reversed(card.answers if card else ()):
            if rating == AGAIN:
                break
            right += 1
        good, hard = (_days(_rated(card, rating, now), now) for rating in (GOOD, HARD))
        left = 0
        at = now
        while card is None or not card.is_learnt:
            card = _rated(card, GOOD, at)
            at = card.due
            left += 1
        return Mastery(right, left, good, hard)

    def _write(self) -> None:
        lines = ",\n".join(json.dumps(_object(key, card)) for key, card in self.cards.items())
        try:
            write_whole(self.path, f"{FIRST_LINE}\n{lines}\n{LAST_LINE}\n".encode())
        except OSError as error:
            raise GameFileError(f"{self.path}: {error.strerror or error}") from None


def rate(*, is_right: bool, hints: int) -> int:
    """Return the FSRS rating of an answer.

    :param hints: the number of hints given before the answer.
    """
    return (HARD if hints else GOOD) if is_right else AGAIN


def describe_history(card: Card | None, now: datetime) -> str:
    """Describe when and how often a position was answered."""
    if card is None:
        return "never"
    wrong = sum(rating == AGAIN for _, rating in card.answers)
    days = (now.date() - card.last.astimezone(now.tzinfo).date()).days
    ago = {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")
    return f"{_times(len(card.answers))}, last {ago}{f', wrong {_times(wrong)}' if wrong else ''}"


def describe_due(card: Card, now: datetime) -> str:
    """Describe when a position comes back."""
    days = _days(card, now)
    return "It comes back tomorrow." if days == 1 else f"It comes back in {days} days."


def _days(card: Card, now: datetime) -> int:
    return (card.due.astimezone(now.tzinfo).date() - now.date()).days


def _rated(before: Card | None, rating: int, now: datetime) -> Card:
    """Return a position's history with one more answer."""
    from fsrs import Card as Learnt  # slow import (15 ms), needed only here
    from fsrs import Rating, State

    at = now.astimezone(UTC)
    if at.year not in CLOCK_YEARS:
        years = f"{CLOCK_YEARS[0]} to {CLOCK_YEARS[-1]}"
        raise GameFileError(f"the clock: must show a year from {years}, not {at.year}; set this machine's clock")
    learnt = Learnt(0, due=at)
    if before is not None:
        learnt = Learnt(0, State.Review, None, before.stability, before.difficulty, before.due, before.last)
    learnt, _ = _scheduler().review_card(learnt, Rating(rating), at)
    assert learnt.stability is not None
    assert learnt.difficulty is not None
    answers = (*(before.answers if before else ()), (at.replace(microsecond=0), rating))
    return Card(learnt.due.replace(microsecond=0), learnt.stability, learnt.difficulty, answers)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


@cache
def _scheduler() -> Scheduler:
    """Return an FSRS scheduler whose intervals are whole days and not randomized."""
    from fsrs import Scheduler

    return Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def _is_day(at: datetime, now: datetime) -> bool:
    return at.astimezone(now.tzinfo).date() == now.date()


def _object(key: str, card: Card) -> dict[str, Any]:
    answers = [[at.isoformat(), rating] for at, rating in card.answers]
    due = card.due.isoformat()
    return {"position": key, "due": due, "stability": card.stability, "difficulty": card.difficulty, "answers": answers}


def _read(path: Path) -> dict[str, Card]:
    try:
        text = read_bytes(path).decode()
        data = parse_json(text)
        entries = data["positions"]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise GameFileError(f"{path}: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise _damaged(path, f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise _damaged(path, f"byte {error.start + 1}: must be UTF-8") from None
    except ValueError as error:
        raise _damaged(path, str(error)) from None
    except (KeyError, TypeError):
        raise _damaged(path, 'line 1: must be an object with "positions"') from None
    if not isinstance(entries, list):
        raise _damaged(path, 'line 1: "positions" must be a list')
    found = dict[str, Card]()
    for number, entry in enumerate(entries, 2):  # positions start on line 2, one per line
        try:
            found[entry["position"]] = _card(entry)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
            wrong = f"line {number}: expected a position with its date and answers, not {json.dumps(entry)[:60]}"
            raise _damaged(path, wrong) from None
    return found


def _damaged(path: Path, wrong: str) -> GameFileError:
    return GameFileError(f"{path}: {wrong}; the file is left as it is: repair it, or move it away to start over")


def _card(entry: dict[str, Any]) -> Card:
    """Convert an object in the file to a card.

    :raises KeyError, TypeError, ValueError, OverflowError: if the object is invalid.
    """
    for key, kind in KEYS.items():
        if not isinstance(entry[key], kind) and not (kind is float and isinstance(entry[key], int)):
            raise TypeError(key)
    answers = tuple((_time(at), int(rating)) for at, rating in entry["answers"])
    is_known = answers and all(rating in (AGAIN, HARD, GOOD) for _, rating in answers)
    if not is_known or not entry["stability"] > 0 or not 1 <= entry["difficulty"] <= 10:
        raise ValueError
    return Card(_time(entry["due"]), float(entry["stability"]), float(entry["difficulty"]), answers)


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None or (found := found.astimezone(UTC)).year not in YEARS:
        raise ValueError(text)
    return found
