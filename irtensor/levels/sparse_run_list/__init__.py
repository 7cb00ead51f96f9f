"""The level format `sparse_run_list`."""
