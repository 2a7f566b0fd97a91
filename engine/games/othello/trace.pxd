# trace.py declares its own types: this file says that it is compiled (scripts/manifest.py).
cpdef enum:
    IMAGES = 8
    KEY_BITS = 56  # SQLite stores such a number in eight bytes, a longer one in nine
    MOST_DISCS = 44  # positions are kept up to so many discs: after 40 moves
    NO_MOVE = 27  # d4, where no game has a move, stands for the end of a game
