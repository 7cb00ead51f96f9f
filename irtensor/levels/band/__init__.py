"""The level format `band`."""
