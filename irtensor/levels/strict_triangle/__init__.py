"""The level format `strict_triangle`."""
