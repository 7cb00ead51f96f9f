"""SciPy's dia and bsr arrays, into levels of bands and blocks and out of them."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

DIAGONALS = [
    *(((5, 7), [-2, 0, 1]), ((7, 5), [-3, -2, -1]), ((6, 6), [0]), ((6, 6), []), ((4, 4), [-3, 3]), ((3, 0), [])),
    *(((1, 1), [0]), ((4, 9), [3, 4, 5]), ((9, 4), [1, 0]), ((3, 8), [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7])),
]
BLOCKED = "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : block_list, i mod 2 : dense, j mod 3 : dense)"
FORMATS = ["BAND", "(i, j) -> (j : dense, i : band)", "dense, ragged", "VBL", "block_list, band", "csr", "DIA", BLOCKED]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("shape", "offsets"), DIAGONALS, ids=str)
def test_diagonals(shape, offsets, format):
    data = np.random.default_rng(0).integers(0, 4, (len(offsets), shape[1])).astype(float)
    given = sp.dia_array((data, offsets), shape=shape)
    tensor = it.Tensor.from_scipy(given, format)
    tensor.check()
    np.testing.assert_array_equal(tensor.to_numpy(), given.toarray())
    np.testing.assert_array_equal(tensor.to_scipy().toarray(), given.toarray())
    for other in ("DIA", "csr", "BAND", "VBL"):
        back = tensor.to_format(other)
        back.check()
        np.testing.assert_array_equal(back.to_numpy(), given.toarray())


def test_which_array_of_scipy_bands_and_blocks_become():
    given = sp.diags_array([1.0, 2, 3], offsets=[-1, 0, 1], shape=(6, 6)).todia()
    for format, theirs in (("BAND", "dia"), ("(i, j) -> (j : dense, i : band)", "dia"), ("VBL", "csr")):
        assert it.Tensor.from_scipy(given, format).to_scipy().format == theirs
    assert it.Tensor.from_scipy(given, BLOCKED).to_scipy().format == "bsr"
    scattered = np.zeros((6, 6))
    scattered[[0, 5], [5, 0]] = 1
    assert it.Tensor.from_numpy(scattered, "BAND").to_scipy().format == "coo"


@pytest.mark.parametrize("dtype", ["f4", "i8", "c16", "bool"])
def test_types_of_diagonals(dtype):
    given: Any = sp.dia_array((np.ones((2, 5), dtype), np.array([0, 2])), shape=(5, 5))
    for format in ("BAND", "dense, band, pos = i32, crd = i8"):
        tensor = it.Tensor.from_scipy(given, format)
        assert tensor.dtype == given.dtype and tensor.format.rank == 2
        np.testing.assert_array_equal(tensor.to_scipy().toarray(), given.toarray())


def test_bands_are_made_in_time_of_diagonals():
    """Of zeros on the diagonals, too: a band goes from the first diagonal to the last."""
    data = np.array([[0.0, 1, 2, 0], [3, 0, 0, 4]])
    given: Any = sp.dia_array((data, np.array([0, 1])), shape=(4, 4))
    band = it.Tensor.from_scipy(given, "BAND")
    assert band.levels[1].array("ends").tolist() == [2, 3, 4, 4]
    assert band.levels[1].array("offsets").tolist() == [0, 2, 4, 6, 7]
    assert band.values.tolist() == [0, 0, 1, 0, 2, 4, 0]


@pytest.mark.parametrize("size", [(2, 3), (1, 1), (3, 2), (6, 6)], ids=str)
def test_bsr(size):
    rng = np.random.default_rng(1)
    dense = np.kron(rng.random((12 // size[0], 12 // size[1])) < 0.4, np.ones(size)) * rng.integers(0, 4, (12, 12))
    given = sp.bsr_array(dense, blocksize=size)
    for format in ("VBL", BLOCKED, "(i, j) -> (i : block_list, j : block_list)", "BAND"):
        tensor = it.Tensor.from_scipy(given, format)
        tensor.check()
        np.testing.assert_array_equal(tensor.to_numpy(), dense)
        np.testing.assert_array_equal(tensor.to_scipy().toarray(), dense)
        back = tensor.to_format(it.BCSR(*size))
        back.check()
        np.testing.assert_array_equal(back.to_numpy(), dense)
