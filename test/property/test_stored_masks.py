"""Booleans from memory choose between the elements of a sum, in vectors as in single elements."""

import numpy as np
import pytest

import irtensor as it

STATEMENTS = {
    "d[j] = sum(i, where(c[j], A[i,j], 0))": lambda a, c, m: np.where(c, a, 0).sum(axis=0),
    "d[i] = sum(j, where(c[j], A[i,j], 0))": lambda a, c, m: np.where(c, a, 0).sum(axis=1),
    "d[j] = max(i, where(c[j], A[i,j], 1))": lambda a, c, m: np.where(c, a, 1).max(axis=0),
    "d[j] = sum(i, where(M[i,j], A[i,j], 0))": lambda a, c, m: np.where(m, a, 0).sum(axis=0),
    "C[i,k] = sum(j, A[i,j] * where(M[j,k], A[j,k], 0))": lambda a, c, m: a @ np.where(m, a, 0),
    "C[i,k] = sum(j, where(c[j], A[j,k], 0) * A[i,j])": lambda a, c, m: a @ np.where(c[:, None], a, 0),
}
BCSR = "(i, j) -> (i floordiv 4 : dense, j floordiv 4 : compressed, i mod 4 : dense, j mod 4 : dense)"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i1"])
@pytest.mark.parametrize("format", [None, "dense, compressed", BCSR, "dense, padded"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_choices(statement, format, dtype):
    generator = np.random.default_rng(1)
    for extent in (4, 19, 40):
        a = (generator.integers(1, 4, (extent, extent)) * (generator.random((extent, extent)) < 0.4)).astype(dtype)
        c, m = generator.random(extent) < 0.5, generator.random((extent, extent)) < 0.5
        operands = {"A": a, "c": c, "M": m}
        given = {name: operands[name] for name in "AcM" if f"{name}[" in statement}
        kernel = it.compile(statement, formats={"A": format} if format else None)
        found = kernel(**given)
        np.testing.assert_array_equal(found, STATEMENTS[statement](a, c, m).astype(found.dtype))
