"""Every error that a tournament raises on purpose.

A message can be shown to a person as it is::

QuietmoveError
└── TournamentError
    ├── ConfigFileError     a configuration that cannot be played; lists everything that is wrong with it
    ├── StoreError          a file that is not a tournament store, or one that may not be used now
    │   └── MissingStoreError   no file is there
    ├── ClusterError        other machines that cannot play, or that are gone
    ├── RefusedError        what a page may not have, or not now; with the status of HTTP that says so
    └── UnknownFormatError  no format has that name
"""

from __future__ import annotations

from quietmove.engine.common.errors import QuietmoveError


class TournamentError(QuietmoveError):
    """Something about a tournament."""


class ConfigFileError(TournamentError):
    """A configuration that cannot be played; its problems are in the order of the file."""


class StoreError(TournamentError):
    """A file that is not a tournament store, or one that may not be used now."""


class MissingStoreError(StoreError):
    """No file is there."""


class ClusterError(TournamentError):
    """Other machines that cannot play, or that are gone."""


class RefusedError(TournamentError):
    """What a page may not have, or not now.

    :ivar http_status: the status of the answer.
    :ivar headers: further headers of the answer.
    """

    def __init__(self, http_status: int, text: str, retry_after: float = 0) -> None:
        super().__init__(text)
        self.http_status = http_status
        self.headers = {"Retry-After": str(round(retry_after) + 1)} if retry_after else {}


class UnknownFormatError(TournamentError):
    """No format has that name."""
