"""An add-on with test suites, and with benchmarks of the referee's and the tournament's throughput."""
