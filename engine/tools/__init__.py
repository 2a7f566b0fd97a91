"""What is built on the engine: training, measuring, explaining. Nothing behind the protocol imports it."""
