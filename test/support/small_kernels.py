"""Statements of few loops, and formats of few levels, that tests of threads and of GPUs run."""

LEVELS = {
    1: ("dense", "compressed"),
    2: ("dense, compressed", "compressed, compressed", "compressed(nonunique), singleton", "dense, dense"),
    3: ("compressed, compressed, compressed", "dense, compressed, compressed", "compressed, compressed, dense"),
}
# Statements, and the operands that are stored in a format.
KERNELS = {
    "SpMV": ("y[i] = B[i,j] * c[j]", "B"),
    "SpMV, sparse vector": ("y[i] = B[i,j] * c[j]", "B c"),
    "SpMV transposed": ("y[j] = B[i,j] * c[i]", "B"),
    "SpMM": ("A[i,j] = B[i,k] * C[k,j]", "B"),
    "SpGEMM, dense result": ("A[i,j] = B[i,k] * C[k,j]", "B C"),
    "SDDMM": ("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", "B"),
    "MTTKRP": ("A[i,j] = B[i,k,l] * C[k,j] * D[l,j]", "B"),
    "TTV": ("A[i,j] = B[i,j,k] * c[k]", "B"),
    "TTM": ("A[i,j,l] = B[i,j,k] * C[k,l]", "B"),
    "sum of sparse": ("A[i,j] = B[i,j] + C[i,j]", "B C"),
    "product": ("A[i,j] = B[i,j] * C[i,j]", "B C"),
    "residual": ("r[i] = b[i] - A[i,j] * x[j]", "A"),
    "all entries": ("s = B[i,j]", "B"),
    "inner product": ("s = B[i,j] * C[i,j]", "B C"),
    "dense inner product": ("s = B[i,j] * C[i,j]", ""),
    "greatest of rows": ("y[i] max= B[i,j]", "B"),
    "product of all": ("s *= B[i,j]", "B"),
    "column sums": ("y[j] = B[i,j]", "B"),
    "two terms": ("y[i] = B[i,j] * c[j] + D[i,k] * e[k]", "B D"),
    "dense": ("A[i,j] = B[i,j] * c[j] + C[i,j]", ""),
    "vectors": ("y[i] = b[i] + c[i]", "b c"),
}
