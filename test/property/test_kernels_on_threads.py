"""Kernels over operands in many formats on several threads, in parts as small as they come, against the oracle."""

import random
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from reference.compare_with_oracle import Case, compare_with_oracle
from reference.draw_widths import with_drawn_widths
from small_kernels import KERNELS, LEVELS

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses

pytestmark = pytest.mark.usefixtures("small_parts")


def _random_format(rank: int, choose: random.Random) -> TensorFormat:
    levels = TensorFormat.parse(choose.choice(LEVELS[rank])).levels
    order = choose.choice(list(permutations(range(rank))))
    format = TensorFormat.of([level.format for level in levels], order)
    return with_drawn_widths(format, choose.choice)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel(kernel, monkeypatch):
    notation, stored = KERNELS[kernel]
    choose = random.Random(kernel)
    for threads in (2, 3, 8):
        monkeypatch.setenv("IRTENSOR_NUM_THREADS", str(threads))
        statement = Case(notation, {}).statement()
        ranks = {access.tensor: len(access.indices) for access in accesses(statement.expression)}
        formats = {name: _random_format(rank, choose) if name in stored else None for name, rank in ranks.items()}
        compare_with_oracle(Case(notation, formats), convert=True)


def _power_law(rows: int, columns: int, seed: int) -> sp.csr_array:
    """Some rows with very many entries, many with none."""
    random = np.random.default_rng(seed)
    lengths = np.minimum((random.pareto(0.7, rows) * 2).astype(int), columns // 2)
    row = np.repeat(np.arange(rows), lengths)
    values = random.random(len(row))
    return sp.coo_array((values, (row, random.integers(0, columns, len(row)))), (rows, columns)).tocsr()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("depth", [1, 40, 70])
def test_operands_are_transposed_by_all_threads(threads, depth):
    """Also where tiles are cut off at the ends of rows and columns."""
    A, random = _power_law(300, 130, 4), np.random.default_rng(5)
    C, D = random.random((300, depth)), random.random((depth, 130))
    notation = "S[i,j] = A[i,j] * sum(k, C[i,k] * D[k,j])"
    kernel = it.compile(notation, formats=dict.fromkeys("AS", it.CSR), num_threads=threads, disk_cache=False)
    text = kernel.ir("divide-parallel-loops")
    assert text.count("loop.parallel") == 3, "the copy, and the loops with it and without"
    np.testing.assert_allclose(kernel(A=A, C=C, D=D).to_numpy(), A.toarray() * (C @ D), rtol=1e-12)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_rows_of_very_different_lengths(threads):
    A = _power_law(3000, 2000, 1)
    x, X = np.random.default_rng(2).random(2000), np.random.default_rng(3).random((2000, 9))
    for _ in range(20):
        np.testing.assert_allclose(it.einsum("ij,j->i", A, x, num_threads=threads), A @ x)
    np.testing.assert_allclose(it.einsum("ij,jk->ik", A, X, num_threads=threads), A @ X)
    np.testing.assert_allclose(it.einsum("ij->", A, num_threads=threads), A.sum())
    np.testing.assert_allclose(it.einsum("ij->i", A, num_threads=threads), A.sum(axis=1))


def test_sums_are_the_same_in_every_run():
    """Parts are added in their order, whichever thread has computed them."""
    x = np.random.default_rng(0).random(100_000) * 10.0 ** np.random.default_rng(1).integers(-8, 8, 100_000)
    sums = {float(it.einsum("i,i->", x, x, num_threads=3, deterministic=True)) for _ in range(50)}
    assert len(sums) == 1


def test_sums_keep_the_order_of_the_storage_where_that_is_asked_for():
    x = np.random.default_rng(0).random(10_000) * 10.0 ** np.random.default_rng(1).integers(-8, 8, 10_000)
    one, three = (it.einsum("i,i->", x, x, num_threads=n, strict_fp=True) for n in (1, 3))
    assert one == three


@pytest.mark.parametrize("notation", ["y[i] = A[i,j] * x[j]", "Y[i,k] = A[i,j] * X[j,k]", "s = A[i,j]"])
def test_code_is_parallel_only_for_several_threads(notation):
    one, two = (it.compile(notation, formats={"A": it.CSR}, num_threads=n) for n in (1, 2))
    assert "loop.parallel" not in one.ir("llvm") and "irtensor.run_iterations" not in one.llvm_ir()
    assert "loop.parallel" in two.ir("divide-parallel-loops")
    assert "irtensor-threads" in two.llvm_ir()
