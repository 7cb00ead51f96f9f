"""The whole texts of errors about element types and index widths."""

# ruff: noqa: E501 (messages are whole lines)

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

V = np.arange(3.0)
I, J = it.indices("i j")
# A row of 200 entries.
NARROW = it.Tensor.from_numpy(np.ones((1, 200)), "csr")


def assign_to_integers() -> None:
    target = it.Tensor.from_numpy(np.zeros(3, np.int8))
    target[I] = it.as_tensor(V)[I] + 1


def negative_of_floats_in_integers() -> None:
    out: Any = it.Tensor.from_numpy(np.zeros(3, np.int8))
    np.negative(it.as_tensor(V), out=out)


CASES: list[tuple[str, Callable[[], object], str]] = [
    (
        "bad-cast",
        lambda: it.compile("y[i] = A[i,j] + 1", dtypes={"y": "int32"})(A=V.reshape(1, -1)),
        """<notation>:1:1: error: [bad-cast] the result y has dtype float64, which is not converted to int32
  y[i] = A[i,j] + 1
  ^^^^
help: write the conversion: y[i] = int32(sum(j, A[i, j]) + 1)""",
    ),
    (
        "bad-cast",
        lambda: it.compile("y[i] = real(z[i]) + z[i]")(z=V + 1j, out=np.zeros(3)),
        """<notation>:1:1: error: [bad-cast] the result y has dtype complex128, which is not converted to float64
  y[i] = real(z[i]) + z[i]
  ^^^^
help: write the conversion: y[i] = float64(real(z[i]) + z[i])""",
    ),
    (
        "bad-cast",
        assign_to_integers,
        """error: [bad-cast] the expression has dtype float64, which is not converted to int8, the dtype of its result
help: convert the expression with .astype('int8')""",
    ),
    (
        "bad-cast",
        negative_of_floats_in_integers,
        """error: [bad-cast] the result has dtype float64, which is not converted to int8, the dtype of out
help: convert it yourself: .astype('int8')""",
    ),
    (
        "bad-format",
        lambda: it.Format("dense, compressed(crd = i12)"),
        """<format>:1:25: error: [bad-format] 'i12' is not an index width
  dense, compressed(crd = i12)
                          ^^^
help: widths are i8, i16, i32 and i64, of signed integers""",
    ),
    (
        "bad-format",
        lambda: it.Format("dense(crd = i8), compressed"),
        """<format>:1:7: error: [bad-format] a dense level has no coordinates, so that crd has no width
  dense(crd = i8), compressed
        ^^^
help: levels with crd are compressed, singleton, hashed, padded, run_list, sparse_run_list, block_list, point, band, interval""",
    ),
    (
        "bad-format",
        lambda: it.Format("compressed(nonunique), singleton(pos = i8)"),
        """<format>:1:34: error: [bad-format] a singleton level has no positions, so that pos has no width
  compressed(nonunique), singleton(pos = i8)
                                   ^^^
help: levels with pos are compressed, hashed, padded, run_list, sparse_run_list, block_list, band, ragged""",
    ),
    (
        "bad-format",
        lambda: it.Format("compressed(pos = i8, pos = i16)"),
        """<format>:1:22: error: [bad-format] 'pos' is given twice
  compressed(pos = i8, pos = i16)
                       ^^^
help: a level has one width of pos, and one of crd""",
    ),
    (
        "bad-format",
        lambda: it.Format("compressed(crd)"),
        """<format>:1:15: error: [bad-format] expected '=' after 'crd', found ')'
  compressed(crd)
                ^
help: write levels such as dense, compressed or (i, j) -> (j : dense, i : compressed), fill = 0""",
    ),
    (
        "bad-format",
        lambda: it.Format("compressed(unordered)"),
        """<format>:1:12: error: [bad-format] 'unordered' is not a level property
  compressed(unordered)
             ^^^^^^^^^
help: did you mean nonordered? write nonunique or nonordered, or a width as pos = i32 and crd = i16""",
    ),
    (
        "bad-format",
        lambda: it.CSR.with_widths(64, 12),
        """error: [bad-format] width of crd is 12 bits
help: widths are 8, 16, 32 and 64""",
    ),
    (
        "index-overflow",
        lambda: it.compile("C[i,j] = A[i,j]", {"C": "csr, crd = i8"})(A=NARROW),
        """error: [index-overflow] level 1 (j : compressed) has extent 200, beyond 8-bit coordinates
help: use crd = i16""",
    ),
    (
        "index-overflow",
        lambda: it.compile("C[i,j] = A[i,j]", {"C": "compressed, compressed(pos = i8)"})(A=NARROW),
        """error: [index-overflow] level 1 (j : compressed(pos = i8)) has 200 entries, beyond 8-bit positions
help: use pos = i16""",
    ),
    (
        "index-overflow",
        lambda: NARROW.to_format("ell, pos = i8, crd = i16"),
        """error: [index-overflow] level 1 (j : padded) has 200 slots, beyond 8-bit positions
help: use pos = i16""",
    ),
    (
        "index-overflow",
        lambda: NARROW.to_format("csr, crd = i8"),
        """error: [index-overflow] level 1 (j : compressed) has extent 200, beyond 8-bit coordinates
help: use crd = i16""",
    ),
    (
        "index-overflow",
        lambda: it.Tensor.from_buffers((1, 200), "csr, crd = i8", [None, ([0, 1], [1])], [1.0], check=False),
        """error: [index-overflow] level 1 (j : compressed) has extent 200, beyond 8-bit coordinates
help: use crd = i16""",
    ),
    (
        "bad-storage",
        lambda: it.Tensor.from_buffers((1, 90), "csr, pos = i8", [None, ([0, 300], [1])], [1.0]),
        """error: [bad-storage] level 1: positions has values up to 300, beyond int8
help: use pos = i16 in the format""",
    ),
    (
        "bad-storage",
        lambda: it.Tensor.from_buffers((1, 90), "csr", [None, ([0, 1], [1.5])], [1.0]),
        """error: [bad-storage] level 1: coordinates has dtype float64, expected integers
help: pass a flat list of integers""",
    ),
    (
        "bad-format",
        lambda: it.CSR.with_widths([8], [8]),  # pyrefly: ignore[bad-argument-type]
        """error: [bad-format] width of pos is [8]
help: give one number for all levels, or say format.with_level_widths(positions, coordinates)""",
    ),
    (
        "bad-format",
        lambda: it.CSR.with_level_widths(8, 8),  # pyrefly: ignore[bad-argument-type]
        """error: [bad-format] widths of levels are a int
help: give a list with a number for each level, or say format.with_widths(pos, crd)""",
    ),
    (
        "bad-format",
        lambda: it.Format("csr, pos = i7"),
        """<format>:1:1: error: [bad-format] unknown level format 'csr'
  csr, pos = i7
  ^^^
help: names are for format= and formats=, as format='CSR'; irtensor.CSR gives the format""",
    ),
    (
        "bad-format",
        lambda: it.Tensor.from_numpy(np.eye(2), "csr; pos = i8"),
        """<format>:1:1: error: [bad-format] unknown level format 'csr'
  csr; pos = i8
  ^^^
help: write CSR alone, or with settings behind it, as in 'CSR, crd = i32, fill = inf'""",
    ),
    (
        "bad-format",
        lambda: it.Tensor.from_numpy(np.eye(2), "csr(3)"),
        """error: [bad-format] 'csr(3)': CSR takes no numbers
help: write CSR alone""",
    ),
    (
        "bad-format",
        lambda: it.Format("dense, hashed(nonunique)"),
        """<format>:1:8: error: [bad-format] level format 'hashed(nonunique)' is impossible: a hashed level holds each coordinate once
  dense, hashed(nonunique)
         ^^^^^^
help: omit nonunique, or list the coordinates in a compressed(nonunique) level""",
    ),
    (
        "unsupported-operator",
        lambda: it.compile("y[i] = complex(complex(x[i], 1), 1)")(x=V),
        """<notation>:1:8: error: [unsupported-operator] operator 'complex' is not defined for complex128, int
  y[i] = complex(complex(x[i], 1), 1)
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
help: take real(...), imag(...) or abs(...) of complex numbers first""",
    ),
    (
        "unsupported-operator",
        lambda: it.compile("y[i] = x[i] & z[i]")(x=V, z=V + 1j),
        """<notation>:1:8: error: [unsupported-operator] operator 'and' is not defined for float64, complex128
  y[i] = x[i] & z[i]
         ^^^^^^^^^^^
help: convert to integers first, as in int64(real(...))""",
    ),
    (
        "unsupported-operator",
        lambda: it.compile("y[i] = -(x[i] > 1)")(x=V),
        """<notation>:1:8: error: [unsupported-operator] operator 'neg' is not defined for bool
  y[i] = -(x[i] > 1)
         ^^^^^^^^^^^
help: convert truth values to integers first, as in int8(...)""",
    ),
    (
        "bad-storage",
        lambda: it.Tensor.from_buffers((1, 2), "csr, crd = i8", [None, ([0, 1], np.array([1], np.uint8))], [1.0]),
        """error: [bad-storage] 'tensor' level 1 (j : compressed): coordinates has dtype uint8, expected int8
help: convert the array with .astype, or give the format other widths with format.with_widths(pos, crd)""",
    ),
    (
        "unsupported-dtype",
        lambda: it.as_tensor(V)[I].astype("timedelta64[s]"),
        """error: [unsupported-dtype] no element is converted to timedelta64[s]
help: supported are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128""",
    ),
    (
        "wrong-arity",
        lambda: it.compile("y[i] = int8(x[i], 2)"),
        """<notation>:1:8: error: [wrong-arity] int8 takes 1 argument, got 2
  y[i] = int8(x[i], 2)
         ^^^^^^^^^^^^^
help: write int8(A[i])""",
    ),
]


@pytest.mark.parametrize(("slug", "use", "text"), CASES, ids=[f"{slug}-{n}" for n, (slug, _, _) in enumerate(CASES)])
def test_texts(slug: str, use: Callable[[], object], text: str) -> None:
    check_error(use, slug, text)
