"""What is built on the engine: training, measuring, explaining. The protocol imports none of it."""
