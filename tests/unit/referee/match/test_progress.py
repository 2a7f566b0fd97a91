from __future__ import annotations

import pytest

from quietmove.referee.match.output import Progress


def test_the_speed_is_that_of_this_run() -> None:
    now = [50.0]
    progress = Progress(10, 30, lambda: now[0])
    assert (progress.count_text(), progress.times()) == ("10 of 30 games", "0:00 elapsed")
    for _ in range(5):
        progress.add()
    now[0] = 52.0
    assert progress.games_per_second == 2.5
    assert progress.times() == "2.5 games/s, 0:02 elapsed, about 0:06 left"
    now[0] = 150.0
    assert progress.times() == "20 s/game, 1:40 elapsed, about 5:00 left"
    progress.total = None  # as in a test whose length depends on the results
    assert (progress.count_text(), progress.times()) == ("15 games", "20 s/game, 1:40 elapsed")


@pytest.mark.parametrize(
    ("total", "parts"),
    [
        (19, []),
        (20, [2, 4, 6, 8, 10, 12, 14, 16, 18]),
        (25, [3, 5, 8, 10, 13, 15, 18, 20, 23]),
        (None, [100, 200]),
    ],
)
def test_a_log_says_how_it_stands_after_each_part(total: int | None, parts: list[int]) -> None:
    progress = Progress(0, total)
    assert [games for games in range(1, (total or 250) + 1) if progress.add()] == parts
