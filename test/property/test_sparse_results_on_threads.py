"""Sparse results of several threads are those of one, bit for bit, whatever the operands; without a schedule."""

import os
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler.explain.final_plan import FinalPlan
from irtensor.compiler.explain.threads import loops_on_threads
from irtensor.options import current_options
from irtensor.runtime.disk_cache import decode

pytestmark = pytest.mark.usefixtures("small_parts")

CSR, DCSR, CSC, COO = it.CSR, it.DCSR, it.CSC, it.COO(2)
CSF, DEEP, COO3 = it.CSF(3), it.Format("dense, compressed, compressed"), it.COO(3)
LIST = it.Format("compressed")
# Notation, formats, and what NumPy says of dense operands.
STATEMENTS: dict[str, Any] = {
    "C[i,j] = 2 * A[i,j]": [((CSR, CSR), (DCSR, CSR), (CSC, CSC), (COO, CSR), (COO, COO)), lambda a: 2 * a],
    "C[i,j] = A[i,j] + B[i,j]": [
        (
            *((CSR, CSR, CSR), (CSR, DCSR, CSR), (DCSR, DCSR, DCSR), (DCSR, DCSR, CSR), (COO, COO, COO)),
            *((COO, COO, CSR), (COO, DCSR, DCSR), (CSR, COO, CSR), (CSC, CSC, CSC)),
        ),
        lambda a, b: a + b,
    ],
    "C[i,j] = A[i,j] * B[i,j]": [
        ((CSR, CSR, CSR), (CSR, DCSR, DCSR), (CSR, COO, COO), (DCSR, DCSR, DCSR), (COO, COO, COO), (DCSR, COO, CSR)),
        lambda a, b: a * b,
    ],
    "C[i,j] = A[i,j] * B[i,j] + D[i,j]": [((DCSR,) * 4, (DCSR, COO, DCSR, COO)), lambda a, b, d: a * b + d],
    "C[i,j] = A[i,k] * B[k,j] + D[i,j]": [((DCSR,) * 4, (DCSR, CSR, COO, CSR)), lambda a, b, d: a @ b + d],
    "C[i,j] = A[i,k] * B[k,j] + D[i,k] * E[k,j]": [((DCSR,) * 5,), lambda a, b, d, e: a @ b + d @ e],
    "c[i] = a[i] + b[i]": [((LIST,) * 3,), lambda a, b: a + b],
    "C[i,j,k] = A[i,j,k] + B[i,j,k]": [((CSF,) * 3, (COO3,) * 3, (CSF, COO3, DEEP)), lambda a, b: a + b],
    "C[i,j,k] = A[i,j,k] * B[i,j,k]": [((CSF,) * 3, (COO3,) * 3), lambda a, b: a * b],
    "C[i,j] = A[i,k] * B[k,j]": [
        ((CSR, CSR, CSR), (DCSR, DCSR, DCSR), (CSC, CSR, CSR), (CSC, CSC, DCSR)),
        lambda a, b: a @ b,
    ],
    "C[i,j] = A[i,j] + B[i,j] + D[i,j] + E[i,j] + F[i,j]": [
        ((CSR,) * 6, (DCSR,) * 6),
        lambda a, b, d, e, f: a + b + d + e + f,
    ],
    "C[i,j] = A[j,i]": [((CSR, CSR), (DCSR, CSR)), lambda a: a.T],
    "C[i,j] = A[i,j] * D[i,k] * E[j,k]": [((CSR, None, None, CSR),), lambda a, d, e: a * (d @ e.T)],
    "C[i,j] = T[i,j,k] * x[k]": [((CSF, None, CSR), (DEEP, None, DCSR)), lambda t, x: t @ x],
    "C[i,j,l] = T[i,j,k] * B[k,l]": [((CSF, CSR, CSF), (DEEP, None, DEEP)), lambda t, b: t @ b],
    "C[i,r] = T[i,j,k] * D[j,r] * E[k,r]": [
        ((CSF, CSR, CSR, CSR), (DEEP, None, None, CSR)),
        lambda t, d, e: np.einsum("ijk,jr,kr->ir", t, d, e),
    ],
}
CASES = [(notation, formats) for notation, (choices, _) in STATEMENTS.items() for formats in choices]
# No rows, no columns, one row, fewer rows than threads, more.
EXTENTS = ((0, 3), (3, 0), (1, 4), (3, 5), (17, 6))


