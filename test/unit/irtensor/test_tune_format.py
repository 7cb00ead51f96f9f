"""Formats by measurement: which ones are tried, what is kept beside an operand, and what is said of it."""

import gc
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from told_formats import SPMV, clock, conversions, entries, matrix, taken

import irtensor as it
from irtensor.compiler.kernel import format_trial
from irtensor.planning import candidate_formats as candidate_formats_module
from irtensor.planning.candidate_formats import candidate_formats
from irtensor.storage import kept_copies

__all__ = ["clock", "conversions"]  # fixtures


def test_a_copy_is_made_once_and_read_by_all_calls(clock, conversions):
    array, A = matrix()
    clock.fastest = it.DIA
    kernel = it.compile(SPMV, tune="format")
    x = np.arange(31.0)
    kernel(A, x)
    made = len(conversions)
    assert made == len(clock.measured) > 5
    for _ in range(3):
        np.testing.assert_array_equal(kernel(A, x), array @ x)
        np.testing.assert_array_equal(kernel(x=x, A=A), array @ x)
        out = np.empty(29)
        assert kernel(A, x, out=out) is out
        np.testing.assert_array_equal(out, array @ x)
    assert len(conversions) == made == len(clock.measured)
    # An equal kernel knows what this one has found out.
    np.testing.assert_array_equal(it.compile(SPMV, tune="format")(A, x), array @ x)
    assert len(conversions) == made
    copy = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(copy(A, x), array @ x)
    assert len(conversions) > made


def test_the_operand_is_read_as_it_is_where_that_is_fastest(clock):
    array, A = matrix()
    clock.exactly = A.format
    kernel = it.compile(SPMV, tune="format")
    np.testing.assert_array_equal(kernel(A, np.ones(31)), array.sum(1))
    assert it.cache_info().copies.entries == 0 and A.values.flags.writeable
    assert "as given, taken" in kernel.explain()


def test_another_operand_is_measured_unless_it_has_the_same_structure(clock, conversions):
    array, A = matrix()
    clock.fastest = it.ELL
    kernel = it.compile(SPMV, tune="format")
    x = np.arange(31.0)
    kernel(A, x)
    measured, made = len(clock.measured), len(conversions)
    other = it.Tensor.from_numpy(2 * array, it.CSR)
    np.testing.assert_array_equal(kernel(other, x), 2 * array @ x)
    assert len(clock.measured) == measured and len(conversions) == made + 1
    different, B = matrix(seed=2)
    clock.fastest = it.DIA
    np.testing.assert_array_equal(kernel(B, x), different @ x)
    assert len(clock.measured) > measured
    assert "j - i" in taken(kernel)[0]
    # What is said is of the last call.
    np.testing.assert_array_equal(kernel(other, x), 2 * array @ x)
    assert "padded" in taken(kernel)[0]


def test_other_values_are_seen(clock, conversions):
    array, A = matrix()
    clock.fastest = it.BCSR(4, 4)
    kernel = it.compile(SPMV, tune="format")
    x = np.arange(31.0)
    kernel(A, x)
    measured, made = len(clock.measured), len(conversions)
    before = A.values
    A.values = 3 * A.values
    assert before.flags.writeable == (kernel is None)
    np.testing.assert_array_equal(kernel(A, x), 3 * array @ x)
    assert before.flags.writeable
    assert len(clock.measured) == measured and len(conversions) == made + 1
    A.replace_storage(it.Tensor.from_numpy(array.T.reshape(29, 31), it.CSR))
    np.testing.assert_array_equal(kernel(A, x), array.T.reshape(29, 31) @ x)


