"""The level format `offset`."""
