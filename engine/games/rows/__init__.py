"""Games of so many in a row: what ``tictactoe`` and ``connect`` share."""
