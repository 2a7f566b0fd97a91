"""Engines as processes: started, confined, listened to and ended."""
