"""Test suites: positions with known move values, searched one by one and compared with these values."""
