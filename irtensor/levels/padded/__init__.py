"""The level format `padded`."""
