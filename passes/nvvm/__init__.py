"""Passes that make kernels for NVIDIA GPUs of parallel loops."""
