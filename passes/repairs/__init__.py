"""Repairs of statements that could not be lowered as they are: conversions and workspaces."""
