"""A statement as several kernels: parts that are split off, shared, and computed before."""
