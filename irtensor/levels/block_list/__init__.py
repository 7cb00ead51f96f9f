"""The level format `block_list`."""
