"""Kernels whose loops run on a GPU."""
