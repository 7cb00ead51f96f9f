"""The `nvvm` dialect: kernels for GPUs of NVIDIA."""
