"""Reviews of games, which compare each move with the best one."""
