"""Errors about symmetric formats, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

CSR = "dense, compressed, symmetric"
EYE = np.eye(3)
A = it.Tensor.from_numpy(EYE, CSR)
CASES = [
    (
        "bad-format",
        lambda: it.Format("dense, compressed, symmetric(i)"),
        """<format>:1:20: error: [bad-format] symmetric(i): two or more different dimensions are symmetric
  dense, compressed, symmetric(i)
                     ^^^^^^^^^
help: write symmetric for all dimensions, or some of them as symmetric(i, j)""",
    ),
    (
        "bad-format",
        lambda: it.Format("dense, compressed, symmetric(i, k)"),
        """<format>:1:33: error: [bad-format] 'k' is not a dimension
  dense, compressed, symmetric(i, k)
                                  ^
help: the dimensions are i, j""",
    ),
    (
        "bad-format",
        lambda: it.Format("(i, j) -> (i floordiv 2 : dense, j : compressed, i mod 2 : dense), symmetric"),
        """<format>:1:68: error: [bad-format] level 0 (i floordiv 2 : dense) stores a part of a coordinate, and symmetric(i, j) needs whole ones
  (i, j) -> (i floordiv 2 : dense, j : compressed, i mod 2 : dense), symmetric
                                                                     ^^^^^^^^^
help: store each symmetric dimension in one level, without blocks and diagonals""",
    ),
    (
        "bad-format",
        lambda: it.Format("dense, compressed, symmetric, symmetric"),
        """<format>:1:31: error: [bad-format] 'symmetric' is given twice
  dense, compressed, symmetric, symmetric
                                ^^^^^^^^^
help: options are fill, pos, crd, symmetric and leaf""",
    ),
    (
        "bad-format",
        lambda: it.Format("(i, j) -> (i : dense, j : compressed), symetric"),
        """<format>:1:40: error: [bad-format] 'symetric' is not an option
  (i, j) -> (i : dense, j : compressed), symetric
                                         ^^^^^^^^
help: did you mean symmetric? options are fill, pos, crd, symmetric and leaf""",
    ),
    (
        "bad-format",
        lambda: it.Tensor.from_numpy(EYE, "csr, crd = i32, symetric"),
        """<format>:1:17: error: [bad-format] 'symetric' is not an option
  csr, crd = i32, symetric
                  ^^^^^^^^
help: did you mean symmetric? options are fill, pos, crd, symmetric and leaf""",
    ),
    (
        "bad-format",
        lambda: it.Tensor.from_numpy(EYE, "coo, symmetric(i)"),
        """<format>:1:6: error: [bad-format] symmetric(i): two or more different dimensions are symmetric
  coo, symmetric(i)
       ^^^^^^^^^
help: write symmetric for all dimensions, or some of them as symmetric(i, j)""",
    ),
    (
        "bad-format",
        lambda: it.core.tensor_format.TensorFormat(2, A.format.levels, symmetric=(0, 2)),
        """error: [bad-format] dimension 2 is symmetric, but the rank is 2
help: write symmetric for all dimensions, or some of them as symmetric(i, j)""",
    ),
    (
        "extent-mismatch",
        lambda: it.Tensor.from_numpy(np.ones((2, 3)), CSR),
        """error: [extent-mismatch] the format is symmetric, but the extents of i and j are 2, 3
help: use the format without the option: '(i, j) -> (i : dense, j : compressed)'""",
    ),
    (
        "extent-mismatch",
        lambda: it.compile("y[i] = A[i,j] * x[j]", {"A": CSR})(A=np.ones((2, 3)), x=np.ones(3)),
        """error: [extent-mismatch] operand A: the format is symmetric, but the extents of i and j are 2, 3
help: use the format without the option: '(i, j) -> (i : dense, j : compressed)'""",
    ),
    (
        "not-symmetric",
        lambda: it.compile("y[i] = A[i,j] * x[j]", {"A": CSR})(
            A=it.Tensor.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]]), "csr"), x=np.ones(2)
        ),
        """error: [not-symmetric] operand A: the data are not symmetric: the element at (0, 1) is 2.0, but its mirror at (1, 0) is 3.0
help: make the mirrors equal, or use the format without the option: '(i, j) -> (i : dense, j : compressed)'""",
    ),
    (
        "extent-mismatch",
        lambda: it.Tensor.from_buffers((2, 3), CSR, [None, ([0, 0, 0], [])], np.zeros(0)),
        """error: [extent-mismatch] 'tensor' is symmetric, but the extents of i and j are 2, 3
