"""The owner's routes of the tournaments page: the register of engines, and the queue of runs.

An engine's command can run any code, so these routes require the token of a server that only this machine can reach.
"""

from __future__ import annotations

import os

from quietmove.addons.runner.engine_admin import EngineAdmin
from quietmove.addons.runner.run_queue import RunQueue
from quietmove.addons.runner.watch.pages import tournament_pages
from quietmove.addons.web.pages import AddedPages, PageServer


def run_admin_pages(server: PageServer) -> AddedPages:
    """Return the tournaments page with the owner's controls, for the first writable folder among the stores."""
    stores = server.stores
    folder = next((place.absolute() for place in stores if place.is_dir() and os.access(place, os.W_OK)), None)
    if folder is None:
        return tournament_pages(stores)
    queue = RunQueue(folder)
    return tournament_pages(stores, [*EngineAdmin(folder).rows(), *queue.rows()], queue.runs.keep_going)
