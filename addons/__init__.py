"""Add-ons: each folder can be deleted, and the rest still works."""
