"""Level formats from packages outside of irtensor: each operator with each other format, on one and two threads."""

import re
from itertools import product

import numpy as np
import pytest
from forget_registered import forget_registered
from outside_levels import load_level

import irtensor as it
from irtensor.caches import clear_caches
from irtensor.frontend.requested_format import read_format
from irtensor.runtime import cpu_engine

SHAPE = (5, 6)
NUMPY = {"+": np.add, "-": np.subtract, "*": np.multiply, "max": np.maximum, "min": np.minimum}
STORAGES = (
    "dense, {}",
    "compressed, {}",
    "(i, j) -> (j : dense, i : {})",
    "{}, dense",
    "{}, {}",
    "{}, compressed",
    "(i, j) -> (i floordiv 2 : compressed, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : {})",
)
OTHERS = ("csr", "csc", "coo", "dense, dense", "dense, bitmap", "dense, padded", "dense, hashed", "dense, {}")
RESULTS = ("dense, dense", "csr", "dense, {}", "coo", "{}, {}")
STATEMENTS = (
    ("y[i] = A[i,j] * x[j]", lambda A, B, x, z: A @ x),
    ("y[j] = A[i,j] * z[i]", lambda A, B, x, z: A.T @ z),
    ("y[i] = max(j, A[i,j])", lambda A, B, x, z: A.max(1)),
    ("C[j,i] = A[i,j]", lambda A, B, x, z: A.T),
    ("C[i,k] = A[i,j] * A[k,j]", lambda A, B, x, z: A @ A.T),
    ("C[i,j] = A[i,j] * B[i,j] + B[i,j]", lambda A, B, x, z: A * B + B),
    ("C[i,j] = where(A[i,j] > 1, x[j], 0)", lambda A, B, x, z: np.where(A > 1, x, 0)),
    ("C[i,j] = A[i,j] + z[i] * x[j]", lambda A, B, x, z: A + np.outer(z, x)),
    ("s = sum(i, j, A[i,j] + 1)", lambda A, B, x, z: (A + 1).sum()),
)


@pytest.fixture(params=["gapped", "runs"])
def level(request):
    forget_registered()
    load_level(request.param)
    yield request.param
    forget_registered()


