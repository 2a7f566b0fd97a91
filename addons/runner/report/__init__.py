"""The report on a tournament as one HTML file."""
