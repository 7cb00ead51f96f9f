"""Results in levels of one run: pieces of any kind that make one are joined, and all others are refused."""

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

STATEMENTS = {
    "C[i,j] = 3 * A[i,j]": lambda A, B: 3 * A,
    "C[i,j] = A[i,j] * B[i,j]": lambda A, B: A * B,
    "C[i,j] = A[i,j] + B[i,j]": lambda A, B: A + B,
    "C[i,j] = A[i,j] - B[i,j]": lambda A, B: A - B,
    "C[i,j] = max(A[i,j], B[i,j])": lambda A, B: np.maximum(A, B),
    "C[j,i] = A[i,j]": lambda A, B: A.T,
    "C[i,j] = A[i,j] + B[j,i]": lambda A, B: A + B.T,
}
SOURCES = ("interval", "sparse_run_list", "run_list", "compressed", "dense", "band", "point")


def is_one_run(row):
    """Whether what differs from 0 is one range of equal numbers."""
    at = np.flatnonzero(row)
    return at.size == 0 or (at[-1] - at[0] + 1 == at.size and bool((row[at] == row[at[0]]).all()))


def operand(random, level, size):
    array = np.zeros((size, size))
    for row in array:
        begin, end = sorted(random.integers(0, size + 1, 2))
        row[begin : min(end, begin + 1) if level == "point" else end] = random.integers(1, 3)
    return it.Tensor.from_numpy(array, f"dense, {level}"), array


@pytest.mark.one_in(2)
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("outer", ["dense", "compressed"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("text", STATEMENTS)
def test_results(text, source, outer):
    random = np.random.default_rng(5)
    kernels = [it.compile(text, {"C": f"{outer}, interval"}, num_threads=threads) for threads in (1, 2)]
    accepted = 0
    for size in (1, 2, 3, 3, 3, 5, 6):
        (A, a), (B, b) = operand(random, source, size), operand(random, "interval", size)
        operands = {"A": A, "B": B} if "B" in text else {"A": A}
        expected = STATEMENTS[text](a, b)
        if not all(map(is_one_run, expected)):
            for kernel in kernels:
                with pytest.raises(
                    it.UserError, match=r"level 1 .* : interval.* one run for each parent|the same at all"
                ):
                    kernel(**operands)
            continue
        accepted += 1
        results = [kernel(**operands) for kernel in kernels]
        for result in results:
            result.check()
            np.testing.assert_array_equal(result.to_numpy(), expected)
        for one, two in zip(*(result.buffers() for result in results), strict=True):
            np.testing.assert_array_equal(one, two)
    assert accepted


def test_the_index_first():
    A = it.Tensor.from_numpy(np.array([[0.0, 2, 2], [0, 0, 0], [3, 0, 0]]), "dense, interval")
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": "dense, interval"})
    index = kernel.assemble(A=A)
    computed = kernel.compute(index, A=A)
    for one, two in zip(computed.buffers(), kernel(A=A).buffers(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_no_element_is_listed():
    """What is covered would not fit into any memory."""
    extent = 1 << 50
    arrays = {"begins": [5, 7], "ends": [extent - 5, extent]}
    A = it.Tensor.from_buffers((2, extent), "dense, interval", [None, arrays], [1.0, 2.0])
    result = it.compile("C[i,j] = 2 * A[i,j] + A[i,j]", {"C": "dense, interval"})(A=A)
    assert result.levels[1].array("begins").tolist() == [5, 7]
    assert result.levels[1].array("ends").tolist() == [extent - 5, extent]
    assert result.values.tolist() == [3.0, 6.0]


def test_what_is_not_one_run():
    A, B = (
        it.Tensor.from_numpy(np.array([[0.0, 0, 0, 0], row]), "dense, interval")
        for row in ([2.0, 0, 0, 0], [0.0, 0, 3, 0])
    )
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", {"C": "dense, interval"})
    text = (
        "error: [format-mismatch] the result: level 1 (j : interval) holds one run for each parent, but the fiber at "
        "i = 1 has coordinates 0 and 2, and none between\nhelp: store this dimension in a compressed level"
    )
    check_error(lambda: kernel(A=A, B=B), "format-mismatch", text)
