"""Games looked over move by move: what was played beside what would have been best."""
