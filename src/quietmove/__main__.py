"""``python -m quietmove`` runs ``quietmove``."""

import sys

from quietmove.cli import main

if __name__ == "__main__":
    sys.exit(main())
