"""Test suites: positions whose moves have known values, searched one after another and compared with these values."""
