"""scipy.sparse and pydata/sparse arrays as tensors and back: values, shared memory, bad input."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sparse

import irtensor as it
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.interop.as_operand import as_operand
from irtensor.interop.as_tensor import as_tensor
from irtensor.named_formats import BCSR, COO, CSC, CSF, CSR, DCSR, DIA
from irtensor.tensors.tensor import Tensor

FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
DTYPES = ["bool", "int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128"]


def example(dtype: str = "float64", shape: tuple[int, int] = (6, 8)) -> np.ndarray:
    rng = np.random.default_rng(7)
    array = (rng.random(shape) < 0.3) * rng.integers(1, 9, shape)
    return array.astype(dtype) * (1 + 1j if dtype.startswith("complex") else 1) if dtype != "bool" else array > 0


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("dtype", ["float64", "bool", "complex64", "int32"])
def test_every_layout_comes_in(layout: str, kind: str, dtype: str):
    dense = example(dtype).astype(dtype)
    array = getattr(sp, f"{layout}_{kind}")(dense)
    tensor = Tensor.from_scipy(array)
    tensor.check()
    assert tensor.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(tensor.to_numpy(), dense)
    np.testing.assert_array_equal(tensor.to_scipy().toarray(), dense)
    for format in (CSR, CSC, COO(2), DCSR, BCSR(2, 3), CSF(2, [1, 0])):
        other = Tensor.from_scipy(array, format)
        other.check()
        np.testing.assert_array_equal(other.to_numpy(), dense)


@pytest.mark.parametrize("dtype", DTYPES)
def test_memory_is_shared_both_ways(dtype: str):
    dense = example(dtype).astype(dtype)
    for array in (sp.csr_array(dense), sp.csc_array(dense), sp.bsr_array(dense, blocksize=(2, 4))):
        array.sort_indices()  # SciPy makes unsorted bsr arrays itself
        tensor = Tensor.from_scipy(array)
        level = tensor.levels[1]
        assert np.shares_memory(tensor.values, array.data)
        assert np.shares_memory(level.positions, array.indptr)
        assert np.shares_memory(level.coordinates, array.indices)
        assert tensor.format.position_width == array.indptr.itemsize * 8
        back = tensor.to_scipy()
        assert back.format == array.format
        assert np.shares_memory(back.data, array.data)
        assert np.shares_memory(back.indices, array.indices)
        assert np.shares_memory(back.indptr, array.indptr)
    array = sp.coo_array(dense)
    tensor = Tensor.from_scipy(array)
    assert np.shares_memory(tensor.values, array.data)
    assert np.shares_memory(tensor.levels[0].coordinates, array.coords[0])
    assert np.shares_memory(tensor.levels[1].coordinates, array.coords[1])
    assert np.shares_memory(tensor.to_scipy().data, array.data)


def test_diagonals_are_shared_both_ways():
    array = sp.dia_array((np.arange(18.0).reshape(3, 6), np.array([-2, 0, 3])), shape=(4, 6))
    tensor = Tensor.from_scipy(array)
    assert str(tensor.format) == "(i, j) -> (j - i : compressed, j : range, i : offset), pos = i32, crd = i32"
    assert np.shares_memory(tensor.values, array.data)
    assert np.shares_memory(tensor.to_scipy().data, array.data)
    np.testing.assert_array_equal(tensor.to_numpy(), array.toarray())
    by_row = tensor.to_format(DIA).to_scipy()
    assert by_row.format == "dia"
    np.testing.assert_array_equal(by_row.toarray(), array.toarray())


@pytest.mark.parametrize(
    ("offsets", "columns"), [([3, 0, -2], 6), ([-2, 0, 3], 4), ([-2, 0, 3], 9), ([-7, 0, 9], 6), ([], 6)]
)
def test_diagonals_out_of_order_too_short_too_long_or_outside(offsets: list[int], columns: int):
    data = np.arange(1.0, len(offsets) * columns + 1).reshape(-1, columns)
    array = sp.dia_array((data, np.array(offsets, int)), shape=(4, 6))
    tensor = Tensor.from_scipy(array)
    tensor.check()
    np.testing.assert_array_equal(tensor.to_numpy(), array.toarray())


def test_named_format_keeps_scipys_widths():
    array = sp.csr_array(example())
    tensor = Tensor.from_scipy(array, CSR)
    assert np.shares_memory(tensor.values, array.data)
    assert tensor.format == CSR.with_widths(32, 32)


def test_vectors_and_higher_ranks():
    vector = np.array([0.0, 2, 0, 3])
    for layout in (sp.coo_array, sp.csr_array, sp.dok_array):
        tensor = Tensor.from_scipy(layout(vector))
        tensor.check()
        assert tensor.shape == (4,)
        np.testing.assert_array_equal(tensor.to_numpy(), vector)
        np.testing.assert_array_equal(tensor.to_scipy().toarray(), vector)
    cube = example().reshape(2, 3, 8)
    tensor = Tensor.from_scipy(sp.coo_array(cube))
    np.testing.assert_array_equal(tensor.to_numpy(), cube)
    np.testing.assert_array_equal(tensor.to_scipy().toarray(), cube)


def test_blocks_of_one_element_are_none():
    dense = example()
    array = sp.bsr_array(dense, blocksize=(1, 1))
    tensor = Tensor.from_scipy(array)
    assert tensor.format.with_widths(64, 64) == CSR
    np.testing.assert_array_equal(tensor.to_numpy(), dense)
    unsorted = sp.bsr_array(
        (np.array([1.0, 2, 4]).reshape(3, 1, 1), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3)
    )
    np.testing.assert_array_equal(Tensor.from_scipy(unsorted).to_numpy(), [[2, 0, 5]])


def test_work_follows_the_entries_not_the_extents():
    extent = 10**12
    array = sp.dok_array((extent, extent))
    array[3, extent - 1], array[extent - 1, 2] = 5.0, 7.0
    for format in (None, COO(2), DCSR, CSF(2, [1, 0])):
        tensor = Tensor.from_scipy(array, format)
        tensor.check()
        assert tensor.nbytes < 200
        assert dict(zip(map(tuple, tensor.to_coo()[0].T.tolist()), tensor.values, strict=True)) == dict(array.items())
    assert Tensor.from_scipy(sp.lil_array((4, 5))).format.with_widths(64, 64) == CSR


def test_unsorted_and_duplicate_entries_are_made_canonical():
    csr = sp.csr_array((np.array([1.0, 2, 4]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    tensor = Tensor.from_scipy(csr)
    tensor.check()
    np.testing.assert_array_equal(tensor.to_numpy(), [[2, 0, 5]])
    assert tensor.nnz == 2
    coo = sp.coo_array((np.array([1.0, 2, 4]), (np.array([1, 0, 1]), np.array([2, 0, 2]))), shape=(2, 3))
    tensor = Tensor.from_scipy(coo)
    np.testing.assert_array_equal(tensor.to_numpy(), [[2, 0, 0], [0, 0, 5]])
    assert tensor.nnz == 2
    blocks = np.arange(12.0).reshape(3, 2, 2)
    bsr = sp.bsr_array((blocks, np.array([1, 0, 1]), np.array([0, 3])), shape=(2, 4))
    expected = bsr.toarray()
    tensor = Tensor.from_scipy(bsr)
    tensor.check()
    np.testing.assert_array_equal(tensor.to_numpy(), expected)


def test_explicit_zeros_stay_and_spare_room_is_cut():
    csr = sp.csr_array((np.array([0.0, 2]), np.array([1, 2]), np.array([0, 1, 2])), shape=(2, 3))
    assert Tensor.from_scipy(csr).nnz == 2
    csr.data, csr.indices = np.append(csr.data, 9.0), np.append(csr.indices, np.int32(7))
    tensor = Tensor.from_scipy(csr)
    assert tensor.nnz == 2
    np.testing.assert_array_equal(tensor.to_numpy(), [[0, 0, 0], [0, 0, 2]])


def test_malformed_arrays_are_refused():
    def broken(**changes: object) -> sp.csr_array:
        array = sp.csr_array(example())
        for name, value in changes.items():
            setattr(array, name, value)
        return array

    good = sp.csr_array(example())
    for changes in (
        {"indices": np.where(np.arange(good.nnz) == 3, 99, good.indices).astype(np.int32)},
        {"indices": np.where(np.arange(good.nnz) == 3, -1, good.indices).astype(np.int32)},
        {"indptr": good.indptr[::-1].copy()},
        {"indptr": good.indptr[:-1]},
        {"indptr": good.indptr + 1},
        {"indptr": np.zeros(0, np.int32)},
        {"indptr": np.full(good.indptr.size, -5, np.int32)},
        {"indptr": good.indptr.astype(float)},
        {"data": good.data[:-1]},
        {"data": good.data.reshape(1, -1)},
        {"indices": good.indices.astype(float)},
    ):
        with pytest.raises(UserError) as caught:
            Tensor.from_scipy(broken(**changes))
        assert caught.value.slug == "bad-storage", changes


def test_unsupported_input_is_refused():
    for value, slug in (
        (np.eye(3), "bad-argument"),
        (sp.coo_array(example().astype(np.longdouble)), "unsupported-dtype"),
    ):
        with pytest.raises(UserError) as caught:
            Tensor.from_scipy(value)
        assert caught.value.slug == slug
    with pytest.raises(UserError, match="rank"):
        Tensor.from_scipy(sp.csr_array(example()), COO(3))
    with pytest.raises(UserError, match="no fill value"):
        Tensor.from_numpy(np.ones((2, 2)), CSR.with_fill(1)).to_scipy()
    with pytest.raises(UserError, match="rank 0"):
        Tensor.from_numpy(np.float64(3)).to_scipy()


def test_empty_arrays():
    for shape in ((0, 0), (0, 5), (5, 0), (3, 4)):
        for layout in ("csr", "csc", "coo", "lil", "dok"):
            tensor = Tensor.from_scipy(getattr(sp, f"{layout}_array")(shape))
            tensor.check()
            assert tensor.shape == shape
            assert tensor.to_scipy().shape == shape
            np.testing.assert_array_equal(tensor.to_format(BCSR(2, 2)).to_numpy(), np.zeros(shape))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("fill", [0.0, 1.5, np.inf, np.nan])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
def test_pydata_sparse(fill: float, shape: tuple[int, ...]):
    rng = np.random.default_rng(3)
    dense = np.where(rng.random(shape) < 0.5, rng.integers(2, 9, shape).astype(float), fill)
    coo = sparse.COO.from_numpy(dense, fill_value=fill)
    for array in (coo, sparse.GCXS.from_coo(coo), sparse.DOK.from_coo(coo)):
        tensor = Tensor.from_pydata(array)
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), dense)
        np.testing.assert_array_equal(tensor.to_pydata().todense(), dense)
        np.testing.assert_array_equal(tensor.to_pydata().fill_value, fill)
        np.testing.assert_array_equal(Tensor.from_pydata(array, CSF(len(shape))).to_numpy(), dense)
    assert np.shares_memory(Tensor.from_pydata(coo).values, coo.data)
    assert np.shares_memory(Tensor.from_pydata(coo).levels[0].coordinates, coo.coords)


def test_as_tensor_takes_every_operand():
    dense = example()
    for value in (
        dense,
        dense.tolist(),
        sp.csr_array(dense),
        sparse.COO.from_numpy(dense),
        Tensor.from_numpy(dense),
        np.asfortranarray(dense),
    ):
        np.testing.assert_array_equal(as_tensor(value).to_numpy(), dense)
        np.testing.assert_array_equal(as_tensor(value, CSC).to_numpy(), dense)
    assert as_tensor(3.5).shape == ()
    with pytest.raises(UserError, match="cannot make a tensor from str"):
        as_tensor("abc")
    assert as_tensor(np.eye(2), TensorFormat.parse("dense, compressed")).nnz == 2


def stranger(library: str, name: str, **attributes) -> object:
    """An array of a library that need not be there."""
    kind = type(name, (), {"dtype": None, "shape": (2, 2), **attributes, "__module__": f"{library}.of.theirs"})
    return kind()


@pytest.mark.parametrize(
    "array, way",
    [
        (sp.coo_matrix(np.eye(2)), "Tensor.from_scipy"),
        (sparse.COO.from_numpy(np.eye(2)), "Tensor.from_pydata"),
        (Tensor.from_numpy(np.eye(2), CSR), ".to_format"),
        ([sp.csr_array(np.eye(2))] * 2, "scipy.sparse.vstack"),
        ((1.0, Tensor.from_numpy(np.eye(2), CSR)), "as an operand of its own"),
        (stranger("torch", "Tensor", layout="torch.sparse_coo"), "Tensor.from_coo(T.indices(), T.values()"),
        (stranger("torch", "Tensor", layout="torch.sparse_csr"), "T.crow_indices()"),
        (stranger("torch", "Tensor", layout="torch.sparse_csc"), "T.ccol_indices()"),
        (stranger("jax", "BCOO"), "Tensor.from_coo(A.indices.T, A.data"),
        (stranger("jax", "BCSR"), "A.indptr"),
        (stranger("jax", "COO"), "Tensor.from_coo([A.row, A.col], A.data"),
    ],
)
def test_sparse_arrays_name_the_way_in(array, way):
    with pytest.raises(UserError, match="bad-argument") as caught:
        Tensor.from_numpy(array)
    assert way in str(caught.value)


@pytest.mark.parametrize("array", [stranger("torch", "Tensor", layout="torch.sparse_coo"), stranger("jax", "BCOO")])
def test_sparse_arrays_of_other_libraries_are_no_operands(array):
    for call in (as_tensor, as_operand, Tensor.from_scipy, Tensor.from_pydata):
        with pytest.raises(UserError, match=r"Tensor\.from_coo"):
            call(array)


def test_dense_tensors_are_arrays_of_numbers():
    dense = Tensor.from_numpy(np.eye(2))
    np.testing.assert_array_equal(as_operand([dense, dense]), np.stack([np.eye(2)] * 2))
    np.testing.assert_array_equal(Tensor.from_numpy(dense).to_numpy(), np.eye(2))


def index_dtypes(array: Any) -> set[str]:
    arrays = [array.indices, array.indptr] if hasattr(array, "indices") else list(array.coords)
    return {one.dtype.name for one in arrays}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("width", ["int32", "int64"])
@pytest.mark.parametrize("format", [it.CSR, it.CSC, it.COO(2), it.DCSR, it.BCSR(3, 3), it.ELL])
def test_results_have_indices_as_wide_as_those_of_the_operands(format: Any, width: str):
    drawn = sp.random_array((9, 9), density=0.3, rng=np.random.default_rng(1)).tocsr()
    given = sp.csr_array((drawn.data, drawn.indices.astype(width), drawn.indptr.astype(width)), shape=(9, 9))
    tensor = it.Tensor.from_scipy(given)
    i, j, k = it.indices("i j k")
    variable = it.tensor_variable("C", 2)
    variable[i, k] = tensor[i, j] * tensor[j, k]
    once = it.einsum("ij,jk->ik", given, given, format=format)
    results = [
        once,
        it.einsum("ij,jk->ik", once, given, format=format),
        tensor.to_format(format),
        tensor.to_format(format).astype("float32").copy(),
        variable.evaluate(format=format),
        it.compile("C[i,j] = A[i,j] * x[j]", {"C": format})(A=given, x=np.ones(9)),
        it.Tensor.from_scipy(given, format),
        (tensor @ tensor).to_format(format),
    ]
    for result in results:
        array = result.to_scipy()
        assert index_dtypes(array) == {width}
        np.testing.assert_allclose(array.toarray(), result.to_numpy())
    wide = sp.csr_array((drawn.data, drawn.indices.astype("int64"), drawn.indptr.astype("int64")), shape=(9, 9))
    assert index_dtypes(it.einsum("ij,jk->ik", given, wide, format=format).to_scipy()) == {"int64"}


def test_results_that_32_bits_do_not_hold_have_wide_indices():
    given = sp.coo_array(([1.0, 2.0], (np.array([0, 1], np.int32), np.array([2**31 - 2, 0], np.int32))), (2, 2**31 - 1))
    tensor = it.Tensor.from_scipy(given)
    outer = it.compile("C[i,l] = A[i,j] * B[k,l] * x[k]", {"C": it.COO(2)})
    joined = it.einsum("ij->ij", tensor, format=it.COO(2))
    assert index_dtypes(joined.to_scipy()) == {"int32"}
    wide = it.Tensor.from_coo([[0], [2**33]], [1.0], shape=(2, 2**33 + 1))
    result = outer(A=tensor, B=wide, x=np.ones(2)).to_scipy()
    assert index_dtypes(result) == {"int64"}
    assert set(result.coords[1].tolist()) == {2**33}


def test_malformed_blocks_and_diagonals_are_refused():
    blocks: Any = sp.bsr_array(np.kron(np.eye(2), np.ones((2, 2))), blocksize=(2, 2))
    blocks.data = blocks.data.reshape(2, 4)
    with pytest.raises(UserError, match="the bsr array's data has 2 dimensions, expected 3"):
        Tensor.from_scipy(blocks)
    diagonals = sp.dia_array((np.ones((2, 3)), np.array([0, 1])), shape=(3, 3))
    diagonals.offsets = np.array([0])
    with pytest.raises(UserError, match=r"the dia array has data of shape \(2, 3\) for offsets of shape \(1,\)"):
        Tensor.from_scipy(diagonals)


def test_repeated_entries_of_a_coo_array_are_added():
    array = sp.coo_array(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(Tensor.from_scipy(array).to_numpy(), [[0, 3], [4, 0]])
