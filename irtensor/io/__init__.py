"""Tensors in files: Matrix Market (.mtx), FROSTT (.tns), Rutherford-Boeing (.rb, only read), SciPy's .npz."""

from irtensor.io.tensor_files import read, write

__all__ = ["read", "write"]
