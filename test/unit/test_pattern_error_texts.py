"""Errors about formats without values, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

CSR = "csr, leaf = pattern"
EYE = np.eye(3)
A = it.Tensor.from_numpy(EYE > 0, CSR)
GAP = it.Tensor.from_numpy(np.array([[True, False, True]]), CSR)
POSITIONS = [None, ([0, 1, 2, 3], [0, 1, 2])]


def assign(array):
    A.values = array


CALLS = [
    ("bad-format", lambda: it.Format("dense, compressed, leaf = values")),
    ("bad-format", lambda: it.Format("dense, compressed, leaf = pattern, leaf = pattern")),
    ("bad-format", lambda: it.Format("dense, compressed, leaf = pattern, fill = true")),
    ("bad-format", lambda: it.Format("() -> (), leaf = pattern")),
    ("bad-format", lambda: A.with_fill(True)),
    ("unsupported-dtype", lambda: it.Tensor.from_numpy(EYE, CSR)),
    ("unsupported-dtype", lambda: it.Tensor.from_numpy(EYE, "csr").to_format(CSR)),
    ("unsupported-dtype", lambda: it.compile("C[i,j] = A[i,j] * 2.5", {"C": CSR})(A=A)),
    ("bad-fill", lambda: it.compile("C[i,j] = not(A[i,j])", {"C": CSR})(A=A)),
    ("bad-storage", lambda: it.Tensor.from_buffers((3, 3), CSR, POSITIONS, np.ones(3, bool))),
    ("bad-storage", lambda: it.Tensor.from_buffers((3, 3), "csr", POSITIONS)),
    ("bad-storage", lambda: it.Tensor.from_buffers((3, 3), CSR, [None, ([0, 1, 2, 3], [0, 1, 7])])),
    ("bad-storage", lambda: assign(np.ones(3, bool))),
    ("format-mismatch", lambda: it.Tensor.from_numpy(EYE > 0, "dense, dense, leaf = pattern")),
    (
        "format-mismatch",
        lambda: it.Tensor.from_numpy(
            EYE >= 0, "(i, j) -> (i floordiv 2 : dense, j : dense, i mod 2 : dense), leaf = pattern"
        ),
    ),
    ("format-mismatch", lambda: it.compile("C[i,j] = A[i,j]", {"C": "dense, band, leaf = pattern"})(A=GAP)),
]
TEXTS = [
    """<format>:1:27: error: [bad-format] expected 'pattern' after 'leaf =', found 'values'
  dense, compressed, leaf = values
                            ^^^^^^
help: write leaf = pattern where all stored elements are true; without it, values are stored""",
    """<format>:1:36: error: [bad-format] 'leaf' is given twice
  dense, compressed, leaf = pattern, leaf = pattern
                                     ^^^^
help: options are fill, pos, crd, symmetric and leaf""",
    """<format>:1:36: error: [bad-format] leaf = pattern with fill = true: stored elements are true, and all others are false
  dense, compressed, leaf = pattern, fill = true
                                     ^^^^
help: omit the fill, or omit leaf = pattern, and store values""",
    """<format>:1:11: error: [bad-format] leaf = pattern: a scalar has no entries, and would always be true
  () -> (), leaf = pattern
            ^^^^
help: store its value""",
    """error: [bad-format] leaf = pattern with fill = true: stored elements are true, and all others are false
help: omit the fill, or omit leaf = pattern, and store values""",
    """error: [unsupported-dtype] the array has dtype float64, and a format with leaf = pattern stores bools
help: convert it with .astype(bool), or use the format with values: '(i, j) -> (i : dense, j : compressed)'""",
    """error: [unsupported-dtype] the tensor has dtype float64, and a format with leaf = pattern stores bools
help: convert it with .astype(bool), or use the format with values: '(i, j) -> (i : dense, j : compressed)'""",
    """<notation>:1:1: error: [unsupported-dtype] C has dtype float64, and its format with leaf = pattern stores bools
  C[i,j] = A[i,j] * 2.5
  ^^^^^^
help: compare: C[i, j] = A[i, j] * 2.5 != 0""",
    """<notation>:1:1: error: [bad-fill] C is true where no operand has an entry, and its format with leaf = pattern is false
  C[i,j] = not(A[i,j])
  ^^^^^^
help: negate the expression, or use the format without leaf = pattern""",
    """error: [bad-storage] 'tensor' is given 3 values of dtype bool, but a pattern stores none
help: omit them, or use the format with values: '(i, j) -> (i : dense, j : compressed)'""",
    """error: [bad-storage] 'tensor' is given no values
help: a format without any has leaf = pattern""",
    """error: [bad-storage] 'tensor' level 1 (j : compressed): coordinates[2] is 7, outside 0..2
help: coordinates count from 0""",
    """error: [bad-storage] the elements of a pattern are true, and it has no values
help: store values: T.to_format('(i, j) -> (i : dense, j : compressed)')""",
    """error: [format-mismatch] level 1 (j : dense) of a pattern is true at all elements it has, but the element at (0, 1) is false
help: store that dimension in a compressed level, or use the format with values: '(i, j) -> (i : dense, j : dense)'""",
    """error: [format-mismatch] level 2 (i mod 2 : dense) of a pattern is true at all elements it has, but (3, 0) lies in the padding of a block
help: store that dimension in a compressed level, or use the format with values: '(i, j) -> (i floordiv 2 : dense, j : dense, i mod 2 : dense)'""",
    """error: [format-mismatch] the result: level 1 (j : band) of a pattern is true at all elements it has, but the element at (0, 1) is false
help: store that dimension in a compressed level, or use the format with values: '(i, j) -> (i : dense, j : band)'""",
]


@pytest.mark.parametrize(("case", "text"), list(zip(CALLS, TEXTS, strict=True)))
def test_texts(case, text):
    slug, call = case
    check_error(call, slug, text)
