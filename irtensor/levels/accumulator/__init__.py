"""The level format `accumulator` of workspaces."""
