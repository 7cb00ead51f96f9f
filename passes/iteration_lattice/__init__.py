"""Passes over iteration_lattice, one looplet kind each, and its lowering to loop."""
