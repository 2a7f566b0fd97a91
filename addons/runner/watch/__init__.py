"""The tournaments pages of ``quietmove-referee serve``, for running and finished tournaments."""
