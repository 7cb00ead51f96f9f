"""The `concrete_index` dialect: how it is computed, as loops over index variables."""
