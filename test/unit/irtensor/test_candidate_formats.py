"""The formats that an operand may be kept in: what they take is known before they are made."""

import numpy as np
import pytest

import irtensor as it
from irtensor.planning import stored_sizes
from irtensor.planning.added_zeros import added_zeros
from irtensor.planning.candidate_formats import candidate_formats, order_stays, stores_fill

SHAPES = [(30,), (20, 31), (31, 20), (7, 9, 11), (3, 4, 5, 6)]


def tensor(shape, share=0.2):
    rng = np.random.default_rng(4)
    array = rng.integers(1, 9, shape) * (rng.random(shape) < share)
    return array.astype(float), it.Tensor.from_numpy(array.astype(float), it.CSF(len(shape)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sizes_are_those_of_the_tensor_in_each_format(shape):
    _, T = tensor(shape)
    sizes = stored_sizes.Entries(T)
    formats = candidate_formats(T.format)
    assert len({*formats}) == len(formats) == {1: 2, 2: 18, 3: 29, 4: 30}[len(shape)]
    for format in formats:
        for one in (format, format.with_widths(32, 16)):
            made = T.to_format(one)
            assert sizes.size_in(one) == (made.values.size, made.nbytes), one


def test_sizes_where_most_rows_have_no_entries():
    rows, columns = np.array([[3, 3, 3, 700, 1999], [0, 1, 2, 1, 0]])
    T = it.Tensor.from_coo([rows, columns], np.ones(5), shape=(2000, 3), format=it.CSR)
    sizes = stored_sizes.Entries(T)
    for format in candidate_formats(T.format):
        made = T.to_format(format)
        assert sizes.size_in(format) == (made.values.size, made.nbytes), format


@pytest.mark.parametrize("source", [it.CSC, it.CSR, it.COO(2), it.BCSR(2, 2), it.DIA], ids=str)
def test_formats_have_the_order_and_the_fill_of_the_operand(source):
    for format in candidate_formats(source.with_fill(3)):
        assert format.fill == 3 and format.rank == 2
    first = candidate_formats(source)[1]
    assert first.dimension_order == tuple(dict.fromkeys(source.dimension_order))[-2:]


def test_many_entries_are_counted_on_some_rows(monkeypatch):
    monkeypatch.setattr(stored_sizes, "_FEW", 1 << 12)
    monkeypatch.setattr(stored_sizes, "_TOGETHER", 24)
    rng = np.random.default_rng(4)
    block = np.kron(rng.random((1200, 8)) < 0.4, np.ones((4, 4))) > 0
    array = np.where(block & (rng.random(block.shape) < 0.9), 1.0, 0.0)
    # One row and one diagonal more, which change all for slots and for diagonals.
    array[17] = 1
    T = it.Tensor.from_numpy(array, it.CSR)
    sizes = stored_sizes.Entries(T)
    looked_at = sizes._few[1][0].size
    assert 0 < looked_at < T.nnz / 8
    for format in candidate_formats(T.format):
        made, size = T.to_format(format), sizes.size_in(format)
        exact = format.has_diagonals or "padded" in str(format)
        np.testing.assert_allclose(size, (made.values.size, made.nbytes), rtol=1e-12 if exact else 0.1)


def stored_by(format, entries):
    """Which elements of a matrix are stored, for its entries: whole diagonals, whole blocks, or all."""
    rows, columns = np.indices(entries.shape)
    if format.has_diagonals:
        return np.isin(columns - rows, (columns - rows)[entries])
    if format.is_blocked:
        size = format.levels[-1].expression.factor
        block = rows // size * entries.shape[1] + columns // size
        return np.isin(block, block[entries])
    return np.ones_like(entries)


@pytest.mark.parametrize("shape", SHAPES[1:4], ids=str)
def test_added_zeros_are_those_that_the_copy_has_beside_the_entries(shape):
    array, T = tensor(shape, share=0.05)
    for format in candidate_formats(T.format):
        if not stores_fill(format):
            continue
        stored = np.empty(shape, bool)
        for outer in np.ndindex(shape[:-2]):
            stored[outer] = stored_by(format, array[outer] != 0)
        added = added_zeros(T, format)
        expected = stored & (array == 0)
        if added is None:
            assert not expected.any()
            continue
        for dimension, found in enumerate(added):
            others = tuple(axis for axis in range(len(shape)) if axis != dimension)
            np.testing.assert_array_equal(found, np.flatnonzero(expected.any(axis=others)))


@pytest.mark.parametrize("summed", [0, 1, None])
def test_order_stays_where_terms_come_as_before(summed):
    """By the order in which entries are listed, for each other coordinate."""
    array = np.ones((6, 7))
    source = it.Tensor.from_numpy(array, it.CSR)

    def lists(T):
        coordinates, _ = T.to_coo()
        if summed is None:
            return coordinates.T.tolist()
        return [coordinates[summed][coordinates[1 - summed] == other].tolist() for other in range(7)]

    for format in candidate_formats(it.CSR):
        if order_stays(format, it.CSR, summed):
            assert lists(source.to_format(format)) == lists(source), format
        elif not format.is_blocked:
            assert lists(source.to_format(format)) != lists(source), format
    assert not order_stays(it.Format("dense, compressed(nonordered)"), it.CSR, summed)
