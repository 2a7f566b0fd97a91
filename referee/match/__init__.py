"""Games in pairs between two engines, several at once, and their score."""
