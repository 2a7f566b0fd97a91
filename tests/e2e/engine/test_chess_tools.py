"""What testing tools made for chess send to an engine: clocks of either colour, a chess position, limits of each kind.

The order of requests is that of the compliance run of a common tournament program: after each `go` it reads on to
`bestmove`, and then looks at the last `info` line, which must be a report with a score.
"""

from __future__ import annotations

import re
from typing import Any

CHESS_WHITE = "position fen 3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
CHESS_BLACK = "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
REPORT = re.compile(
    r"info depth \d+ seldepth \d+ multipv 1( confidence \d+)? score (cp -?\d+|win \d+|loss \d+)"
    r"( lowerbound| upperbound)? "
    r"nodes \d+ nps \d+ hashfull \d+ time \d+ pv .+"
)
BOTH = "wtime 100 winc 100 btime 100 binc 100"


def test_a_compliance_run_is_passed(engine: Any) -> None:
    position = "position startpos moves f5"
    engine.answers("uci", "uciok")
    assert {line.split()[1] for line in engine.skipped if line.startswith("id ")} == {"name", "author"}
    engine.send("ucinewgame", position)
    engine.say_nothing()
    engine.answers(CHESS_WHITE, "info string error: position: .*")
    for request in (
        "go wtime 100",
        CHESS_BLACK,
        "go btime 100",
        f"go {BOTH}",
        "go btime 100 binc 100 wtime 100 winc 100",
        position,
        "go depth 4",
        "go nodes 500",
        "go movetime 20",
    ):
        if request.startswith("position"):
            engine.send(request)
            continue
        engine.answers(request, r"bestmove (\d \d|pass)( ponder (\d \d|pass))?")
        assert REPORT.fullmatch([line for line in engine.skipped if line.startswith("info")][-1])
        engine.say_nothing()
    assert engine.end() == ([], 0)
