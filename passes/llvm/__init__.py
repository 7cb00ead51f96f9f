"""From the `loop` dialect and upstream scalars to the `llvm` dialect."""
