"""Kernels for a GPU give what NumPy gives, run on the CPU in several orders of their threads."""

import card_cases
import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor.errors import UserError
from irtensor.runtime import emulator

TARGET = "cuda-emulated"


@pytest.fixture(params=["forward", "backward", "shuffled"], autouse=True)
def order(request, monkeypatch):
    """In which order the threads of a grid run."""
    shuffled = request.param == "shuffled"
    monkeypatch.setattr(emulator, "order", np.random.default_rng(0) if shuffled else request.param)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("density", [0, 0.3])
@pytest.mark.parametrize("format", card_cases.FORMATS)
@pytest.mark.parametrize("statement", card_cases.DENSE)
def test_dense_results(statement, format, density):
    card_cases.compare_dense(statement, format, density, TARGET)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("schedule", card_cases.SCHEDULES)
@pytest.mark.parametrize("result", card_cases.FORMATS)
@pytest.mark.parametrize("format", card_cases.FORMATS)
@pytest.mark.parametrize("statement", card_cases.SPARSE)
def test_sparse_results(statement, format, result, schedule):
    card_cases.compare_sparse(statement, format, result, schedule, TARGET)


def test_counts_of_many_rows():
    card_cases.compare_many_rows(TARGET)


@pytest.mark.parametrize("dtype", card_cases.ELEMENTS)
def test_elements_of_any_type(dtype):
    card_cases.compare_elements(dtype, TARGET)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_absolute_values_of_complex_numbers(dtype):
    arrays = card_cases.arrays_of(["A"], 0.4, dtype)
    arrays["A"] *= 3 + 4j
    kernel = it.compile("y[i] = sum(j, abs(A[i,j]))", formats={"A": it.CSR}, target="cuda-emulated")
    found = kernel(A=it.Tensor.from_numpy(arrays["A"], it.CSR))
    np.testing.assert_allclose(found, abs(arrays["A"]).sum(1), rtol=1e-6)


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", it.COO(2)], ids=str)
def test_tables_that_one_loop_makes_and_another_one_reads(format):
    """All units of the second loop read what units of the first one have computed."""
    arrays = card_cases.arrays_of(["A", "x"], 0.4)
    square, x = arrays["A"] @ arrays["A"].T, np.resize(arrays["x"], arrays["A"].shape[0]) / 100
    kernel = it.compile("y[i] = A[i,j] * x[j] * exp(sum(k, A[j,k] * d[k]))", formats={"A": format}, target=TARGET)
    A = square / abs(square).max()
    found = kernel(A=it.Tensor.from_numpy(A, format), x=x, d=x)
    np.testing.assert_allclose(found, A @ (x * np.exp(A @ x)), rtol=1e-10)


def test_kernels_run(monkeypatch):
    """Results are not those of code for the CPU."""
    monkeypatch.setattr(emulator.EmulatedKernels, "_launched", lambda *given: 0)
    it.clear_caches()
    arrays = card_cases.arrays_of(["A", "x"], 0.4)
    out = np.full(23, -1.0)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, target="cuda-emulated")
    kernel(A=it.Tensor.from_numpy(arrays["A"], it.CSR), x=arrays["x"], out=out)
    np.testing.assert_array_equal(out, -1)
    it.clear_caches()


def test_semirings():
    arrays = card_cases.arrays_of(["A", "x"], 0.4)
    distances = it.Tensor.from_scipy(sp.csr_array(arrays["A"])).with_fill(np.inf)
    kernel = it.compile("y[i] = min(j, A[i,j] + x[j])", formats={"A": distances.format}, target="cuda-emulated")
    expected = np.where(arrays["A"] == 0, np.inf, arrays["A"] + arrays["x"]).min(1)
    np.testing.assert_array_equal(kernel(A=distances, x=arrays["x"]), expected)


def test_a_kernel_for_the_cpu_and_one_for_a_gpu_are_two():
    formats = {"A": it.CSR}
    arrays = card_cases.arrays_of(["A", "x"], 0.4)
    emulated = it.compile("y[i] = A[i,j] * x[j]", target="cuda-emulated", formats=formats)
    plain = it.compile("y[i] = A[i,j] * x[j]", target="cpu", formats=formats)
    for kernel in (emulated, plain, emulated):
        np.testing.assert_array_equal(
            kernel(A=it.Tensor.from_numpy(arrays["A"], it.CSR), x=arrays["x"]), arrays["A"] @ arrays["x"]
        )
    assert "loop.launch" in emulated.ir("device")
    # The code of the host, which calls what launches kernels.
    assert "@irtensor.launch(" in emulated.llvm_ir() and "irtensor.launch" in emulated.assembly()
    with pytest.raises(UserError, match="stage or pass 'device' does not exist"):
        plain.ir("device")


def test_an_unknown_target():
    with pytest.raises(UserError, match=r"bad-option.*target='gpu'"):
        it.compile("y[i] = x[i]", target="gpu")
