# fitting.py declares its own types: this file says that it is compiled (scripts/manifest.py).
cdef enum:
    FEATURES = 67
