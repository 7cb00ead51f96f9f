"""Kernels that are called: operands, results, and variants by what they are called with."""
