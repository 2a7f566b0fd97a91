"""``python -m referee`` is ``quietmove-referee``."""

from quietmove.referee.cli import main

if __name__ == "__main__":
    main()
