"""A statement as several kernels: what is split off, shared, and computed before."""
