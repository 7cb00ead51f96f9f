"""The names of arrays that Tensors have: values as NumPy's, sparse in and sparse out."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

FORMATS = ["csr", "csc", "coo", "dcsr", "bcsr(2,2)", "ell", "dia", "csb(2)", "dense, bitmap"]
D = (np.arange(20).reshape(4, 5) % 3 - 1.0) * (np.arange(20).reshape(4, 5) % 4 > 1)
CUBE = (np.arange(24).reshape(2, 3, 4) % 5 == 0) * np.arange(24.0).reshape(2, 3, 4)


def values(result):
    return result.to_numpy() if isinstance(result, it.Tensor) else np.asarray(result)


@pytest.mark.parametrize("format", FORMATS)
def test_transposes_share_their_arrays(format):
    tensor = it.Tensor.from_numpy(D, format)
    np.testing.assert_array_equal(tensor.T.to_numpy(), D.T)
    assert tensor.T.values is tensor.values and tensor.T.T.format == tensor.format
    tensor.T.check()


def test_transposes_in_any_order():
    tensor = it.Tensor.from_numpy(CUBE, it.CSF(3))
    for axes in ((2, 0, 1), (0, 2, 1), (-1, 1, 0), None):
        np.testing.assert_array_equal(tensor.transpose(axes).to_numpy(), CUBE.transpose(axes))
    transposed: Any = np.transpose(tensor, (1, 2, 0))
    np.testing.assert_array_equal(transposed.to_numpy(), CUBE.transpose(1, 2, 0))
    assert it.Tensor.from_numpy(D, "csr").T.format == it.CSC
    for axes in ((0, 1), (0, 0, 1), (0, 1, 3), (0, 1, "a")):
        with pytest.raises(it.UserError, match="bad-argument"):
            tensor.transpose(axes)


REDUCTIONS = ["sum", "prod", "max", "min", "mean", "any", "all"]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("format", ["csr", "coo", "dia"])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_reductions(name, format, dtype):
    dense = D.astype(dtype)
    tensor = it.Tensor.from_numpy(dense, format)
    for axis, keepdims in ((None, False), (0, False), (-1, True), ((0, 1), True)):
        expected = getattr(dense, name)(axis=axis, keepdims=keepdims)
        result = getattr(tensor, name)(axis=axis, keepdims=keepdims)
        assert isinstance(result, it.Tensor) == isinstance(axis, int)
        assert values(result).shape == expected.shape and values(result).dtype == expected.dtype
        np.testing.assert_allclose(values(result), expected)


def test_reductions_of_more_dimensions():
    tensor = it.Tensor.from_numpy(CUBE, it.CSF(3, order=(2, 0, 1)))
    for axis in (0, 1, 2, (0, 2), (1, 2)):
        np.testing.assert_allclose(values(tensor.sum(axis)), CUBE.sum(axis))
        np.testing.assert_allclose(values(np.max(tensor, axis=axis)), CUBE.max(axis))
        np.testing.assert_allclose(values(tensor.mean(axis, keepdims=True)), CUBE.mean(axis, keepdims=True))
    np.testing.assert_allclose(values(np.add.reduce(tensor, axis=1)), CUBE.sum(1))


def test_reductions_where_what_is_not_stored_is_not_zero():
    tensor = it.Tensor.from_numpy(np.maximum(D, -0.5), "csr") - 1
    dense = np.maximum(D, -0.5) - 1
    assert tensor.fill_value == -1
    for name in ("max", "min", "any", "all"):
        for axis in (None, 0, 1):
            np.testing.assert_allclose(values(getattr(tensor, name)(axis)), getattr(dense, name)(axis))


def test_reductions_that_are_none():
    tensor = it.Tensor.from_numpy(D, "csr")
    for axis in (2, -3, (0, 0), "a", 0.5):
        with pytest.raises(it.UserError, match="bad-argument"):
            tensor.sum(axis)
    with pytest.raises(it.UserError, match="empty-reduction"):
        it.Tensor.from_numpy(np.zeros((3, 0)), "csr").max(axis=1)
    with pytest.raises(it.UserError, match="bad-argument"):
        tensor.sum(out=np.zeros(()))
    assert it.Tensor.from_numpy(np.zeros((3, 0)), "csr").sum() == 0


@pytest.mark.parametrize("format", FORMATS)
def test_diagonals(format):
    tensor = it.Tensor.from_numpy(D, format)
    for offset in (-4, -1, 0, 2, 5):
        result = tensor.diagonal(offset)
        assert result.format == it.CSF(1)
        np.testing.assert_array_equal(result.to_numpy(), np.diagonal(D, offset))


def test_diagonals_of_more_dimensions():
    tensor = it.Tensor.from_numpy(CUBE, it.COO(3))
    for axes in ((0, 1), (1, 2), (2, 0), (-1, 1)):
        np.testing.assert_array_equal(tensor.diagonal(1, *axes).to_numpy(), np.diagonal(CUBE, 1, *axes))
    for call in (lambda: tensor.diagonal(0, 1, 1), lambda: tensor.diagonal(0, 0, 3)):
        with pytest.raises(it.UserError, match="bad-argument"):
            call()
    with pytest.raises(it.UserError, match="rank-mismatch"):
        it.Tensor.from_numpy(np.ones(3)).diagonal()


def test_conversions_keep_fill_and_widths():
    tensor = it.as_tensor(sp.csr_array(D)).with_fill(2.0)
    for name, format in (("tocsr", it.CSR), ("tocsc", it.CSC), ("tocoo", it.COO(2))):
        converted = getattr(tensor, name)()
        assert converted.format == format.with_fill(2.0).with_widths(32, 32)
        np.testing.assert_array_equal(converted.toarray(), tensor.to_numpy())


def test_the_length_is_the_first_extent():
    assert len(it.Tensor.from_numpy(D, "csr")) == 4
    with pytest.raises(TypeError):
        len(it.Tensor.from_numpy(np.array(1.0)))


@pytest.mark.parametrize("name", ["reshape", "data", "indptr", "dot", "cumsum", "setdiag"])
def test_names_that_are_not_there_say_what_to_write(name):
    tensor = it.Tensor.from_numpy(D, "csr")
    assert not hasattr(tensor, name)
    with pytest.raises(AttributeError, match="missing-name") as caught:
        getattr(tensor, name)
    assert "help: write " in str(caught.value)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        tensor.nothing


def test_a_notebook_shows_shape_format_fill_and_entries():
    page = it.Tensor.from_coo([[0, 1], [2, 0]], [1.5, 2.5], shape=(3, 4), format="csr").with_fill(7.0)._repr_html_()
    for part in ("(3, 4)", "float64", "i : dense, j : compressed", ">7.0<", "(0, 2)", "1.5", "(1, 0)", "2.5"):
        assert part in page
    assert "and 90 more" in it.Tensor.from_numpy(np.ones(100), "compressed")._repr_html_()
    assert it.Tensor.from_numpy(np.array(3.0))._repr_html_()
