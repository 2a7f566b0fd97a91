"""What an engine is examined for, beyond a game that goes well: a list of examinations for each protocol.

An examination is a function of one module here and a row of its list. A protocol is a module with a
:class:`~quietmove.referee.check.talk.Talk` and a list, and a row of :data:`PROTOCOLS`.
The referee's seat of a protocol is in :mod:`quietmove.referee.seats`, this engine's dialect in
:mod:`quietmove.engine.protocol.dialects`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quietmove.referee.check import gtp, nboard, project, uci
from quietmove.referee.check.examination import Examination
from quietmove.referee.check.gtp import GtpTalk
from quietmove.referee.check.nboard import NBoardTalk
from quietmove.referee.check.project import ProjectTalk
from quietmove.referee.check.subject import Subject
from quietmove.referee.check.talk import Talk
from quietmove.referee.check.uci_talk import UciTalk

__all__ = ["PROTOCOLS", "Protocol"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How engines of a protocol are spoken to, and what they are examined for."""

    open_talk: Callable[[Subject], Talk[Any]]
    examinations: tuple[Examination, ...]


PROTOCOLS = {
    "uci": Protocol(UciTalk, uci.EXAMINATIONS),
    "project": Protocol(ProjectTalk, project.EXAMINATIONS),
    "ugi": Protocol(UciTalk, uci.EXAMINATIONS),
    "gtp": Protocol(GtpTalk, gtp.EXAMINATIONS),
    "nboard": Protocol(NBoardTalk, nboard.EXAMINATIONS),
}
