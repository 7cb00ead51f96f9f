"""The whole texts of errors about element types and index widths."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

V = np.arange(3.0)
I, J = it.indices("i j")


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
        """error: [bad-cast] the result B has dtype float64, which is not converted to int8
help: convert the expression with .astype('int8')""",
    ),
    (
        "bad-cast",
        negative_of_floats_in_integers,
        """error: [bad-cast] the result has dtype float64, which is not converted to int8, the dtype of out
help: convert it yourself: .astype('int8')""",
    ),
    (
        "unsupported-dtype",
        lambda: it.as_tensor(V)[I].astype("uint8"),
        """error: [unsupported-dtype] no element is converted to uint8
help: supported are bool, int8, int16, int32, int64, float32, float64, complex64, complex128""",
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
