"""Values of all kinds that someone may hand to a function: few of them suit any one argument."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it


class _ArrayLike:
    """What has the attributes of an array and no elements."""

    shape = (2, 2)
    dtype = "float64"
    ndim = 2


_PLAIN = [
    *(None, "x", b"x", 3, -1, 2**70, 1.5, float("nan"), float("inf"), 1e300, 1j, True, [], [1, 2], [[1, 2], [3]], [[]]),
    *(
        (),
        (3, 3),
        (-1, 3),
        (2.5, 3),
        ("a", 3),
        (2**40, 2**40),
        (10**30,),
        {"a": 1},
        {1, 2},
        range(5),
        print,
        np.float64,
    ),
    *(datetime.date(2020, 1, 1), np.datetime64("2020"), np.int8(3), np.bool_(True), "i", "ij,jk->ik", "csr", "float16"),
    *("(i) -> (i : what)", "(i, j) -> (i : compressed)", it.CSR, it.MIN_PLUS, _ArrayLike()),
]
_TYPES = [np.float16, np.longdouble, np.uint8, np.uint64, object, ">f8", "U1", "M8[D]", [("a", "f8")]]
_ARRAYS = [
    *(lambda: np.zeros(0), lambda: np.zeros((0, 3)), lambda: np.array(5.0), lambda: np.ones((2, 3)), lambda: np.eye(3)),
    *(lambda: np.arange(3), lambda: np.array([[0, 99], [1, 1]]), lambda: np.array([-1, 0]), lambda: np.ones((1,) * 12)),
    *(
        lambda: np.ma.masked_array(np.ones((3, 3)), np.eye(3, dtype=bool)),
        lambda: np.matrix(np.ones((3, 3))),
        lambda: iter([1]),
    ),
]
_SPARSE = [
    *(sp.csr_matrix, sp.coo_array, sp.dok_matrix, sp.lil_matrix, sp.dia_matrix, sp.bsr_matrix),
]


def _odd() -> list[Callable[[], Any]]:
    found: list[Callable[[], Any]] = [lambda value=value: value for value in _PLAIN]
    found += [lambda dtype=dtype: np.zeros((3, 3), dtype) for dtype in _TYPES]
    found += _ARRAYS
    found += [lambda kind=kind: kind(np.eye(3)) for kind in _SPARSE]
    found += [lambda format=format: it.Tensor.from_numpy(np.eye(3), format) for format in ("csr", "coo", "bcsr(2,2)")]
    return [*found, object, lambda: it.Tensor.from_numpy(np.ones((2, 3, 4)), it.CSF(3)), lambda: sp.csr_matrix((0, 3))]


# Makers of the values, which some calls change.
ODD = _odd()
