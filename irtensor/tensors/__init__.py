"""Tensors: a shape, a format and arrays, with NumPy's operators, names and methods."""
