"""Front end: notation, einsum and expressions to index notation."""
