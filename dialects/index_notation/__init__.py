"""The `index_notation` dialect: what is computed."""