def test_values_cannot_be_changed_in_place_while_there_is_a_copy(clock):
    array, A = matrix()
    clock.fastest = it.DIA
    values = A.values
    kernel = it.compile(SPMV, tune="format")
    kernel(A, np.ones(31))
    with pytest.raises(ValueError, match="read-only"):
        A.values[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        values *= 2
    it.clear_caches()
    A.values[:] *= 2
    np.testing.assert_array_equal(kernel(A, np.ones(31)), 2 * array.sum(1))


def test_two_tensors_of_the_same_values_unlock_them_together(clock):
    _, A = matrix()
    other = A.with_fill(None)
    assert other.values is A.values
    clock.fastest = it.DIA
    kernel = it.compile(SPMV, tune="format")
    kernel(A, np.ones(31))
    kernel(other, np.ones(31))
    values = A.values
    del A
    gc.collect()
    assert not values.flags.writeable
    del other
    gc.collect()
    assert values.flags.writeable


@pytest.mark.parametrize("first", ["scipy", "tensor"])
@pytest.mark.parametrize("others", [["tensor"], ["scipy", "tensor"], ["tensor", "other tensor"], ["view"]], ids=str)
def test_operands_that_share_memory_are_locked_together(first, others, clock, recwarn):
    """In whatever order they come and go: none can be written to while there is a copy, and all can in the end."""
    array, _ = matrix()
    S = sp.csr_array(array)
    T = it.Tensor.from_scipy(S)
    of_view = sp.csr_array((S.data[:], S.indices, S.indptr), shape=S.shape)
    operands = {"scipy": S, "tensor": T, "other tensor": it.Tensor.from_scipy(S), "view": of_view}
    clock.fastest = it.DIA
    kernel = it.compile(SPMV, tune="format")
    data = [S.data, T.values, of_view.data] if "view" in others else [S.data, T.values]
    order = list(dict.fromkeys([first, *others]))
    for name in order:
        np.testing.assert_array_equal(kernel(operands[name], np.ones(31)), array.sum(1))
        for one in data[:2] if name != "view" else data:
            with pytest.raises(ValueError, match="read-only"):
                one[0] = 500
    assert it.cache_info().copies.entries == len(order)
    del S, T, of_view
    for name in order:
        assert not any(one.flags.writeable for one in data)
        del operands[name]
        gc.collect()
    operands.clear()
    gc.collect()
    assert all(one.flags.writeable for one in data) and not recwarn.list
    assert it.cache_info().copies.entries == 0 and not kept_copies._locked


def test_copies_are_freed_with_the_operand(clock):
    _, A = matrix()
    clock.fastest = it.DIA
    kernel = it.compile(SPMV, tune="format")
    kernel(A, np.ones(31))
    use = it.cache_info().copies
    assert use.entries == 1 and use.bytes == A.to_format(it.DIA.with_widths(32, 32)).nbytes
    assert "copies" in str(it.cache_info())
    del A
    gc.collect()
    assert it.cache_info().copies == (0, 0, None)


def test_threads_that_call_while_caches_are_cleared(clock):
    """Results are right, and values can be written to in the end."""
    tensors = [matrix(seed=seed) for seed in range(3)]
    clock.fastest = it.DIA
    kernel = it.compile(SPMV, tune="format")
    wrong = []

    def call(number):
        for turn in range(40):
            array, A = tensors[(number + turn) % 3]
            x = np.full(31, float(turn))
            if not np.array_equal(kernel(A, x), array @ x):
                wrong.append(turn)
            if turn % 8 == number:
                it.clear_caches()

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    it.clear_caches()
    assert all(A.values.flags.writeable for _, A in tensors)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array])
def test_arrays_of_scipy(make, clock, conversions):
    array, _ = matrix()
    A = make(array)
    clock.fastest = next(one for one in candidate_formats(it.as_tensor(A).format) if one.has_diagonals)
    kernel = it.compile(SPMV, tune="format")
    np.testing.assert_array_equal(kernel(A, np.ones(31)), array.sum(1))
    made = len(conversions)
    np.testing.assert_array_equal(kernel(A, np.ones(31)), array.sum(1))
    assert len(conversions) == made and it.cache_info().copies.entries == 1
    with pytest.raises(ValueError, match="read-only"):
        A.data[0] = 7
    A.data = 2 * A.data
    np.testing.assert_array_equal(kernel(A, np.ones(31)), 2 * array.sum(1))
    data = A.data
    del A
    gc.collect()
    data[0] = 7
    assert it.cache_info().copies.entries == 0


def test_what_is_made_at_each_call_is_read_as_it_is(clock):
    array, A = matrix()
    kernel = it.compile(SPMV, tune="format")
    np.testing.assert_array_equal(kernel(sp.coo_array(array), np.ones(31)), array.sum(1))
    converting = it.compile(SPMV, {"A": it.ELL}, tune="format")
    np.testing.assert_array_equal(converting(A, np.ones(31)), array.sum(1))
    assert not clock.measured
    for one in (kernel, converting):
        assert "read as it is: it is converted at each call, and a copy is kept beside a Tensor" in one.explain()


