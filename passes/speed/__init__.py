"""Loops in forms that a processor runs faster."""
