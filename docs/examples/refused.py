"""The README's error message: a result that would be scattered into."""

import scipy.sparse as sp

import irtensor as it

A = sp.eye_array(3, format="csr")
it.einsum("ik,kj->ij", A, A, format=it.CSR)
