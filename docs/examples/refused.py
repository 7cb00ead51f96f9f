"""The README's error message: two storage orders that no order of the loops suits."""

import scipy.sparse as sp

import irtensor as it

A = sp.eye_array(3, format="csr")
it.einsum("ij,ji->ij", A, A, format=it.CSR, convert=False)
