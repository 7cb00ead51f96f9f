"""The level format `interval`."""
