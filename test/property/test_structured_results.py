"""Results in structured levels: kernels write the arrays that the conversion of a list gives, or refuse as it does."""

from itertools import product

import numpy as np
import pytest
from structured_operands import PLACES, TRIANGULAR, structured_operand

import irtensor as it

RESULTS = [
    *product(("point", "band", "ragged", "interval", "block_list"), PLACES),
    *product(("triangle", "strict_triangle"), TRIANGULAR),
]
SIZES = (1, 2, 3, 5, 6)


def assert_equal_arrays(found, expected):
    assert found.format == expected.format and found.shape == expected.shape
    found.check()
    for one, other in zip(found.buffers(), expected.buffers(), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def listed(format):
    """The format with lists in place of all levels, in the same order."""
    format = it.Format(format)
    names = "ijk"[: format.rank]
    order = ", ".join(f"{names[dimension]} : compressed" for dimension in format.dimension_order)
    return f"({', '.join(names)}) -> ({order})"


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.parametrize("source", ["same", "lists"])
@pytest.mark.parametrize(("level", "place"), RESULTS)
def test_arrays(level, place, source):
    """One and two threads, from an operand of the same structure and from lists, whose loops visit entries alone."""
    own = place.format(level, level)
    rank = it.Format(own).rank
    index, random = ",".join("ijk"[:rank]), np.random.default_rng(rank)
    kernels = [it.compile(f"R[{index}] = 2 * A[{index}]", {"R": own}, num_threads=threads) for threads in (1, 2)]
    for size in (0, *SIZES):
        shape = (size,) * rank if "triangle" in level else (size, 5, 4)[:rank] if size % 2 else (5, size, 3)[:rank]
        A, a = structured_operand(own, shape, random)
        A = A.to_format(listed(own)) if source == "lists" else A
        expected = it.compile(f"R[{index}] = 2 * A[{index}]", {"R": listed(own)})(A=A).to_format(own)
        np.testing.assert_array_equal(expected.to_numpy(), 2 * a)
        for kernel in kernels:
            assert_equal_arrays(kernel(A=A), expected)
    # Ranges are written to an interval that is not innermost; loops over lists come to single coordinates.
    is_native = level != "interval" or (source == "same" and it.Format(own).levels[-1].format.name != level)
    assert ("R is computed as written above, and converted" not in kernels[0].explain()) == is_native


# Entries that do not fit, in rows of four, and what the conversion says of them.
MISFITS = {
    "point": (
        [[0, 0, 0, 0], [0, 2, 0, 3]],
        "one entry for each parent, but the fiber at i = 1 has coordinates 1 and 3",
    ),
    "interval": (
        [[0, 0, 0, 0], [2, 0, 0, 3]],
        "one run for each parent, but the fiber at i = 1 has coordinates 0 and 3",
    ),
    "triangle": ([[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 5]], "the fiber at i = 2 has coordinate 3"),
    "strict_triangle": ([[0, 0, 0, 0], [1, 1, 0, 0]], "the fiber at i = 1 has coordinate 1"),
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("place", ["dense, {}", "dense, {}, compressed"])
@pytest.mark.parametrize("level", MISFITS)
def test_what_does_not_fit(level, place):
    rows, text = MISFITS[level]
    array = np.array(rows + [[0] * 4] * (4 - len(rows)), float)
    rank = it.Format(place.format(level)).rank
    index, array = ",".join("ijk"[:rank]), array if rank == 2 else array[..., None] * np.array([1.0, 0, 1])
    A = it.Tensor.from_numpy(array, ", ".join(["dense"] + ["compressed"] * (rank - 1)))
    for threads in (1, 2):
        kernel = it.compile(f"R[{index}] = 2 * A[{index}]", {"R": place.format(level)}, num_threads=threads)
        with pytest.raises(it.UserError, match=rf"\[format-mismatch\] the result: level 1 \(j : {level}\) .*{text}"):
            kernel(A=A)
        array[1:3] = 0
        fitting = it.Tensor.from_numpy(array, A.format)
        np.testing.assert_array_equal(kernel(A=fitting).to_numpy(), 2 * array)
        array = A.to_numpy()


def refused(kernel, operands):
    with pytest.raises(it.UserError) as caught:
        kernel(**operands)
    return str(caught.value)


def converted(tensor, format):
    """The tensor in a format, or the text of the error."""
    try:
        return tensor.to_format(format)
    except it.UserError as error:
        return str(error).replace("[format-mismatch] ", "[format-mismatch] the result: ")


# Statements whose loops come in another order, sum into entries, or visit what is no entry; of matrices.
STATEMENTS = {
    "R[j,i] = A[i,j]": lambda A, B: A.T,
    "R[i,j] = A[i,k] * B[k,j]": lambda A, B: A @ B,
    "R[i,j] = max(k, A[i,k] * B[k,j])": lambda A, B: (A[:, :, None] * B).max(1, initial=0),
    "R[i,j] = A[i,j] + B[i,j]": lambda A, B: A + B,
    "R[i,j] = A[i,j] * B[i,j]": lambda A, B: A * B,
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("place", ["dense, {}", "compressed, {}", "{}, dense"])
@pytest.mark.parametrize("level", ["point", "band", "ragged", "interval", "block_list", "triangle"])
@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text, level, place):
    # Innermost intervals have tests of their own.
    if (level == "triangle" and place != "dense, {}") or (level == "interval" and place != "{}, dense"):
        return
    own, random, accepted = place.format(level), np.random.default_rng(3), 0
    for n in (1, 2, 3, 4, 4, 5):
        pairs = [structured_operand(f"dense, {level}", (n, n), random, 0.6) for _ in range(2)]
        operands = {name: one.to_format("csr") for name, (one, _) in zip("AB", pairs, strict=True) if name in text}
        lists = it.compile(text, {"R": "dense, compressed"})(**operands)
        np.testing.assert_array_equal(lists.to_numpy(), STATEMENTS[text](*(dense for _, dense in pairs)))
        for threads in (1, 2):
            kernel = it.compile(text, {"R": own}, num_threads=threads)
            expected = converted(lists, own)
            if isinstance(expected, str):
                assert refused(kernel, operands) == expected
                continue
            accepted += 1
            found = kernel(**operands)
            if "compressed, " in place:
                np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy())
            else:
                assert_equal_arrays(found, expected)
    assert accepted


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.parametrize(("place", "shape"), [("dense, point, dense", (3, 1)), ("dense, triangle, dense", (1, 1))])
def test_entries_that_start_from_another_value(place, shape):
    """A least value is combined from infinity on, and elements without entries are 0."""
    random = np.random.default_rng(4)
    a, b = random.integers(1, 9, (*shape, 4)), random.integers(1, 9, (4, 5))
    A = it.Tensor.from_numpy(a, place)
    for threads in (1, 2):
        kernel = it.compile("R[i,j,k] = min(l, A[i,j,l] * B[l,k])", {"R": place}, num_threads=threads)
        found = kernel(A=A, B=b)
        found.check()
        np.testing.assert_array_equal(found.to_numpy(), (a[..., None] * b).min(2))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("level", ["point", "band", "ragged", "block_list", "triangle"])
@pytest.mark.parametrize("place", ["dense, {}", "dense, {}, compressed", "compressed, {}"])
def test_emulated_gpu(place, level):
    own, random = place.format(level), np.random.default_rng(6)
    if (level, place) == ("triangle", "compressed, {}"):
        return
    index = ",".join("ijk"[: it.Format(own).rank])
    kernels = [it.compile(f"R[{index}] = 2 * A[{index}]", {"R": own}, target=one) for one in ("cpu", "cuda-emulated")]
    for _ in range(3):
        A, _ = structured_operand(own, (5,) * (len(index) + 1 >> 1), random)
        expected, found = (kernel(A=A.to_format(listed(own))) for kernel in kernels)
        assert_equal_arrays(found, expected)
