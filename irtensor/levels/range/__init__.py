"""The level format `range`."""
