# fitting.py declares its own types; this file marks it as compiled (scripts/manifest.py).
cdef enum:
    FEATURES = 67
