# The types are declared in symmetry.py. This file defines its constants, and marks it as compiled (scripts/manifest.py).
cpdef enum:
    IMAGES = 8
    KEY_BITS = 56  # SQLite stores numbers of this size in eight bytes, larger ones in nine
    MAX_DISCS = 44  # maximum number of discs in a recorded position: after 40 moves
    NO_MOVE = 27  # d4, which is occupied from the start, marks the end of a game
