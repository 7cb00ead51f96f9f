"""Passes over concrete_index, and its lowering to iteration_lattice."""
