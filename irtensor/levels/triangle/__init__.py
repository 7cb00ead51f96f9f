"""The level format `triangle`."""
