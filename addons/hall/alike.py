"""Which versions of a class are alike, by their text and by their play: a list for a teacher, and no verdict.

Text is compared by winnowing (Schleimer, Wilkerson and Aiken, 2003) over the tokens of pygments: comments and the words
of strings do not count, nor do names. Play is compared by the answers of :mod:`quietmove.addons.hall.asking`.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Name, Number, String, Text, Token
from pygments.util import ClassNotFound

from quietmove.addons.hall.entries import Entry
from quietmove.engine.common.processes import python_command

TOKENS, WINDOW = 20, 8  # a fingerprint is of 20 tokens; of eight in a row the least is kept
LEAST_PRINTS = 8  # fingerprints beside the template's; a program with fewer is compared with none
LEAST_TEXT = 0.6  # the share of the smaller program from which on a pair is listed
LEAST_DEVIATIONS = 4.0  # a pair is listed if its play is so many standard deviations above all others
LEAST_MOVES = 8  # play is compared if two versions were asked about so many positions
LEAST_PAIRS = 3  # fewer pairs do not tell how much two players agree by nature
# Of a file counts what is read in so many seconds of a processor: pygments takes hours for some, such as 20 kB of
# "a a a" in Java, and no other thread of the process runs meanwhile.
FILE_SECONDS = 5.0
IGNORED = (Comment, Text, String.Doc, Token.Text.Whitespace)


@dataclass(frozen=True, slots=True)
class Agreement:
    """:param share: of equal moves, among ``positions``, which are those of the version that was asked about fewer."""

    share: float
    positions: int


@dataclass(frozen=True, slots=True)
class Alike:
    """Two versions that are alike.

    :param text: the share of the smaller program that the other one has too, without the template; 0 to 1.
    :param play: how they answer in positions; None if there are too few that both were asked about.
    :param above: by how many standard deviations their play is more alike than that of all other pairs; None if these
        say nothing.
    """

    first: str
    second: str
    text: float
    play: Agreement | None
    above: float | None


class Likeness:
    """What is alike in one class; the fingerprints of a version are computed once.

    :param template: the program that all may have begun with.
    """

    def __init__(self, folder: Path, template: Path) -> None:
        self._folder = folder
        self._template = fingerprints([template])
        self._known: dict[int, frozenset[int]] = {}

    def sources(self, entry: Entry) -> list[Path]:
        """Return the files that were handed in."""
        return sorted(
            path for path in (self._folder / "entries" / str(entry.number) / "source").rglob("*") if path.is_file()
        )

    def pairs(self, entries: Sequence[Entry], answers: Mapping[int, Mapping[str, str]]) -> tuple[list[Alike], float]:
        """Return the pairs of these versions that are alike, and the mean share of equal moves of all pairs.

        :param answers: the moves by position of each version that was asked, by its number.
        """
        new = [entry for entry in entries if entry.number not in self._known]
        found = fingerprints_apart(list(map(self.sources, new)))
        self._known |= {entry.number: each for entry, each in zip(new, found, strict=True)}
        prints = {entry.name: self._known[entry.number] for entry in entries}
        agreements = play_agreements({each.name: answers.get(each.number, {}) for each in entries})
        mean = fmean(each.share for each in agreements.values()) if agreements else 0.0
        return alike(prints, self._template, agreements), mean


def alike(
    prints: Mapping[str, frozenset[int]], template: frozenset[int], agreements: Mapping[tuple[str, str], Agreement]
) -> list[Alike]:
    """Return the pairs of versions that are suspiciously alike, the most alike first.

    :param prints: the fingerprints of each version.
    :param template: those of the program that all began with.
    :param agreements: how pairs answer, in the order of ``prints``.
    """
    above, found = deviations(agreements), []
    for pair in combinations(prints, 2):
        text = text_likeness(*(prints[name] - template for name in pair))
        if text >= LEAST_TEXT or above.get(pair, 0) >= LEAST_DEVIATIONS:
            found.append(Alike(*pair, text, agreements.get(pair), above.get(pair)))
    return sorted(found, key=lambda each: (-each.text, -(each.above or 0)))


def play_agreements(answers: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, str], Agreement]:
    """Return for pairs of versions how many moves were equal, of pairs that were in a position together.

    Versions that play whole games are in few positions together if they part soon; the others count as different moves.
    """
    found = {}
    for pair in combinations(answers, 2):
        one, other = (answers[name] for name in pair)
        common, count = one.keys() & other.keys(), min(len(one), len(other))
        if common and count >= LEAST_MOVES:
            found[pair] = Agreement(sum(one[key] == other[key] for key in common) / count, count)
    return found


def deviations(agreements: Mapping[tuple[str, str], Agreement]) -> dict[tuple[str, str], float]:
    """Return by how many standard deviations each pair's share is above the mean of all other pairs.

    Of the variance that the others show, what their few positions explain is left out, and what those of the pair
    itself explain is added. So players that agree by nature, such as greedy ones, are expected to where many do.
    """
    found, count = {}, len(agreements) - 1
    shares = sum(each.share for each in agreements.values())
    squares = sum(each.share**2 for each in agreements.values())
    parts = sum(1 / each.positions for each in agreements.values())
    for pair, each in agreements.items() if count + 1 >= LEAST_PAIRS else ():
        mean = (shares - each.share) / count
        of_one = mean * (1 - mean)  # the variance of a move that is equal or not
        variance = (squares - each.share**2) / count - mean**2
        explained = of_one * (parts - 1 / each.positions) / count
        expected = max(0.0, variance - explained) + of_one / each.positions
        if expected > 0:
            found[pair] = (each.share - mean) / sqrt(expected)
    return found


def text_likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of the smaller set that is in both; 0 where one is too small to say anything."""
    least = min(len(one), len(other))
    return len(one & other) / least if least >= LEAST_PRINTS else 0.0


