"""Analyses that several passes share; they read IR and change nothing."""
