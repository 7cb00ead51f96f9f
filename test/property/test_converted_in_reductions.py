"""What no order of loops can read as it is stored, in and around reductions: it is converted for all loops."""

import itertools

import numpy as np
import pytest

import irtensor as it

FORMATS = [
    "compressed, compressed, compressed, compressed",
    "compressed(nonunique), singleton(nonunique), singleton(nonunique), singleton",
    "dense, compressed, dense, compressed",
    "(p, q, r, s) -> (q : bitmap, s : hashed, p : compressed, r : padded)",
]
PATTERNS = sorted({"".join(order) for order in itertools.permutations("ijjk")})


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("left", ["ik", "ki", "i", "ijk"])
def test_a_repeated_index(pattern, left, format):
    rng = np.random.default_rng(len(pattern))
    values = (rng.random((3, 3, 3, 3)) < 0.4) * rng.integers(1, 9, (3, 3, 3, 3)).astype(float)
    summed = "".join(variable for variable in "jk" if variable not in left)
    access = f"A[{','.join(pattern)}]"
    body = f"sum({','.join(summed)}, {access})" if summed else access
    kernel = it.compile(f"R[{','.join(left)}] = {body} + 1")
    found = kernel(A=it.Tensor.from_numpy(values, format))
    np.testing.assert_array_equal(found, np.einsum(f"{pattern}->{left}", values) + 1)


@pytest.mark.parametrize("cut", ["split(f, g, h, 2)", "divide(f, g, h, 3)"])
@pytest.mark.parametrize(
    "format", ["csf(3)", "dense, padded, compressed", "(i, j, k) -> (k : dense, j : compressed, i : compressed)"]
)
def test_fused_loops_around_a_reduction_convert_what_it_reads(format, cut):
    A = np.arange(48.0).reshape(4, 4, 3) - 20
    schedule = it.schedule(f"fuse(j, k, f); {cut}")
    kernel = it.compile("s = sum(j, k, abs(sum(i, A[k,j,i])))", formats={"A": format}, schedule=schedule)
    assert kernel(A=A) == abs(A.sum(axis=2)).sum()
