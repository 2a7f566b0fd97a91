"""Reviews of games, move by move: each move compared with the best one."""