@pytest.mark.parametrize(
    ("format", "array", "why"),
    [
        (it.CSR, np.zeros((29, 31)), "it has no entries"),
        (it.BCSR(2, 2), entries((29, 31)), "it stores elements that are 0, which other formats omit"),
    ],
)
def test_operands_of_which_no_copy_comes_into_question(format, array, why, clock):
    kernel = it.compile(SPMV, tune="format")
    A = it.Tensor.from_numpy(array, format)
    np.testing.assert_array_equal(kernel(A, np.ones(31)), array.sum(1))
    assert f"read as it is: {why}" in kernel.explain() and not clock.measured


def test_blocks_are_converted_where_zeros_are_no_matter(clock):
    array = entries((29, 31), dtype=np.int64)
    A = it.Tensor.from_numpy(array, it.BCSR(2, 2))
    clock.fastest = it.CSR
    kernel = it.compile(SPMV, tune="format")
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, np.arange(31)), array @ np.arange(31))
    assert "compressed" in taken(kernel)[0]


@pytest.mark.parametrize("format", [it.DIA, it.ELL, it.BCSR(2, 2), it.CSR, it.CSC], ids=str)
@pytest.mark.parametrize("shape", [(3, 4), (0, 4), (3, 0)])
def test_operands_that_may_store_elements_and_have_no_entry(format, shape, clock):
    A = it.Tensor.from_numpy(np.zeros(shape, int), format)
    if all(shape):
        A = it.Tensor.from_coo([[1], [1]], np.zeros(1, int), shape=shape, format=format)
    kernel = it.compile(SPMV, tune="format")
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, np.arange(shape[1])), np.zeros(shape[0]))


def test_entries_that_are_stored_several_times_are_not_converted(clock):
    A = it.Tensor.from_coo(
        [[0, 0], [1, 1]],
        [1.0, 2.0],
        shape=(2, 2),
        format="compressed(nonunique), singleton(nonunique)",
        duplicates="keep",
    )
    kernel = it.compile(SPMV, tune="format")
    np.testing.assert_array_equal(kernel(A, np.ones(2)), [3.0, 0.0])
    assert "entries may be stored several times" in kernel.explain() and not clock.measured


def test_prepare_assemble_and_compute_read_operands_as_they_are(clock):
    array, A = matrix()
    kernel = it.compile("C[i,j] = A[i,j] * x[j]", {"C": it.CSR}, tune="format")
    x = np.arange(31.0)
    index = kernel.prepare(A, x).assemble(A, x)
    np.testing.assert_array_equal(kernel.compute(index, A, x).to_numpy(), array * x)
    assert not clock.measured
    assert "measured with the first call for each sparse operand" in kernel.explain()


EXPLAINED = """
  A
     1000.0000 ms   88 bytes  (i, j) -> (i : dense, j : padded), pos = i32, crd = i32  <- taken
     2000.0000 ms  176 bytes  (i, j) -> (i : dense, j : compressed)  <- as given
     2000.0000 ms   88 bytes  (i, j) -> (j : dense, i : padded), pos = i32, crd = i32
     2000.0000 ms  116 bytes  (i, j) -> (i : dense, j : compressed), pos = i32, crd = i32
     2000.0000 ms  116 bytes  (i, j) -> (j : dense, i : compressed), pos = i32, crd = i32
     2000.0000 ms  120 bytes  (i, j) -> (i : compressed(nonunique), j : singleton), pos = i32, crd = i32
     2000.0000 ms  152 bytes  (i, j) -> (i : compressed, j : compressed), pos = i32, crd = i32
    not tried, 7.0 entries stored for each one: (i, j) -> (i : dense, j : dense)
    not tried, 7.0 entries stored for each one: (i, j) -> (j - i : compressed, i : range, j : offset)
    the copy is freed with A, whose values cannot be changed in place meanwhile: assign others"""


def test_explain_says_what_was_measured_and_what_was_not_tried(clock, monkeypatch):
    monkeypatch.setattr(candidate_formats_module, "_BLOCKS", ())
    monkeypatch.setattr(format_trial, "_MOST_ELEMENTS", 2.0)
    monkeypatch.setattr(format_trial, "_MOST_BYTES", 2.0)
    clock.fastest = it.ELL
    kernel = it.compile(SPMV, tune="format")
    kernel(it.Tensor.from_numpy(np.fliplr(np.eye(7)), it.CSR), np.ones(7))
    text = kernel.explain().partition("formats of operands, measured")[2].partition("\n\n")[0]
    assert text == EXPLAINED