def _operands(notation, rows, columns, density):
    """Dense operands by name: index i runs over the rows, all others over the columns."""
    random = np.random.default_rng(rows + columns)
    found = {}
    for name, indices in re.findall(r"(\w)\[([^]]*)\]", notation.partition("=")[2]):
        shape = tuple(rows if index == "i" else columns for index in indices.split(","))
        found[name] = random.integers(1, 9, shape) * (random.random(shape) < density) * 1.0
    return found


@pytest.mark.one_in(8)
@pytest.mark.parametrize("case", CASES, ids=[f"{n} {' '.join(str(f) for f in fs)}" for n, fs in CASES])
def test_which_loops_are_divided(case):
    """All of them: what keeps a loop of these statements on one thread would be missed by comparing results."""
    notation, formats = case
    first = _operands(notation, 1, 1, 1.0)
    result = notation[0]
    named = {name: format for name, format in zip((*first, result), formats, strict=True) if format is not None}
    kernel = it.compile(notation, formats=named, num_threads=2)
    options = current_options(**kernel.options)
    lines = list(loops_on_threads(FinalPlan.of(kernel._last.request(), options), options))
    # Conversions put all entries into one workspace.
    assert lines
    assert not any("on one thread" in line for line in lines if "put entries into" not in line), lines


def _equal(one, other):
    for ours, theirs in zip(one.buffers(), other.buffers(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("case", CASES, ids=[f"{n} {' '.join(str(f) for f in fs)}" for n, fs in CASES])
def test_one_two_and_five_threads(case):
    notation, formats = case
    first = _operands(notation, 1, 1, 1.0)
    named = {name: format for name, format in zip((*first, notation[0]), formats, strict=True) if format is not None}
    kernels = {n: it.compile(notation, formats=named, num_threads=n, disk_cache=False) for n in (1, 2, 5)}
    for (rows, columns), density in product(EXTENTS, (0.0, 0.1, 0.5, 1.0)):
        dense = _operands(notation, rows, columns, density)
        operands = {n: it.Tensor.from_numpy(a, named[n]) if n in named else a for n, a in dense.items()}
        results = {n: kernel(**operands) for n, kernel in kernels.items()}
        results[5].check()
        _equal(results[1], results[2])
        _equal(results[1], results[5])
        np.testing.assert_array_equal(results[5].to_numpy(), STATEMENTS[notation][1](*dense.values()))


def _product():
    random = np.random.default_rng(0)
    array = random.integers(1, 9, (60, 60)) * (random.random((60, 60)) < 0.2) * 1.0
    return it.Tensor.from_numpy(array, it.CSR), array @ array


def test_kernels_of_other_thread_counts_from_disk_and_from_pickles(tmp_path, monkeypatch):
    it.clear_caches()
    operand, expected = _product()
    options: dict[str, Any] = {"formats": dict.fromkeys("ABC", it.CSR), "cache_dir": str(tmp_path), "disk_cache": True}
    for threads in (2, 5, 1, 3):
        kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", num_threads=threads, **options)
        for each in (kernel, pickle.loads(pickle.dumps(kernel))):
            np.testing.assert_array_equal(each(operand, operand).to_numpy(), expected)
    # One file of code for several threads, one for one, and the pool's.
    files = [decode(file.read_bytes(), file.stem) for file in tmp_path.rglob("*.object")]
    assert 2 <= len([file for file in files if file is not None and file.objects]) <= 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_appends_on_threads_of_its_own():
    operand, expected = _product()
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", it.CSR), num_threads=3)
    np.testing.assert_array_equal(kernel(operand, operand).to_numpy(), expected)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(kernel(operand, operand).to_numpy(), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_callers_at_the_same_time():
    operand, expected = _product()
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", it.CSR), num_threads=3)
    with ThreadPoolExecutor(4) as callers:
        for result in callers.map(lambda _: kernel(operand, operand), range(40)):
            np.testing.assert_array_equal(result.to_numpy(), expected)
