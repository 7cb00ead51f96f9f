"""Cleaning up: the same code with less in it."""
