"""The backends that run games on Dask workers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from quietmove.engine.common.origin import install_command
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.backends import GameBackend


def open_cluster(
    cluster: str | None, workers: int | None, concurrency: int | None, notice: Callable[[str], None]
) -> AbstractContextManager[GameBackend]:
    """Return a context manager for the backend selected by ``--cluster`` or ``--workers``.

    :param cluster: the address of a Dask scheduler, or None to start ``workers`` processes on this machine.
    :raises ClusterError: if Dask is not installed, no scheduler answers at the address, or a worker cannot play.
    """
    try:
        from quietmove.addons.cluster.cluster import LocalWorkers, connected

        if workers:
            return nullcontext(LocalWorkers(workers, concurrency))
    except ImportError:
        option = "--workers" if cluster is None else "--cluster"
        raise ClusterError(f"{option} needs Dask and cryptography: {install_command('cluster')}") from None
    return connected(cluster or "", concurrency, notice)
