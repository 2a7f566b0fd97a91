"""Similarity between the versions of a class, by source text and by play: a list for the teacher, not a verdict.

Text is compared by winnowing (Schleimer, Wilkerson and Aiken, 2003) over pygments tokens, ignoring comments, names,
numbers and the contents of strings. Play is compared by the answers that :mod:`quietmove.addons.hall.asking` collects.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import combinations, groupby
from math import sqrt
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Any

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Name, Number, String, Text, Token
from pygments.util import ClassNotFound

from quietmove.addons.hall.entries import Entries, Entry
from quietmove.addons.web.database import open_hall
from quietmove.engine.common.processes import python_command

TOKENS, WINDOW = 20, 8  # a fingerprint is the smallest of 8 consecutive hashes, each of 20 tokens
LEAST_PRINTS = 8  # minimum number of fingerprints, besides the template's, for a program to be compared
LEAST_TEXT = 0.6  # a pair is listed if at least this share of the smaller program is also in the other
LEAST_DEVIATIONS = 4.0  # a pair is listed if its agreement is this many standard deviations above the others' mean
LEAST_MOVES = 8  # minimum number of positions that each of two versions must have answered to compare their play
LEAST_PAIRS = 3  # minimum number of pairs for an estimate of how much independent players agree
# Processor time limit per version in seconds; only the part of its files read by then is compared. pygments takes hours
# for some files, such as 20 kB of "a a a" in Java, and no other thread of the process runs in the meantime.
VERSION_SECONDS = 5.0
LEAST_SECONDS = 0.01  # seconds of processor time for each remaining file once the version's time is used up
MOST_SHOWN = 200_000  # maximum number of characters shown per file when two versions are compared
DIRECTIONS = {
    each: f"\\u{each:04x}" for each in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
IGNORED = (Comment, Text, String.Doc, Token.Text.Whitespace)

Parts = list[tuple[str, int | None]]  # the parts of a text in order, each with its match number, or None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two versions agree.

    :ivar share: the number of equal moves, divided by ``positions``.
    :ivar positions: the number of positions answered by the version with fewer answers.
    """

    share: float
    positions: int


@dataclass(frozen=True, slots=True)
class Alike:
    """A pair of similar versions.

    :param text: the share, from 0 to 1, of the smaller program's text (without the template) found in the other.
    :param play: their agreement in play, or None if they answered too few positions, or none in common.
    :param above: their agreement's distance above the other pairs' mean, in standard deviations, or None if unknown.
    """

    first: str
    second: str
    text: float
    play: Agreement | None
    above: float | None


class Likeness:
    """Finds similar versions in one class. Fingerprints are computed once per version.

    :param template: the starter programs that versions may be based on.
    """

    def __init__(self, folder: Path, template: Sequence[Path]) -> None:
        self._folder = folder
        self._starter = template
        self._template = fingerprints(template)
        self._known: dict[int, frozenset[int]] = {}

    def sources(self, entry: Entry) -> list[Path]:
        """Return an entry's source files."""
        return sorted(
            path for path in (self._folder / "entries" / str(entry.number) / "source").rglob("*") if path.is_file()
        )

    def compare(self, entries: Sequence[Entry]) -> list[dict[str, Parts]]:
        """Return the files of two versions by name, each split into parts by :func:`matches`."""
        sources = list(map(self.sources, entries))
        names = [[str(path).partition("/source/")[2] for path in paths] for paths in sources]
        files = matches_apart(sources[0], sources[1], self._starter)
        return [dict(zip(*each, strict=True)) for each in zip(names, files, strict=True)]

    def pairs(self, entries: Sequence[Entry], answers: Mapping[int, Mapping[str, str]]) -> tuple[list[Alike], float]:
        """Return the similar pairs of these versions, and the mean share of equal moves of all pairs compared by play.

        :param answers: each version's moves by position, keyed by entry number; can be incomplete.
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
    """Return the pairs of suspiciously similar versions, most similar first.

    :param prints: each version's fingerprints.
    :param template: the starter program's fingerprints.
    :param agreements: the pairs' agreements, with names in the order of ``prints``.
    """
    above = deviations(agreements)
    found = []
    for pair in combinations(prints, 2):
        if author(pair[0]) == author(pair[1]):
            continue
        text = text_likeness(*(prints[name] - template for name in pair))
        if text >= LEAST_TEXT or above.get(pair, 0) >= LEAST_DEVIATIONS:
            found.append(Alike(*pair, text, agreements.get(pair), above.get(pair)))
    return sorted(found, key=lambda each: (-each.text, -(each.above or 0)))


def alike_across(folder: Path, old: Path, template: Sequence[Path]) -> list[tuple[Entry, Entry, Alike]]:
    """Return the pairs of similar versions, most similar first: one of this class, and one of an earlier class."""
    prints: dict[str, frozenset[int]] = {}
    answers: dict[str, Mapping[str, str]] = {}
    versions: dict[str, tuple[Path, Entry]] = {}
    for place in (folder, old):
        likeness = Likeness(place, template)
        with closing(open_hall(place)) as database:
            entries = Entries(database, place)
            known = entries.answers()
            chosen = {f"{place}: {each.name}": each for each in entries.comparable()}
        found = fingerprints_apart([likeness.sources(each) for each in chosen.values()])
        prints |= dict(zip(chosen, found, strict=True))
        answers |= {name: known.get(each.number, {}) for name, each in chosen.items()}
        versions |= {name: (place, each) for name, each in chosen.items()}
    pairs = alike(prints, fingerprints(template), play_agreements(answers))
    both = ((versions[each.first], versions[each.second], each) for each in pairs)
    return [(one[1], other[1], each) for one, other, each in both if one[0] != other[0]]


def by_people(found: Iterable[Alike], assignments: Mapping[str, str]) -> dict[tuple[str, str], list[Alike]]:
    """Group similar pairs by their authors, and leave out a pair if others of the group contain both its versions.

    Of pairs with equal text, those of one assignment come first.

    :param found: the pairs, most similar first.
    :param assignments: each version's assignment.
    """

    def order(pair: Alike) -> tuple[float, bool]:
        return -round(pair.text, 2), assignments[pair.first] != assignments[pair.second]

    groups: dict[tuple[str, str], list[Alike]] = {}
    for each in sorted(found, key=order):
        group = groups.setdefault((author(each.first), author(each.second)), [])
        if not {each.first, each.second} <= {name for pair in group for name in (pair.first, pair.second)}:
            group.append(each)
    return groups


def author(version: str) -> str:
    """Return the person in a version's name."""
    return version.rpartition(".")[0]


