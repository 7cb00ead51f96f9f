"""The level format `bitmap`."""
