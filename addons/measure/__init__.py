"""An add-on: test suites, and the throughput of the referee and the tournament."""
