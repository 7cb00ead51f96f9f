"""The `iteration_lattice` dialect: which coordinates are visited."""
