"""What the files of weights have in common: how their kind is told, and how one is read while a search runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import cython

from quietmove.engine.errors import WeightsError
from quietmove.engine.files import open_regular, read_bytes

FILES_KEPT = 4  # the weights read last stay in memory; one file takes up to 29 MB
MAGICS = {"learnt": b"QMWEIGHT", "network": b"QMNETWRK"}  # the first bytes of the weights that an evaluator reads


class WeightsFile:
    """The weights of one file, of which a part is read when the first position that needs it is evaluated.

    :param parts: how many the file has.
    """

    def __init__(self, path: str, parts: int) -> None:
        self.path = path
        self.parts = parts
        self.failure: BaseException | None = None
        self.loading = threading.Lock()  # two threads may need a part at the same time

    def load(self, part: cython.int) -> None:
        """Make a part ready; if that fails, :meth:`check` raises the reason."""
        with cython.gil:
            try:
                if self.failure is None:
                    self.unpack(part)
            except BaseException as error:  # nothing can be raised from here, not even an interrupt
                self.failure = error

    def unpack(self, part: cython.int) -> None:
        """Make a part ready, unless it is; from any thread.

        :raises WeightsError: if the file cannot be read or is not what it must be.
        """
        raise NotImplementedError

    def unpack_all(self) -> None:
        """Make every part ready.

        :raises WeightsError: as :meth:`unpack`.
        """
        for part in range(self.parts):
            self.unpack(part)

    def check(self) -> None:
        """Raise why a part could not be loaded, if one could not; it is tried anew when it is next needed.

        :raises WeightsError: that reason.
        """
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


Kind = TypeVar("Kind", bound=WeightsFile)


@lru_cache(maxsize=FILES_KEPT)
def weights_of(kind: Callable[[str], Kind], path: str) -> Kind:
    """Return the weights of a file, read now, or kept from one of the last times.

    :param kind: the class of the weights.
    :raises WeightsError: if it cannot be read, or is not what it must be.
    """
    weights = kind(path)
    weights.unpack_all()
    return weights


def contents_of(path: str, kind: str) -> bytes:
    """Return the bytes of a file of weights; that they begin as one of ``kind`` is all that is known of them.

    :raises WeightsError: if it cannot be read, or begins otherwise.
    """
    try:
        data = read_bytes(path)
    except OSError as error:
        raise WeightsError(f"weights: {path}: {error.strerror}") from None
    if not data.startswith(MAGICS[kind]):
        raise WeightsError(f"weights: {path} is no file of weights")
    return data


def kind_of(path: str) -> str:
    """Return which evaluator reads a file of weights, "" where the file is of no kind or cannot be read."""
    try:
        with open_regular(path) as file:
            begin = file.read(8)
    except OSError:
        return ""
    return next((name for name, magic in MAGICS.items() if begin == magic), "")
