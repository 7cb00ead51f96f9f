"""The `index_notation` dialect: the computation, without loops."""
