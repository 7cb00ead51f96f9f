"""The level format `compressed`."""
