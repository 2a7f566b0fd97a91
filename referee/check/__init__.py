"""What an engine is examined for, beyond a game that goes well: a list of examinations for each protocol.

An examination is a function of one module here and a row of its list. A protocol is a module with a
:class:`~quietmove.referee.check.talk.Talk` and a list, and a row of :data:`PROTOCOLS`.
The referee's seat of a protocol is in :mod:`quietmove.referee.seats`, this engine's dialect in
:mod:`quietmove.engine.protocol.dialects`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from quietmove.referee.check import gtp, json_lines, nboard, project, uci
from quietmove.referee.check.talk import Examination, Talk
from quietmove.referee.check.uci import UciTalk

__all__ = ["PROTOCOLS", "Protocol"]


class Protocol(NamedTuple):
    """How engines of a protocol are spoken to, and what they are examined for."""

    talk: type[Talk[Any]]
    examinations: tuple[Examination, ...]


PROTOCOLS = {
    "uci": Protocol(UciTalk, uci.EXAMINATIONS),
    "project": Protocol(project.ProjectTalk, project.EXAMINATIONS),
    "ugi": Protocol(UciTalk, uci.EXAMINATIONS),
    "gtp": Protocol(gtp.GtpTalk, gtp.EXAMINATIONS),
    "nboard": Protocol(nboard.NBoardTalk, nboard.EXAMINATIONS),
    "json": Protocol(json_lines.JsonTalk, json_lines.EXAMINATIONS),
}
