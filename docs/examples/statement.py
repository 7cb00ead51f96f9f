"""Lazy expressions: a scaled sum of sparse matrices, stored sparse."""

import numpy as np

import irtensor as it

i, j = it.indices("i j")
A = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), it.CSR)
B = it.Tensor.from_numpy(np.eye(3, k=1), it.CSR)
C = it.tensor_variable("C", 2)
C[i, j] = 2 * A[i, j] + B[i, j]  # nothing is computed yet
print(C.evaluate(format=it.CSR).to_numpy())
