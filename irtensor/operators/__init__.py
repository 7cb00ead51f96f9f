"""Operators, by families: of each its algebra, what it computes of each kind of number, and its meaning in NumPy."""
