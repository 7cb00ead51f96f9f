"""Kernels for a GPU give what NumPy gives, run on the CPU in several orders of their threads."""

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor.errors import UserError
from irtensor.runtime import emulator

CSR, CSC, DCSR, COO = it.CSR, it.CSC, it.DCSR, it.COO(2)
FORMATS = {"csr": CSR, "csc": CSC, "dcsr": DCSR, "coo": COO}
SHAPE = {"A": (23, 17), "B": (23, 17), "D": (17, 11), "X": (17, 5), "P": (23, 4), "Q": (4, 17), "x": (17,), "z": (23,)}
# What is stored, and what the result is.
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": ("A", lambda A, x: A @ x),
    "y[j] = A[i,j] * z[i]": ("A", lambda A, z: A.T @ z),
    "C[i,k] = A[i,j] * X[j,k]": ("A", lambda A, X: A @ X),
    "s = A[i,j] * B[i,j]": ("AB", lambda A, B: (A * B).sum()),
    "y[i] = max(j, A[i,j])": ("A", lambda A: A.max(1)),
    "y[i] = sum(j, exp(A[i,j]) * x[j])": ("A", lambda A, x: np.exp(A) @ x),
    "s = max(i, min(j, A[i,j] + B[i,j]))": ("AB", lambda A, B: (A + B).min(1).max()),
    "y[i] = A[i,j] * D[j,k]": ("AD", lambda A, D: A @ D.sum(1)),
}
SPARSE = {
    "C[i,j] = A[i,j] + B[i,j]": ("AB", lambda A, B: A + B),
    "C[i,j] = A[i,j] * B[i,j]": ("AB", lambda A, B: A * B),
    "C[i,j] = 2 * A[i,j]": ("A", lambda A: 2 * A),
    "C[i,j] = A[i,j] * P[i,k] * Q[k,j]": ("A", lambda A, P, Q: A * (P @ Q)),
    "C[i,k] = A[i,j] * D[j,k]": ("AD", lambda A, D: A @ D),
}


@pytest.fixture(params=["forward", "backward", "shuffled"], autouse=True)
def order(request, monkeypatch):
    """In which order the threads of a grid run."""
    shuffled = request.param == "shuffled"
    monkeypatch.setattr(emulator, "order", np.random.default_rng(0) if shuffled else request.param)


def arrays_of(names, density, dtype=float):
    random = np.random.default_rng(1)
    made = {name: random.integers(1, 9, SHAPE[name]).astype(dtype) for name in names}
    for name in names:
        if name in "ABD":
            made[name] *= random.random(SHAPE[name]) < density
            made[name][3:6] = 0
    return made


def names_of(statement):
    return [name for name in SHAPE if f"{name}[" in statement.partition("=")[2]]


def run(statement, formats, arrays, **options):
    kernel = it.compile(statement, formats=formats, target="cuda-emulated", **options)
    stored = {
        name: it.Tensor.from_numpy(array, formats[name]) if name in formats else array for name, array in arrays.items()
    }
    found = kernel(**stored)
    if isinstance(found, it.Tensor):
        found.check()
        return found.to_numpy()
    return found


@pytest.mark.one_in(10)
@pytest.mark.parametrize("density", [0, 0.3])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_dense_results(statement, format, density):
    stored, expected = STATEMENTS[statement]
    arrays = arrays_of(names_of(statement), density)
    found = run(statement, dict.fromkeys(stored, FORMATS[format]), arrays)
    np.testing.assert_allclose(found, expected(**arrays), rtol=1e-12)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("schedule", [None, "assemble(C, insert)"])
@pytest.mark.parametrize("result", FORMATS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("statement", SPARSE)
def test_sparse_results(statement, format, result, schedule):
    stored, expected = SPARSE[statement]
    arrays = arrays_of(names_of(statement), 0.3)
    formats = {**dict.fromkeys(stored, FORMATS[format]), "C": FORMATS[result]}
    options = {} if schedule is None else {"schedule": it.schedule(schedule)}
    found = run(statement, formats, arrays, **options)
    np.testing.assert_allclose(found, expected(**arrays), rtol=1e-12)


def test_counts_of_many_rows():
    """Where rows begin is computed by several blocks, in tiles."""
    random = np.random.default_rng(0)
    A, B = (np.where(random.random((5000, 4)) < 0.3, 1.0, 0.0) for _ in range(2))
    found = run("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", CSR), {"A": A, "B": B})
    np.testing.assert_array_equal(found, A + B)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int32", "bool", "complex128"])
def test_elements_of_any_type(dtype):
    arrays = arrays_of(["A", "x"], 0.4, dtype)
    found = run("y[i] = A[i,j] * x[j]", {"A": CSR}, arrays)
    # True and True are two.
    expected = arrays["A"] @ arrays["x"] if dtype != "bool" else arrays["A"].astype(int) @ arrays["x"]
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_kernels_run(monkeypatch):
    """Results are not those of code for the CPU."""
    monkeypatch.setattr(emulator.EmulatedKernels, "_launched", lambda *given: 0)
    it.clear_caches()
    arrays = arrays_of(["A", "x"], 0.4)
    out = np.full(23, -1.0)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": CSR}, target="cuda-emulated")
    kernel(A=it.Tensor.from_numpy(arrays["A"], CSR), x=arrays["x"], out=out)
    np.testing.assert_array_equal(out, -1)
    it.clear_caches()


def test_semirings():
    arrays = arrays_of(["A", "x"], 0.4)
    distances = it.Tensor.from_scipy(sp.csr_array(arrays["A"])).with_fill(np.inf)
    kernel = it.compile("y[i] = min(j, A[i,j] + x[j])", formats={"A": distances.format}, target="cuda-emulated")
    expected = np.where(arrays["A"] == 0, np.inf, arrays["A"] + arrays["x"]).min(1)
    np.testing.assert_array_equal(kernel(A=distances, x=arrays["x"]), expected)


def test_a_kernel_for_the_cpu_and_one_for_a_gpu_are_two():
    formats = {"A": CSR}
    arrays = arrays_of(["A", "x"], 0.4)
    emulated = it.compile("y[i] = A[i,j] * x[j]", target="cuda-emulated", formats=formats)
    plain = it.compile("y[i] = A[i,j] * x[j]", target="cpu", formats=formats)
    for kernel in (emulated, plain, emulated):
        np.testing.assert_array_equal(
            kernel(A=it.Tensor.from_numpy(arrays["A"], CSR), x=arrays["x"]), arrays["A"] @ arrays["x"]
        )
    assert "loop.launch" in emulated.ir("device")
    # The code of the host, which calls what launches kernels.
    assert "@irtensor.launch(" in emulated.llvm_ir() and "irtensor.launch" in emulated.assembly()
    with pytest.raises(UserError, match="there is no stage or pass 'device'"):
        plain.ir("device")


def test_an_unknown_target():
    with pytest.raises(UserError, match=r"bad-option.*target='gpu'"):
        it.compile("y[i] = x[i]", target="gpu")
