"""Neighbours: arrays of other libraries as tensors and back, one library per file."""
