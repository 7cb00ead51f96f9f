"""Chooses which loops a kernel has. The only entry is `planner.py`, where other planners can be set."""
