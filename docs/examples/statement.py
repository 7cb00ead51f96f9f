"""Lazy expressions: a sum of sparse matrices, and a min-plus product."""

import numpy as np

import irtensor as it

i, j, k = it.indices("i j k")
A = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), it.CSR)
B = it.Tensor.from_numpy(np.eye(3, k=1), it.CSR)
C = it.tensor_variable("C", 2)
C[i, j] = 2 * A[i, j] + B[i, j]
print(C.evaluate(format=it.CSR).to_numpy())
