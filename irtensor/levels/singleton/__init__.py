"""The level format `singleton`."""
