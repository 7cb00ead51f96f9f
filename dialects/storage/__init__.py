"""The `storage` dialect: how tensors are stored."""
