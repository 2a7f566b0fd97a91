"""What the engine, the referee and the tournament stand on; it imports nothing of ours."""

VERSION = "1.0.0"
