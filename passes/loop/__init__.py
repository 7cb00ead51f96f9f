"""Passes that end in the `loop` dialect or stay inside it."""
