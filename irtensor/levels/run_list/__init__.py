"""The level format `run_list`."""
