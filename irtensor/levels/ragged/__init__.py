"""The level format `ragged`."""
