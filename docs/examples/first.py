"""The README's first example: a sparse matrix of an elastic bar times a vector."""

import numpy as np
import pyamg.gallery

import irtensor as it

A = pyamg.gallery.load_example("bar")["A"]  # a stiffness matrix: 600 x 600, 23,402 stored, SciPy's CSC
x = np.ones(600)
y = it.einsum("ij,j->i", A, x)  # compiled to native code for this format, then called
print(y[:4], abs(y - A @ x).max())
