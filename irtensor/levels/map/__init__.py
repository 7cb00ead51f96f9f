"""The level format `map` of workspaces."""
