"""Small games for teaching search, with the searches for chance and hidden cards."""
