"""Games of N in a row: what ``tictactoe`` and ``connect`` share."""
