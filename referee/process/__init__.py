"""Engine processes: starting, sandboxing, reading and ending them."""
