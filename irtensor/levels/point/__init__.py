"""The level format `point`."""
