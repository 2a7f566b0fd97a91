"""Fixtures shared with the tests of the core's dialects."""

from tests.dialogue.engine.protocol.conftest import pipes as pipes
from tests.dialogue.engine.protocol.test_no_threads import allow as allow
