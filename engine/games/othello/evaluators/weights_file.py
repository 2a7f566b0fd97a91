"""Code shared by all kinds of weights files: detecting their type, and loading them on demand during a search."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import cython

from quietmove.engine.errors import WeightsError
from quietmove.engine.files import open_regular, read_bytes

FILES_KEPT = 4  # cache size; a file takes up to 29 MB of memory
MAGICS = {"learnt": b"QMWEIGHT", "network": b"QMNETWRK"}  # the first bytes of each evaluator's weights files


class WeightsFile:
    """The weights in a file with ``parts`` parts, each loaded when the first position that needs it is evaluated."""

    def __init__(self, path: str, parts: int) -> None:
        self.path = path
        self.parts = parts
        self.failure: BaseException | None = None
        self.loading = threading.Lock()  # two threads may request a part at the same time

    def load(self, part: cython.int) -> None:
        """Load a part; if that fails, :meth:`check` raises the error."""
        with cython.gil:
            try:
                if self.failure is None:
                    self.unpack(part)
            except BaseException as error:  # nothing can be raised here, not even KeyboardInterrupt
                self.failure = error

    def unpack(self, part: cython.int) -> None:
        """Load a part unless it is loaded already. Thread-safe.

        :raises WeightsError: if the file cannot be read or is invalid.
        """
        raise NotImplementedError

    def unpack_all(self) -> None:
        """Load all parts.

        :raises WeightsError: as :meth:`unpack`.
        """
        for part in range(self.parts):
            self.unpack(part)

    def check(self) -> None:
        """Raise the error if a part could not be loaded. Loading is retried when the part is needed again.

        :raises WeightsError: that error.
        """
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


Kind = TypeVar("Kind", bound=WeightsFile)


@lru_cache(maxsize=FILES_KEPT)
def weights_of(kind: Callable[[str], Kind], path: str) -> Kind:
    """Return the weights in a file. The most recently used files are cached.

    :param kind: the class of the weights.
    :raises WeightsError: if the file cannot be read or is invalid.
    """
    weights = kind(path)
    weights.unpack_all()
    return weights


def contents_of(path: str, kind: str) -> bytes:
    """Return the contents of a weights file after checking only that it starts with the magic number of ``kind``.

    :raises WeightsError: if the file cannot be read, or does not start with that number.
    """
    try:
        data = read_bytes(path)
    except OSError as error:
        raise WeightsError(f"weights: {path}: {error.strerror}") from None
    if not data.startswith(MAGICS[kind]):
        raise WeightsError(f"weights: {path} is not a weights file")
    return data


def kind_of(path: str) -> str:
    """Return the name of the evaluator for a weights file, or "" if the file is unreadable or of unknown type."""
    try:
        with open_regular(path) as file:
            begin = file.read(8)
    except OSError:
        return ""
    return next((name for name, magic in MAGICS.items() if begin == magic), "")
