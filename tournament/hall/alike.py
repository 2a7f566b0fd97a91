"""Which versions of a class are alike, by their text and by their play: a list for a teacher, and no verdict.

Text is compared by winnowing (Schleimer, Wilkerson and Aiken, 2003) over the tokens of pygments: comments and the words
of strings do not count, nor do names. Play is compared in games from the same beginning against the same anchor with
the same seed, until two versions part.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean, pstdev

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Name, Number, String, Text, Token
from pygments.util import ClassNotFound

from quietmove.tournament.games import Result
from quietmove.tournament.hall.entries import Entry

__all__ = ["Alike", "Likeness", "alike", "fingerprints", "play_agreements", "text_likeness"]

TOKENS, WINDOW = 20, 8  # a fingerprint is of 20 tokens; of eight in a row the least is kept
LEAST_PRINTS = 8  # fingerprints beside the template's; a program with fewer is compared with none
LEAST_TEXT = 0.6  # the share of the smaller program from which on a pair is listed
LEAST_DEVIATIONS = 4.0  # above the mean of all pairs, from which on a pair is listed
LEAST_MOVES = 8  # moves of each of two versions, below which their play says nothing
IGNORED = (Comment, Text, String.Doc, Token.Text.Whitespace)


@dataclass(frozen=True, slots=True)
class Alike:
    """Two versions that are alike.

    :param text: the share of the smaller program that the other one has too, without the template; 0 to 1.
    :param play: the share of equal moves, and by how many standard deviations it is above that of all pairs; None if
        they have played too little.
    """

    first: str
    second: str
    text: float
    play: tuple[float, float] | None


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

    def pairs(self, entries: Sequence[Entry], anchors: Sequence[str], results: Sequence[Result]) -> list[Alike]:
        """Return the pairs of these versions that are alike.

        :param anchors, results: of the ladder.
        """
        for entry in entries:
            if entry.number not in self._known:
                self._known[entry.number] = fingerprints(self.sources(entry))
        names = [entry.name for entry in entries]
        prints = {entry.name: self._known[entry.number] for entry in entries}
        return alike(prints, self._template, play_agreements(names, anchors, results))


def alike(
    prints: Mapping[str, frozenset[int]], template: frozenset[int], agreements: Mapping[tuple[str, str], float]
) -> list[Alike]:
    """Return the pairs of versions that are suspiciously alike, the most alike first.

    :param prints: the fingerprints of each version.
    :param template: those of the program that all began with.
    :param agreements: the share of equal moves of pairs in the order of ``prints``.
    """
    mean, deviation = fmean(agreements.values() or (0,)), pstdev(agreements.values() or (0,))
    found = []
    for pair in combinations(prints, 2):
        text = text_likeness(*(prints[name] - template for name in pair))
        share = agreements.get(pair)
        play = (share, (share - mean) / deviation) if share is not None and deviation else None
        if text >= LEAST_TEXT or (play is not None and play[1] >= LEAST_DEVIATIONS):
            found.append(Alike(*pair, text, play))
    return sorted(found, key=lambda each: (-each.text, -(each.play or (0, 0))[1]))


def text_likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of the smaller set that is in both; 0 where one is too small to say anything."""
    least = min(len(one), len(other))
    return len(one & other) / least if least >= LEAST_PRINTS else 0.0


def fingerprints(paths: Iterable[Path]) -> frozenset[int]:
    """Return the fingerprints of the programs in some files; files of no language that pygments knows are left out."""
    found: set[int] = set()
    for path in paths:
        try:
            lexer = get_lexer_for_filename(path.name)
        except ClassNotFound:
            continue
        words = [
            _word(kind, text)
            for kind, text in lexer.get_tokens(path.read_text("utf-8", "replace"))
            if _counts(kind, text)
        ]
        hashes = [_hash(words[start : start + TOKENS]) for start in range(len(words) - TOKENS + 1)]
        found |= {min(hashes[start : start + WINDOW]) for start in range(max(0, len(hashes) - WINDOW + 1))}
    return frozenset(found)


def play_agreements(
    names: Sequence[str], anchors: Sequence[str], results: Sequence[Result]
) -> dict[tuple[str, str], float]:
    """Return for pairs of versions which share of their moves was equal, until they parted, in equal games.

    Two games are equal if they are the k-th of both against the same anchor, with the same colour.
    """
    games: dict[tuple[str, str, int], dict[str, Result]] = defaultdict(dict)
    met: dict[tuple[str, str, str], int] = defaultdict(int)
    for result in sorted(results, key=lambda each: each.number):
        for anchor, name in (result.id.pair, result.id.pair[::-1]):
            if anchor in anchors and name in names:
                color = "black" if result.id.black == name else "white"
                met[anchor, name, color] += 1
                games[anchor, color, met[anchor, name, color]][name] = result
    equal: dict[tuple[str, str], int] = defaultdict(int)
    compared: dict[tuple[str, str], int] = defaultdict(int)
    for (_, color, _), played in games.items():
        for pair in combinations([name for name in names if name in played], 2):
            same, moves = _same_moves(played[pair[0]], played[pair[1]], 0 if color == "black" else 1)
            equal[pair] += same
            compared[pair] += moves
    return {pair: equal[pair] / count for pair, count in compared.items() if count >= LEAST_MOVES}


def _same_moves(one: Result, other: Result, own: int) -> tuple[int, int]:
    """Return how many moves of two players were equal, and how many were compared, the one at which they parted too.

    :param own: 0 if both are Black, 1 for White; after a pass the two are exchanged, in both games alike.
    """
    begun = one.opening.count(",") + 1 if one.opening else 0
    if one.opening != other.opening:
        return 0, 0
    same = compared = 0
    for ply, (move, another) in enumerate(zip(one.moves.split(","), other.moves.split(","), strict=False)):
        if ply < begun:
            continue
        if ply % 2 == own:
            compared += 1
            same += move == another
        if move != another:
            break
    return same, compared


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
