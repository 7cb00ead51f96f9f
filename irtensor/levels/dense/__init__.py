"""The level format `dense`."""
