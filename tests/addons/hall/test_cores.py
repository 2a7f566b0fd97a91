"""A class's ladder and its final share the processors of the machine."""

from __future__ import annotations

import os
import sys
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue

from quietmove.addons.hall.cores import Cores
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import local_pool
from tests.fakes.processes import WAIT


def test_both_engines_of_a_game_share_the_processor_that_it_has(tmp_path: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))
    script = tmp_path / "engine.py"
    script.write_text(
        "import os, sys\n"
        f"open({str(tmp_path / 'seen')!r}, 'a').write(f'{{sorted(os.sched_getaffinity(0))}}\\n')\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'quietmove'])\n"
    )
    players = [EngineConfig(name, (sys.executable, str(script)), limit=TimeControl(depth=1)) for name in "ab"]
    ours, others = Cores(tmp_path, cores), Cores(tmp_path, cores, from_below=True)
    with local_pool(len(cores), ours) as pool:
        assert pool.resized is not None
        assert pool.resized() == len(cores)
        ended: SimpleQueue[Future[GameRecord]] = SimpleQueue()
        pool.begin(GameSpec("othello", (), *players), (), ()).add_done_callback(ended.put)
        # result() could return before the pool's own callback has released the processor
        assert ended.get(timeout=WAIT).result().spec.black.cpus == ()
        with others.leased() as core:
            assert core == cores[0]
            assert pool.resized() == max(1, len(cores) - 1)
        assert pool.resized() == len(cores)
    assert (tmp_path / "seen").read_text() == f"[{cores[-1]}]\n" * 2
