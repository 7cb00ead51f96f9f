"""What xDSL's `llvm` dialect lacks."""