class SlowError(Exception):
    """A file takes too long."""


def fingerprints_apart(versions: Sequence[Sequence[Path]]) -> list[frozenset[int]]:
    """Return the fingerprints of the files of each version; strangers wrote them, so another process reads them."""
    if not versions:
        return []
    asked = json.dumps([list(map(str, paths)) for paths in versions])
    done = subprocess.run(python_command(__name__), input=asked, capture_output=True, text=True, check=True)
    return list(map(frozenset, json.loads(done.stdout)))


def main() -> None:
    """Read paths from standard input and write fingerprints, as :func:`fingerprints_apart` asks."""

    def end(*_: object) -> None:
        raise SlowError

    signal.signal(signal.SIGPROF, end)
    versions = json.load(sys.stdin)
    json.dump([list(fingerprints(map(Path, paths), FILE_SECONDS)) for paths in versions], sys.stdout)


def fingerprints(paths: Iterable[Path], seconds: float = 0) -> frozenset[int]:
    """Return the fingerprints of the programs in some files; files of no language that pygments knows are left out.

    :param seconds: of a processor, after which SIGPROF comes and ends a file by :class:`SlowError`; 0 for no end.
    """
    found: set[int] = set()
    for path in paths:
        try:
            lexer = get_lexer_for_filename(path.name)
        except ClassNotFound:
            continue
        words = list[str]()
        with suppress(SlowError):
            signal.setitimer(signal.ITIMER_PROF, seconds)
            tokens = lexer.get_tokens(path.read_text("utf-8", "replace"))
            words.extend(_word(kind, text) for kind, text in tokens if _counts(kind, text))
            signal.setitimer(signal.ITIMER_PROF, 0)
        hashes = [_hash(words[start : start + TOKENS]) for start in range(len(words) - TOKENS + 1)]
        found |= {min(hashes[start : start + WINDOW]) for start in range(max(0, len(hashes) - WINDOW + 1))}
    return frozenset(found)


def _counts(kind: object, text: str) -> bool:
    return not any(kind in each for each in IGNORED) and bool(text.strip())


def _word(kind: object, text: str) -> str:
    """Return what a token counts as: a name, a number or a string is any other one."""
    for each, word in ((Name, "N"), (Number, "1"), (String, "S")):
        if kind in each:
            return word
    return text


def _hash(words: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest())


if __name__ == "__main__":
    main()