def matrix(seed):
    """Entries beside equal ones and beside none, so that there are runs of all kinds."""
    rng = np.random.default_rng(seed)
    wide = np.repeat(rng.integers(-2, 3, (SHAPE[0], SHAPE[1] // 2)), 2, axis=1)
    return np.where(rng.random(SHAPE) < 0.7, wide, 0).astype(float)


def checked(text, result, operands, expected, threads):
    kernel = it.compile(text, result and {text[0]: result}, convert=True, num_threads=threads)
    got = kernel(**{name: operand for name, operand in operands.items() if f"{name}[" in text})
    if result:
        assert got.format == read_format(result, 2) if isinstance(got, it.Tensor) else result == "dense, dense"
    got = got.to_numpy() if isinstance(got, it.Tensor) else np.asarray(got)
    np.testing.assert_array_equal(got, expected, err_msg=f"{text} into {result}")


@pytest.mark.one_in(36)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.usefixtures("small_parts")
def test_operators_and_formats(level, storage, threads):
    storage = storage.format(level, level)
    A, B, x, z = matrix(1), matrix(2), np.arange(6.0), np.arange(5.0)
    ours = it.Tensor.from_numpy(A, storage)
    np.testing.assert_array_equal(ours.to_numpy(), A)
    for number, (operator, other) in enumerate(product(NUMPY, OTHERS)):
        call = f"{operator}(A[i,j], B[i,j])" if operator.isalpha() else f"A[i,j] {operator} B[i,j]"
        given = {"A": ours, "B": it.Tensor.from_numpy(B, other.format(level))}
        result = RESULTS[number % len(RESULTS)].format(level, level)
        checked(f"C[i,j] = {call}", result, given, NUMPY[operator](A, B), threads)
    given = {"A": ours, "B": it.Tensor.from_numpy(B, "csr"), "x": x, "z": z}
    for text, expected in STATEMENTS:
        checked(text, None, given, expected(A, B, x, z), threads)
    checked("C[j,i] = A[i,j]", f"dense, {level}", {"A": ours}, A.T, threads)
    checked("C[i,k] = A[i,j] * D[j,k]", "csr", {"A": ours, "D": it.Tensor.from_numpy(B.T, "csr")}, A @ B.T, threads)


@pytest.mark.parametrize(
    "steps",
    [
        it.schedule().split("i", "i0", "i1", 2),
        it.schedule().split("j", "j0", "j1", 2),
        it.schedule().reorder("j", "i"),
        it.schedule().parallelize("i"),
        it.schedule().precompute("A[i,j] * x[j]", "j"),
    ],
    ids=str,
)
def test_schedules(level, steps):
    A, x = matrix(3), np.arange(6.0)
    ours = it.Tensor.from_numpy(A, f"dense, {level}")
    got = it.compile("y[i] = A[i,j] * x[j]", schedule=steps, num_threads=2)(A=ours, x=x)
    np.testing.assert_array_equal(got, A @ x)


@pytest.mark.parametrize("result", ["dense, {}", "{}, {}", "{}, compressed"])
def test_index_first(level, result):
    """The index of a result may be computed before its values, by one kernel or by two."""
    A = matrix(4)
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": result.format(level, level)})
    operand = it.Tensor.from_numpy(A, "csr")
    index = kernel.assemble(A=operand)
    np.testing.assert_array_equal(kernel.compute(index, A=operand).to_numpy(), 2 * A)


@pytest.mark.parametrize("purpose", ["assemble", "compute", "fused"])
@pytest.mark.parametrize("result", ["dense, {}", "{}, {}", "{}, compressed"])
def test_code_takes_the_arguments_that_it_is_given(level, result, purpose, monkeypatch):
    """With fewer, ctypes passes the address of the threads as 32 bits: some calls crash."""
    texts = []
    clear_caches()

    def compiled(text, entry, **options):
        texts.append(text)
        return compile_llvm_text(text, entry, **options)

    compile_llvm_text = cpu_engine.compile_llvm_text
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", compiled)
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": result.format(level, level)}, num_threads=2, disk_cache=False)
    variant, operands = kernel._read((), {"A": it.Tensor.from_numpy(matrix(4), "csr")})
    native = variant.kernel_for(operands, purpose)
    parameters = re.search(r"define i32 @kernel\((.*?)\)", texts[-1])
    assert parameters is not None
    assert parameters[1].count(",") + 1 == native.signature.argument_count


@pytest.mark.parametrize("storage", ["dense, {}", "{}, {}"])
def test_emulated_gpu(level, storage):
    A, x = matrix(5), np.arange(6.0)
    ours = it.Tensor.from_numpy(A, storage.format(level, level))
    got = it.compile("y[i] = A[i,j] * x[j]", target="cuda-emulated")(A=ours, x=x)
    np.testing.assert_array_equal(got, A @ x)
    made = it.compile("C[i,j] = 2 * A[i,j]", {"C": ours.format}, target="cuda-emulated")(A=ours)
    assert made.format == ours.format
    np.testing.assert_array_equal(made.to_numpy(), 2 * A)


def test_fibers_that_are_absent(level):
    """Where one operand of a sum has no entry, nothing is read of the fiber of another one."""
    random = np.random.default_rng(7)
    kernel = it.compile("R[i,j,k] = A[i,j,k] + B[i,j,k]")
    for _ in range(6):
        a, b = (np.where(random.random((4, 3, 3)) < 0.3, value, 0.0) for value in (1, 2))
        a[random.integers(4)], b[random.integers(4)] = 0, 0
        A = it.Tensor.from_numpy(a, f"compressed, {level}, compressed")
        B = it.Tensor.from_numpy(b, "compressed, compressed, compressed")
        np.testing.assert_array_equal(kernel(A=A, B=B), a + b)
