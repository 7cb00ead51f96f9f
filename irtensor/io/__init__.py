"""Reading and writing tensors: Matrix Market (.mtx) and FROSTT (.tns), plain or gzip-compressed."""

from irtensor.io.tensor_files import read, write

__all__ = ["read", "write"]
