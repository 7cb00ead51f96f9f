"""The level format `hashed`."""
