"""The `loop` dialect: imperative loops over typed buffers."""
