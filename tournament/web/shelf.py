"""The stores that a server may show: those that were named at its start, and the ones in folders that were."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from quietmove.engine.printable import explain, printable
from quietmove.tournament.errors import StoreError

__all__ = ["MOST_STORES", "Shelf"]

ENDING = ".sqlite"
MOST_STORES = 500  # that are listed
DIGEST_BYTES = 6


class Shelf:
    """Stores by a short name for addresses, which follows from the path: the same at the next start.

    :param places: files, and folders whose files are shown if they end in ``.sqlite``.
    """

    def __init__(self, places: Sequence[Path]) -> None:
        self.places = tuple(places)

    def stores(self) -> dict[str, Path]:
        """Return all stores that there are now.

        :raises StoreError: if a folder cannot be read.
        """
        found = list(dict.fromkeys(path for place in self.places for path in _stores_at(place)))
        return {_short_name(path): path for path in found[:MOST_STORES]}

    def path(self, name: str) -> Path:
        """Return the store with the short name ``name``.

        :raises StoreError: if there is none, any more.
        """
        path = self.stores().get(name)
        if path is None:
            raise StoreError(f"store: there is none called {printable(name, 60)!r} here; it may have been deleted")
        return path


def _stores_at(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    try:
        yield from sorted(path for path in place.iterdir() if path.suffix == ENDING)
    except OSError as error:
        raise StoreError(f"store: {explain(error)}") from None


def _short_name(path: Path) -> str:
    return hashlib.blake2b(bytes(path.absolute()), digest_size=DIGEST_BYTES).hexdigest()
