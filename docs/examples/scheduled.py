"""A product of sparse matrices whose workspace is asked for."""

import scipy.sparse

import irtensor as it

schedule = it.schedule().reorder("i", "k", "j").precompute("B[i,k] * C[k,j]", over="j")
product = it.compile("A[i,j] = B[i,k] * C[k,j]", formats={"A": it.CSR}, schedule=schedule)
B = C = scipy.sparse.eye_array(4, format="csr")
print(product(B=B, C=C).nnz, "entries by", schedule)
print(product.explain().partition("\n\nstages")[0].partition("loops\n")[2].rstrip())
