"""Training of evaluation weights, and calibration."""
