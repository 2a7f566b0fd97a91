"""``python -m quietmove`` is ``quietmove``."""

import sys

from quietmove.cli import main

if __name__ == "__main__":
    sys.exit(main())
