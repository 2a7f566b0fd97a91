"""The base layer of the engine, the referee and the tournament. It imports no other part of Quietmove."""

VERSION = "1.0.0"