def play_agreements(answers: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, str], Agreement]:
    """Return the agreement of each pair of versions that answered enough positions, at least one of them in common.

    Versions that play whole games share few positions if they diverge early; all other positions count as different.
    """
    found = {}
    for pair in combinations(answers, 2):
        one, other = (answers[name] for name in pair)
        common = one.keys() & other.keys()
        count = min(len(one), len(other))
        if common and count >= LEAST_MOVES:
            found[pair] = Agreement(sum(one[key] == other[key] for key in common) / count, count)
    return found


def deviations(agreements: Mapping[tuple[str, str], Agreement]) -> dict[tuple[str, str], float]:
    """Return, for each pair, the number of standard deviations by which its share exceeds the other pairs' mean.

    The variance is the other pairs' variance, minus the sampling noise due to their few positions, plus the pair's own
    sampling noise. So if many players agree, for example because they are greedy, no pair stands out.
    """
    found = {}
    count = len(agreements) - 1
    shares = sum(each.share for each in agreements.values())
    squares = sum(each.share**2 for each in agreements.values())
    parts = sum(1 / each.positions for each in agreements.values())
    for pair, each in agreements.items() if count + 1 >= LEAST_PAIRS else ():
        mean = (shares - each.share) / count
        of_one = mean * (1 - mean)  # variance of a single comparison, equal (1) or not (0)
        variance = (squares - each.share**2) / count - mean**2
        explained = of_one * (parts - 1 / each.positions) / count
        expected = max(0.0, variance - explained) + of_one / each.positions
        if expected > 0:
            found[pair] = (each.share - mean) / sqrt(expected)
    return found


def text_likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of the smaller set that is also in the larger one, or 0 if either is too small to judge."""
    least = min(len(one), len(other))
    return len(one & other) / least if least >= LEAST_PRINTS else 0.0


class SlowError(Exception):
    """Reading a file took too long."""


@dataclass(frozen=True, slots=True)
class SourceToken:
    """A token to compare.

    :param start, end: the token's offsets in the file's text.
    """

    start: int
    end: int
    word: str


def fingerprints_apart(versions: Sequence[Sequence[Path]]) -> list[frozenset[int]]:
    """Return each version's fingerprints. A separate process reads the files, since they are untrusted."""
    return list(map(frozenset, _apart("fingerprints", versions))) if versions else []


def matches_apart(first: Sequence[Path], second: Sequence[Path], template: Sequence[Path]) -> list[list[Parts]]:
    """Run :func:`matches` in a separate process."""
    found: list[list[Parts]] = _apart("matches", [first, second, template])
    return found


