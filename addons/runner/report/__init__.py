"""A tournament report as one HTML file."""
