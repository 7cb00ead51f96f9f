"""Tensor storage: building, reading, converting and checking the arrays of each level, in vectorised NumPy."""