help: use the format without the option: '(i, j) -> (i : dense, j : compressed)'""",
    ),
    (
        "not-symmetric",
        lambda: it.Tensor.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]]), CSR),
        """error: [not-symmetric] the data are not symmetric: the element at (0, 1) is 2.0, but its mirror at (1, 0) is 3.0
help: make the mirrors equal, or use the format without the option: '(i, j) -> (i : dense, j : compressed)'""",
    ),
    (
        "not-symmetric",
        lambda: it.Tensor.from_coo([[0], [2], [1]], [5], shape=(3, 3, 3), format="csf, symmetric(i, k), fill = 7"),
        """error: [not-symmetric] the data are not symmetric(i, k): the element at (0, 2, 1) is 5, but its mirror at (1, 2, 0) is 7
help: make the mirrors equal, or use the format without the option: '(i, j, k) -> (i : compressed, j : compressed, k : compressed), fill = 7'""",
    ),
    (
        "bad-storage",
        lambda: it.Tensor.from_buffers((2, 2), CSR, [None, ([0, 1, 3], [0, 0, 1])], [1.0, 2.0, 3.0]),
        """error: [bad-storage] 'tensor' values[1] is 2.0 at (1, 0), and of mirrors in a format that is symmetric only the one is stored whose coordinates do not decrease
help: build the tensor with Tensor.from_coo, of all entries, which keeps one of the mirrors""",
    ),
    (
        "format-mismatch",
        lambda: it.Tensor.from_coo(
            [[0, 0], [0, 0]],
            [1, 2],
            shape=(2, 2),
            format="compressed(nonunique), singleton(nonunique), symmetric",
            duplicates="keep",
        ),
        """error: [format-mismatch] duplicates cannot be kept: the format is symmetric, and mirrors are compared
help: pass duplicates='sum', or use '(i, j) -> (i : compressed(nonunique), j : singleton(nonunique))'""",
    ),
    (
        "symmetric-operand",
        lambda: it.compile("y[i] = A[i,j] * A[j,i]", convert=False)(A=A),
        """<notation>:1:8: error: [symmetric-operand] 'A', stored (i, j) -> (i : dense, j : compressed), symmetric, is not read for an entry and its mirrors at once: it is read several times
  y[i] = A[i,j] * A[j,i]
         ^
help: store it (i, j) -> (i : dense, j : compressed), or allow conversions (convert=True; the pass match-symmetric)""",
    ),
    (
        "symmetric-operand",
        lambda: it.compile("C[k,l] = D[i,k] * A[i,j] * D[j,l]", {"C": "csr"}, convert=False)(A=A, D=EYE),
        """<notation>:1:19: error: [symmetric-operand] 'A', stored (i, j) -> (i : dense, j : compressed), symmetric, is not read for an entry and its mirrors at once: 'C', stored (i, j) -> (i : dense, j : compressed), is appended to by one statement
  C[k,l] = D[i,k] * A[i,j] * D[j,l]
                    ^
help: store it (i, j) -> (i : dense, j : compressed), or allow conversions (convert=True; the pass match-symmetric)""",
    ),
    (
        "not-symmetric",
        lambda: it.compile("C[i,j] = A[i,j] * x[j]", {"C": CSR})(
            A=it.Tensor.from_numpy(np.ones((2, 2)), CSR), x=np.array([1.0, 2.0])
        ),
        """error: [not-symmetric] the result: the data are not symmetric: the element at (0, 1) is 2.0, but its mirror at (1, 0) is 1.0
help: make the mirrors equal, or use the format without the option: '(i, j) -> (i : dense, j : compressed)'""",
    ),
]


@pytest.mark.parametrize(("slug", "call", "text"), CASES)
def test_texts(slug, call, text):
    check_error(call, slug, text)


def test_explain_says_which_happens():
    kernel = it.compile("y[i] = A[i,j] * x[j]")
    kernel(A=A, x=np.ones(3))
    stored = "(i, j) -> (i : dense, j : compressed), symmetric"
    assert f"  'A', stored {stored}, is read once: each entry stands for its mirrors too\n" in kernel.explain()
    assert "if i != j\n" in kernel.explain()
    kernel = it.compile("Y[i,j] = A[i,j] + 1")
    kernel(A=A)
    reason = "something is computed where it has no entry"
    whole = "(i, j) -> (i : dense, j : compressed)"
    assert f"  'A', stored {stored}, is converted to {whole}: {reason}\n" in kernel.explain()
