"""Loops on the threads of a CPU."""
