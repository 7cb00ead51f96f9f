"""`explain()`: what the compiler made of a statement, and why."""
