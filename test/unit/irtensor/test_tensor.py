"""`Tensor`: construction, golden storage of the seed dissertation (Fig 2-21 to 2-28), and refusals."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.user_operator import operator
from irtensor.interop.as_tensor import as_tensor
from irtensor.named_formats import BCSR, COO, CSB, CSC, CSF, CSR, DCSC, ELL, Dense, Format, ModeGeneric
from irtensor.semirings import MIN_PLUS, Semiring
from irtensor.tensors.tensor import Tensor

MATRIX = ([[0, 0, 1, 1, 3, 3, 3], [0, 1, 0, 1, 0, 3, 4]], [5.0, 1, 7, 3, 8, 4, 9])
CUBE = (
    [[0, 0, 0, 2, 2, 2, 2, 2], [0, 0, 2, 0, 2, 2, 3, 3], [0, 1, 1, 1, 0, 1, 0, 1]],
    [1.0, 7, 5, 2, 4, 8, 3, 9],
)


def arrays(tensor: Tensor) -> list[list[int]]:
    return [array.tolist() for array in tensor.buffers()]


@pytest.mark.parametrize(
    ("entries", "shape", "format", "expected"),
    [
        (([[0, 1, 4, 6]], [5, 1, 2, 8]), (8,), CSF(1), [[0, 4], [0, 1, 4, 6], [5, 1, 2, 8]]),
        (
            ([[0, 1, 4, 6]], [5, 1, 2, 8]),
            (8,),
            Format("bitmap"),
            [[1, 1, 0, 0, 1, 0, 1, 0], [5, 1, 0, 0, 2, 0, 8, 0]],
        ),
        (
            ([[0, 1, 4, 6]], [5, 1, 2, 8]),
            (8,),
            Format("hashed"),
            [[6], [0, 1, 6, -1, 4, -1], [5, 1, 8, 0, 2, 0]],
        ),
        (
            MATRIX,
            (4, 6),
            ELL,
            [[3], [0, 1, 6, 0, 1, 6, 6, 6, 6, 0, 3, 4], [5, 1, 0, 7, 3, 0, 0, 0, 0, 8, 4, 9]],
        ),
        (
            MATRIX,
            (4, 6),
            CSB(2),
            [[0, 4, 4, 4, 5, 6, 7], [0, 0, 1, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0], [5, 1, 7, 3, 8, 4, 9]],
        ),
        (MATRIX, (4, 6), COO(2), [[0, 7], [0, 0, 1, 1, 3, 3, 3], [0, 1, 0, 1, 0, 3, 4], MATRIX[1]]),
        (MATRIX, (4, 6), CSR, [[0, 2, 4, 4, 7], [0, 1, 0, 1, 0, 3, 4], MATRIX[1]]),
        (MATRIX, (4, 6), CSC, [[0, 3, 5, 5, 6, 7, 7], [0, 1, 3, 0, 1, 3, 3], [5, 7, 8, 1, 3, 4, 9]]),
        (
            MATRIX,
            (4, 6),
            DCSC,
            [[0, 4], [0, 1, 3, 4], [0, 3, 5, 6, 7], [0, 1, 3, 0, 1, 3, 3], [5, 7, 8, 1, 3, 4, 9]],
        ),
        (
            MATRIX,
            (4, 6),
            BCSR(2, 3),
            [[0, 1, 3], [0, 0, 1], [5, 1, 0, 7, 3, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 4, 9, 0]],
        ),
        (CUBE, (3, 4, 2), COO(3), [[0, 8], *CUBE[0], CUBE[1]]),
        (
            CUBE,
            (3, 4, 2),
            CSF(3),
            [[0, 2], [0, 2], [0, 2, 5], [0, 2, 0, 2, 3], [0, 2, 3, 4, 6, 8], [0, 1, 1, 1, 0, 1, 0, 1], CUBE[1]],
        ),
        (
            CUBE,
            (3, 4, 2),
            ModeGeneric(3, 2),
            [[0, 5], [0, 0, 2, 2, 2], [0, 2, 0, 2, 3], [1, 7, 0, 5, 0, 2, 4, 8, 3, 9]],
        ),
    ],
)
def test_golden_storage(entries: Any, shape: tuple[int, ...], format: TensorFormat, expected: list[list[int]]):
    order = np.random.default_rng(0).permutation(len(entries[1]))
    shuffled = np.array(entries[0])[:, order], np.array(entries[1])[order]
    tensor = Tensor.from_coo(*shuffled, shape=shape, format=format)
    assert arrays(tensor) == expected
    tensor.check()
    assert tensor.nnz == len(entries[1]) or tensor.nnz == len(expected[-1])


def test_duplicates():
    coordinates, values = [[1, 0, 1], [2, 0, 2]], [1.0, 2, 4]
    assert arrays(Tensor.from_coo(coordinates, values, format=CSR)) == [[0, 1, 2], [0, 2], [2, 5]]
    with pytest.raises(UserError, match=r"\(1, 2\) is given more than once"):
        Tensor.from_coo(coordinates, values, duplicates="error")
    with pytest.raises(UserError, match="duplicates cannot be kept"):
        Tensor.from_coo(coordinates, values, duplicates="keep")
    kept = Tensor.from_coo(coordinates, values, format="compressed(nonunique), singleton(nonunique)", duplicates="keep")
    kept.check()
    assert arrays(kept) == [[0, 3], [0, 1, 1], [0, 2, 2], [2, 1, 4]]
    np.testing.assert_array_equal(kept.to_numpy(), [[2, 0, 0], [0, 0, 5]])
    assert kept.to_format(CSR).nnz == 2
    both = Tensor.from_coo([[0, 0]], [True, True])
    assert both.dtype == bool
    assert both.values.tolist() == [True]
    assert Tensor.from_coo([[0, 0]], np.array([100, 100], np.int8)).values.tolist() == [-56]
    assert Tensor.from_coo([], [3.0, 4.0], shape=()).to_numpy() == 7
    with pytest.raises(UserError, match="policy"):
        Tensor.from_coo(coordinates, values, duplicates="mean")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-5, 5)), max_size=30))
def test_sums_are_exact(entries: list[tuple[int, int, int]]):
    expected = np.zeros((4, 4), np.int64)
    for row, column, value in entries:
        expected[row, column] += value
    columns = np.array(entries, np.int64).reshape(-1, 3).T
    for format in (CSR, CSC, COO(2), CSF(2, [1, 0]), BCSR(3, 2), Dense(2)):
        tensor = Tensor.from_coo(columns[:2], columns[2], shape=(4, 4), format=format)
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), expected)


@pytest.mark.parametrize(
    ("coordinates", "values", "shape", "slug", "message"),
    [
        ([[0, 5]], [1, 2], (3,), "bad-coordinates", "entry 1 has coordinate 5 in dimension 0, outside 0..2"),
        ([[0, -1]], [1, 2], None, "bad-coordinates", "entry 1 has coordinate -1"),
        ([[0, 1]], [1, 2, 3], None, "bad-coordinates", "values have shape (3,), but there are 2 coordinates"),
        ([[0, 1], [0]], [1, 2], None, "bad-coordinates", "row 1 has shape (1,)"),
        ([[0.5, 1]], [1, 2], None, "bad-coordinates", "dtype float64, expected integers"),
        ([[0, 1]], [1, 2], (2, 2), "bad-coordinates", "have 1 rows, but shape (2, 2) has rank 2"),
        (np.arange(3), [1, 2, 3], None, "bad-coordinates", "have 1 dimensions"),
        (7, [1], None, "bad-coordinates", "of type int"),
        ([["a"]], [1], None, "bad-coordinates", "expected integers"),
        ([[2**63]], [1], None, "bad-coordinates", "beyond int64"),
        ([[2**63 - 1]], [1], None, "bad-shape", "out of range"),
        ([[0]], ["x"], None, "unsupported-dtype", "values has dtype"),
        ([[0]], np.ones(1, object), None, "unsupported-dtype", "object"),
        ([[0]], np.ones(1, "m8[s]"), None, "unsupported-dtype", "timedelta64"),
        ([[0]], [1], (-1,), "bad-shape", "extent -1"),
        ([[0]], [1], (1.5,), "bad-shape", "not a tuple of integers"),
        ([[0]], [1], (2**63,), "bad-shape", "out of range"),
    ],
)
def test_bad_coordinates(coordinates: Any, values: Any, shape: Any, slug: str, message: str):
    with pytest.raises(UserError) as caught:
        Tensor.from_coo(coordinates, values, shape=shape)
    assert caught.value.slug == slug
    assert message in caught.value.message


def test_dense_arrays_are_views():
    array = np.arange(6.0).reshape(2, 3)
    for source, format in ((array, None), (np.asfortranarray(array), Dense(2, [1, 0]))):
        tensor = Tensor.from_numpy(source, format)
        assert np.shares_memory(tensor.values, source)
        assert np.shares_memory(tensor.to_numpy(), source)
        np.testing.assert_array_equal(tensor.to_numpy(), array)
    np.testing.assert_array_equal(np.asarray(Tensor.from_numpy(array)), array)
    assert Tensor.from_numpy(2.5).shape == ()
    shifted = np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(np.float64)
    assert Tensor.from_numpy(shifted).values.flags.aligned
    swapped = Tensor.from_numpy(array.astype(">f8"), CSR)
    assert swapped.dtype.isnative
    np.testing.assert_array_equal(swapped.to_numpy(), array)


def test_fill_values():
    distances = np.array([[np.inf, 1], [2, np.inf]])
    tensor = Tensor.from_numpy(distances, "dense, compressed, fill = inf")
    assert tensor.nnz == 2
    assert tensor.fill_value == np.inf
    np.testing.assert_array_equal(tensor.to_numpy(), distances)
    assert Tensor.from_numpy(np.array([np.nan, 1]), "compressed, fill = nan").nnz == 1
    for dtype, fill in (("int32", 0.5), ("int8", 300), ("int64", float("inf")), ("float64", 1j), ("bool", 2)):
        with pytest.raises(UserError, match="is not a value of dtype") as caught:
            Tensor.from_numpy(np.zeros(3, dtype), CSF(1).with_fill(fill))
        assert caught.value.slug == "bad-fill"
    assert tensor.astype("float32").fill_value.dtype == np.float32
    with pytest.raises(UserError, match="bad-fill"):
        tensor.astype("int32")
    with pytest.raises(UserError, match="imaginary"):
        tensor.astype("complex64").astype("float32")


def test_nothing_densifies_silently():
    tensor = Tensor.from_numpy(np.eye(3), CSR)
    with pytest.raises(UserError, match=r"\.to_numpy\(\)"):
        np.asarray(tensor)
    for use in (lambda: np.sin(tensor), lambda: np.multiply(np.eye(3), tensor), lambda: np.multiply(2, tensor)):
        assert isinstance(use(), Tensor)
    np.testing.assert_array_equal(np.asarray(Tensor.from_numpy(np.eye(3))), np.eye(3))


def test_arguments_and_copies():
    tensor = Tensor.from_numpy(np.eye(3), CSR)
    level = tensor.levels[1]
    arrays = (level.positions, level.coordinates, tensor.values)
    assert tensor.arguments() == (3, 3, *(array.ctypes.data for array in arrays if array is not None))
    assert tensor.arguments() is tensor.arguments()
    copy = tensor.copy()
    assert not np.shares_memory(copy.values, tensor.values)
    again = pickle.loads(pickle.dumps(tensor))
    assert again.format == tensor.format
    np.testing.assert_array_equal(again.to_numpy(), np.eye(3))
    assert again.nbytes == tensor.nbytes


@pytest.mark.parametrize("value", ["text", [[1], [1, 2]], np.array([{}]), np.ones(2, "m8[s]"), None, [None], {}])
def test_not_numbers(value: Any):
    with pytest.raises(UserError) as caught:
        Tensor.from_numpy(value)
    assert caught.value.slug == "unsupported-dtype"
    for dtype in ("m8[s]", [], object, "no-such"):
        with pytest.raises(UserError):
            Tensor.from_numpy(np.eye(2)).astype(dtype)


def test_repr_is_short():
    tensor = Tensor.from_numpy(np.eye(3), "dense, compressed, fill = 1, pos = i32")
    assert repr(tensor) == (
        "Tensor(shape=(3, 3), dtype=float64, nnz=6, format='(i, j) -> (i : dense, j : compressed)', fill=1)"
    )


def test_named_formats():
    assert str(CSR) == "(i, j) -> (i : dense, j : compressed)"
    assert Format("dense, compressed") == CSR
    assert Format("(i, j) -> (j : dense, i : compressed)") == CSC
    assert str(COO(3)) == "(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)"
    assert str(COO(1)) == "(i) -> (i : compressed)"
    assert COO(0).is_dense
    for bad in (lambda: COO(-1), lambda: CSF(2, [0]), lambda: BCSR(0, 2), lambda: ModeGeneric(2, 3)):
        with pytest.raises(UserError):
            bad()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_all_protocols(protocol: int):
    A = Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), "csr")
    read = pickle.loads(pickle.dumps(A, protocol))
    assert type(read) is Tensor and read.nnz == 3
    np.testing.assert_array_equal(read.to_numpy(), A.to_numpy())


def test_counting_what_memory_cannot_hold(monkeypatch: pytest.MonkeyPatch):
    A = Tensor.from_numpy(np.eye(3), "(i, j) -> (j - i : compressed, j : range, i : offset)")

    def lacking(*given: object) -> None:
        raise MemoryError("Unable to allocate 8 GiB")

    monkeypatch.setattr("irtensor.storage.unpack_coordinates.stored_coordinates", lacking)
    with pytest.raises(UserError, match=r"storage-too-large.*does not fit into memory for this shape: Unable"):
        A.nnz


def test_pickles_from_before_are_read():
    """Their names of modules stay: what tensors are made by, and the levels of formats, are elsewhere now."""
    A = Tensor.from_numpy(np.diag([1.0, 2.0]), "csr, crd = i32")
    written = pickle.dumps(A, protocol=2)
    names = {
        b"cirtensor.storage.stored_tensor\nof_arrays\n": b"cirtensor.tensors.stored_arrays\nof_arrays\n",
        b"cirtensor.core.storage_levels\nLevel\n": b"cirtensor.core.tensor_format\nLevel\n",
        b"cirtensor.core.storage_levels\nLevelExpression\n": b"cirtensor.core.tensor_format\nLevelExpression\n",
    }
    for now, before in names.items():
        assert now in written
        written = written.replace(now, before)
    assert b"irtensor.storage.stored_tensor" not in written and b"irtensor.core.storage_levels" not in written
    read = pickle.loads(written)
    assert type(read) is Tensor and read.format == A.format
    np.testing.assert_array_equal(read.to_numpy(), A.to_numpy())


NO_FACADE_YET = """
import numpy as np
from irtensor.storage.make_tensors import tensor_of_array
from irtensor.core.tensor_format import TensorFormat
made = tensor_of_array(np.eye(2), TensorFormat.parse("dense, compressed"))
import irtensor as it
assert type(made) is it.Tensor, type(made)
print((made @ made).nnz)
"""


def test_a_tensor_is_what_a_user_sees_whoever_made_it_first():
    done = subprocess.run([sys.executable, "-c", NO_FACADE_YET], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"


def test_import_is_light():
    code = (
        "import sys, irtensor.tensors.tensor, irtensor.named_formats, irtensor.io, irtensor.interop.as_tensor;"
        "print([m for m in ('scipy', 'xdsl', 'llvmlite', 'sparse', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def with_mask(values: Any) -> Any:
    return np.ma.masked_array(values, np.arange(np.size(values)) == 1)


def scipy_array_with_masked(name: str) -> Any:
    array = sp.csr_array(np.eye(3))
    setattr(array, name, with_mask(getattr(array, name)))
    return array


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tensor.from_numpy(with_mask([1.0, 2, 3])),
        lambda: Tensor.from_numpy(with_mask([1.0, 2, 3]), "compressed"),
        lambda: Tensor.from_numpy([[1.0, 2], with_mask([1.0, 2])]),
        lambda: as_tensor(with_mask([1.0, 2, 3])),
        lambda: as_tensor([1.0, np.ma.masked]),
        lambda: Tensor.from_coo([[0, 1, 2]], with_mask([1.0, 2, 3])),
        lambda: Tensor.from_coo([with_mask([0, 1, 2])], [1.0, 2, 3]),
        lambda: Tensor.from_coo(np.ma.masked_array([[0, 1, 2]]), [1.0, 2, 3]),
        lambda: Tensor.from_buffers((3,), "dense", [None], with_mask([1.0, 2, 3])),
        lambda: Tensor.from_buffers((3,), "bitmap", [with_mask([True, True, True])], np.ones(3)),
        lambda: Tensor.from_buffers((3,), "compressed", [(np.array([0, 2]), with_mask([0, 1]))], np.ones(2)),
        lambda: Tensor.from_buffers((3,), "compressed", [(with_mask([0, 2]), np.array([0, 1]))], np.ones(2)),
        lambda: Tensor.from_scipy(scipy_array_with_masked("data")),
        lambda: Tensor.from_scipy(scipy_array_with_masked("indices")),
        lambda: Tensor.from_scipy(scipy_array_with_masked("indptr")),
    ],
)
def test_masked_arrays_are_refused_wherever_arrays_come_in(make: Callable[[], Tensor]):
    with pytest.raises(UserError, match="masked array") as caught:
        make()
    assert caught.value.slug == "bad-argument"
    assert caught.value.help


POLICIES: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "first": lambda a, b: a,
    "last": lambda a, b: b,
}


@pytest.mark.parametrize("dtype", ["int64", "int8", "float64", "bool", "complex64"])
@pytest.mark.parametrize("policy", list(POLICIES))
def test_duplicates_are_combined_in_the_order_given(policy: str, dtype: str):
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, (2, 40))
    values = rng.integers(0, 3, 40).astype(dtype)
    unordered = policy in ("min", "max") and dtype == "complex64"
    if unordered or (policy in ("and", "or", "xor") and np.dtype(dtype).kind in "fc"):
        with pytest.raises(UserError, match="not combined by") as caught:
            Tensor.from_coo(rows, values, shape=(3, 3), duplicates=policy)
        assert caught.value.slug == "unsupported-dtype"
        return
    expected = np.zeros((3, 3), dtype)
    seen: set[tuple[int, ...]] = set()
    combine = POLICIES[policy]
    with np.errstate(over="ignore"):
        for place, value in zip(map(tuple, rows.T.tolist()), values, strict=True):
            expected[place] = combine(expected[place], value) if place in seen else value
            seen.add(place)
    for format in (COO(2), CSR, CSC, DCSC, ELL, Dense(2), BCSR(2, 2), Format("dense, bitmap"), Format("hashed, dense")):
        tensor = Tensor.from_coo(rows, values, shape=(3, 3), format=format, duplicates=policy)
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), expected)


def test_not_a_number_is_the_least_and_the_greatest():
    for policy in ("min", "max"):
        tensor = Tensor.from_coo([[0, 0, 1]], [np.nan, 1.0, 2.0], shape=(2,), duplicates=policy)
        np.testing.assert_array_equal(tensor.to_numpy(), [np.nan, 2])


def test_duplicates_are_combined_by_operators_and_semirings():
    rng = np.random.default_rng(5)
    row, values = rng.integers(0, 6, 50), rng.random(50)
    both = operator("both", lambda a, b: a + b - a * b, identity=0, associative=True)
    combined = Tensor.from_coo([row], values, shape=(6,), duplicates=both)
    expected = [1 - np.prod(1 - values[row == place]) for place in range(6)]
    np.testing.assert_allclose(combined.to_numpy(), expected)
    least = Tensor.from_coo([row], values, shape=(6,), duplicates=MIN_PLUS)
    np.testing.assert_array_equal(least.to_numpy(), [values[row == place].min() for place in range(6)])
    scalar = Tensor.from_coo([], [3.0, 2.0, 4.0], shape=(), duplicates="min")
    assert scalar.to_numpy() == 2
    assert Tensor.from_coo([[]], [], shape=(4,), duplicates="max").nnz == 0
    apart = operator("apart", lambda a, b: a - b)
    with pytest.raises(UserError, match="duplicates='mean' is not a policy") as caught:
        Tensor.from_coo([row], values, shape=(6,), duplicates="mean")
    assert caught.value.help == (
        "use 'sum', 'mul', 'min', 'max', 'and', 'or', 'xor', 'first', 'last', 'error', 'keep', a semiring, "
        "or an associative operator"
    )
    for wrong in (apart, Semiring("sub", "mul"), "mean", 3, None):
        with pytest.raises(UserError):
            Tensor.from_coo([row], values, shape=(6,), duplicates=wrong)  # pyrefly: ignore[bad-argument-type]
