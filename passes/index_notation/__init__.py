"""Passes over index_notation, and its lowering to concrete_index."""
