"""The exceptions of tournaments. Their messages can be shown to users as they are.

::

    QuietmoveError
    └── TournamentError
        ├── ConfigFileError     a configuration is invalid; lists every problem
        ├── StoreError          a file is not a tournament store, or cannot be used now
        │   └── MissingStoreError   the store does not exist
        ├── ClusterError        machines of a cluster are missing or cannot play
        ├── RefusedError        a page's request is not allowed, or not at this time; has an HTTP status
        └── UnknownFormatError  the format does not exist
"""

from __future__ import annotations

from quietmove.engine.common.errors import QuietmoveError


class TournamentError(QuietmoveError):
    """The base class of tournament errors."""


class ConfigFileError(TournamentError):
    """The configuration is invalid; its ``problems`` are in file order."""


class StoreError(TournamentError):
    """The file is not a tournament store, or cannot be used now."""


class MissingStoreError(StoreError):
    """The store does not exist."""


class ClusterError(TournamentError):
    """Machines of a cluster are missing or cannot play."""


class RefusedError(TournamentError):
    """A page's request is not allowed, or not at this time.

    :ivar http_status: the HTTP status of the response.
    :ivar headers: more headers for the response.
    """

    def __init__(self, http_status: int, text: str, retry_after: float = 0) -> None:
        super().__init__(text)
        self.http_status = http_status
        self.headers = {"Retry-After": str(round(retry_after) + 1)} if retry_after else {}


class UnknownFormatError(TournamentError):
    """The format does not exist."""
