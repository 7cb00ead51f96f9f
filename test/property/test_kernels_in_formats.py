"""The kernels of Kjolstad 2020 over operands in many formats and storage orders, against the oracle.

Blocks (K50) are in test_blocked_formats.py.
"""

import random
from itertools import permutations, product

import numpy as np
import pytest
from reference.compare_with_oracle import Case, compare_with_oracle
from reference.draw_widths import with_drawn_widths

from irtensor.api.einsum import einsum
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.named_formats import COO, CSF
from irtensor.tensors.tensor import Tensor

LEVELS = {
    1: ("dense", "compressed", "bitmap"),
    2: (
        *("dense, compressed", "compressed, compressed", "compressed(nonunique), singleton", "dense, dense"),
        *("dense, bitmap", "bitmap, compressed", "dense, padded"),
    ),
    3: (
        "compressed, compressed, compressed",
        "dense, compressed, compressed",
        "dense, dense, compressed",
        "compressed(nonunique), singleton(nonunique), singleton",
        "compressed, compressed, dense",
        "compressed, bitmap, compressed",
    ),
}
# Statements, and the tensors that are sparse in at least one level; the others are arrays.
KERNELS = {
    "K1-K6 matrix-vector": ("y[i] = B[i,j] * c[j]", "B c"),
    "K1-K6 transposed": ("y[j] = B[i,j] * c[i]", "B c"),
    "K4 sparse result": ("y[i] = B[i,j] * c[j]", "B c y"),
    "K7, K8 matrix-matrix": ("A[i,j] = B[i,k] * C[k,j]", "B C"),
    "K10 add": ("A[i,j] = B[i,j] + C[i,j]", "A B C"),
    "K11 multiply": ("A[i,j] = B[i,j] * C[i,j]", "A B C"),
    "K12 add transposed": ("A[i,j] = B[i,j] + C[j,i]", "A B C"),
    "K13 masked sum": ("A[i,j] = (B[i,j] + C[j,i]) * D[i,j]", "A B C D"),
    "K14 residual": ("r[i] = b[i] - A[i,j] * x[j]", "A b x"),
    "K15 plus vector": ("a[i] = B[i,j] * c[j] + d[i]", "B d"),
    "K18 sum times dense": ("A[i,j] = sum(k, (B[i,k] + C[i,k]) * D[k,j])", "B C"),
    "K20 SDDMM": ("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", "A B"),
    "K21 TTTP": ("A[i,j,l] = B[i,j,l] * sum(k, C[i,k] * D[j,k] * E[l,k])", "A B"),
    "K22 masked SpMV": ("a[i] = b[i] * sum(j, C[i,j] * d[j])", "a b C d"),
    "K23 triangles": ("A[i,j] = B[i,j] * sum(k, L[i,k] * U[k,j])", "A B L U"),
    "K24 trace": ("s = A[i,j] * B[j,k] * C[k,i]", "A B C"),
    "K30 TTM": ("A[i,j,l] = B[i,j,k] * C[k,l]", "A B"),
    "K31 TTV": ("A[i,j] = B[i,j,k] * c[k]", "A B c"),
    "K32 tensor add": ("A[i,j,k] = B[i,j,k] + C[i,j,k]", "A B C"),
    "K33 MTTKRP": ("A[i,j] = B[i,k,l] * C[k,j] * D[l,j]", "B"),
}
ROUNDS = 8


def _random_format(rank: int, random: random.Random) -> TensorFormat | None:
    if rank == 0:
        return None
    levels = TensorFormat.parse(random.choice(LEVELS[rank])).levels
    order = random.choice(list(permutations(range(rank))))
    format = TensorFormat.of([level.format for level in levels], order)
    return with_drawn_widths(format, random.choice)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel(kernel):
    notation, sparse = KERNELS[kernel]
    choose = random.Random(kernel)
    for _ in range(ROUNDS):
        statement = Case(notation, {}).statement()
        ranks = {access.tensor: len(access.indices) for access in (*accesses(statement.expression), statement.target)}
        formats = {name: _random_format(rank, choose) if name in sparse else None for name, rank in ranks.items()}
        result = formats.pop(statement.target.tensor)
        compare_with_oracle(Case(notation, formats, result), convert=True)


def test_contraction_of_two_tensors_of_order_four():
    """K25, over six index variables."""
    random = np.random.default_rng(4)
    a, b = (random.integers(-3, 4, shape).astype(float) for shape in ((2, 3, 4, 2), (3, 3, 2, 2)))
    a[random.random(a.shape) < 0.6] = 0
    for left, right in product((None, CSF(4), CSF(4, [2, 0, 3, 1]), COO(4)), (None, CSF(4))):
        operands = [x if format is None else Tensor.from_numpy(x, format) for x, format in ((a, left), (b, right))]
        for subscripts in ("ipkq,jplq->ijkl", "ipkq,jplq->lkji"):
            np.testing.assert_array_equal(
                einsum(subscripts, *operands, deterministic=True), np.einsum(subscripts, a, b)
            )