def _apart(task: str, versions: Sequence[Sequence[Path]]) -> Any:
    asked = json.dumps([list(map(str, paths)) for paths in versions])
    done = subprocess.run(python_command(__name__, task), input=asked, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    """Run the task named in the first argument on the paths from standard input, and print its result as JSON."""

    def end(*_: object) -> None:
        raise SlowError

    signal.signal(signal.SIGPROF, end)
    versions = [list(map(Path, paths)) for paths in json.load(sys.stdin)]
    if sys.argv[1] == "matches":
        first, second, template = versions
        json.dump(matches(first, second, template, VERSION_SECONDS), sys.stdout)
    else:
        json.dump([list(fingerprints(paths, VERSION_SECONDS)) for paths in versions], sys.stdout)


def fingerprints(paths: Sequence[Path], seconds: float = 0) -> frozenset[int]:
    """Return the fingerprints of source files, skipping those whose language pygments does not know.

    :param seconds: processor time for all files, see :func:`read_tokens`; 0 for no limit.
    """
    found: set[int] = set()
    for tokens in _version_tokens(paths, map(read_source, paths), seconds):
        hashes = _hashes(tokens)
        found |= {min(hashes[start : start + WINDOW]) for start in range(max(0, len(hashes) - WINDOW + 1))}
    return frozenset(found)


def matches(
    first: Sequence[Path], second: Sequence[Path], template: Sequence[Path], seconds: float = 0
) -> list[list[Parts]]:
    """Split each file of two versions into parts, each with the number of its match, or None if it matches nothing.

    Text matches if its run of 20 tokens, as in a fingerprint, is also in the other version, but not in the template.
    Matching parts of both versions share a number, counted from 0 in the order of the first version.
    """
    texts = [[read_source(path)[:MOST_SHOWN] for path in paths] for paths in (first, second, template)]
    versions = zip((first, second, template), texts, strict=True)
    tokens = [list(_version_tokens(paths, each, seconds)) for paths, each in versions]
    hashes = [[_hashes(each) for each in version] for version in tokens]
    known = [{number for each in version for number in each} for version in hashes]
    common = (known[0] & known[1]) - known[2]
    numbers = _block_numbers(hashes[0], common)
    return [
        [_parts(*each, numbers, known[2]) for each in zip(texts[side], tokens[side], hashes[side], strict=True)]
        for side in (0, 1)
    ]


def _block_numbers(files: Sequence[Sequence[int]], common: set[int]) -> dict[int, int]:
    """Return a number for each common hash; consecutive hashes share one."""
    numbers: dict[int, int] = {}
    block = -1
    for hashes in files:
        is_inside = False
        for each in hashes:
            if each in common and each not in numbers:
                block += not is_inside
                numbers[each] = block
            is_inside = each in common
    return numbers


def _parts(
    text: str, tokens: Sequence[SourceToken], hashes: Sequence[int], numbers: Mapping[int, int], template: set[int]
) -> Parts:
    """Split a file's text into parts inside and outside matches; tokens of the template are outside."""
    owners: list[int | None] = [None] * len(tokens)
    for start, each in enumerate(hashes):
        if (number := numbers.get(each)) is not None:
            for place in range(start, start + TOKENS):
                owners[place] = number if owners[place] is None else owners[place]
    for start, each in enumerate(hashes):
        if each in template:
            owners[start : start + TOKENS] = [None] * TOKENS
    parts: Parts = []
    shown = 0
    for number, group in groupby(zip(tokens, owners, strict=True), key=itemgetter(1)):
        if number is not None:
            members = [token for token, _ in group]
            parts += [(text[shown : members[0].start], None), (text[members[0].start : members[-1].end], number)]
            shown = members[-1].end
    return [*parts, (text[shown:], None)]


def _hashes(tokens: Sequence[SourceToken]) -> list[int]:
    words = [token.word for token in tokens]
    return [_hash(words[start : start + TOKENS]) for start in range(len(words) - TOKENS + 1)]


def read_source(path: Path) -> str:
    """Return a file's text with Unix line endings; bytes that are not UTF-8 are replaced.

    Characters that change the text direction are escaped, since they can display code in a misleading order.
    """
    return path.read_text("utf-8", "replace").translate(DIRECTIONS)  # read_text translates line endings


def _version_tokens(paths: Iterable[Path], texts: Iterable[str], seconds: float) -> Iterator[list[SourceToken]]:
    """Yield the tokens of each file of a version."""
    end = time.process_time() + seconds
    for path, text in zip(paths, texts, strict=True):
        yield read_tokens(path.name, text, seconds and max(LEAST_SECONDS, end - time.process_time()))


def read_tokens(name: str, text: str, seconds: float = 0) -> list[SourceToken]:
    """Return the tokens to compare in a file's text, or an empty list if pygments does not know its language.

    :param seconds: processor time after which SIGPROF raises :class:`SlowError`; the tokens read by then are returned.
    """
    found = list[SourceToken]()
    try:
        lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        return found
    with suppress(SlowError):
        signal.setitimer(signal.ITIMER_PROF, seconds)
        for start, kind, value in lexer.get_tokens_unprocessed(text):
            if _counts(kind, value):
                found.append(SourceToken(start, start + len(value), _word(kind, value)))
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found


def _counts(kind: object, text: str) -> bool:
    return not any(kind in each for each in IGNORED) and bool(text.strip())


def _word(kind: object, text: str) -> str:
    """Return a token's text, or a placeholder if it is a name, a number or a string."""
    for each, word in ((Name, "N"), (Number, "1"), (String, "S")):
        if kind in each:
            return word
    return text


def _hash(words: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest())


if __name__ == "__main__":
    main()
