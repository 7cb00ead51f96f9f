"""Products of tall matrices, of which some are computed: which kernels, and their values."""

import numpy as np
import pytest
from kernels_of_statement import one_kernel

import irtensor as it
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

ROWS = 20_000
PROGRAMS = {
    # The intermediate has rows that are summed with those of the other factor.
    "s[i] = X[i,p] * W[p,q] * Y[i,q]": ["intermediate0[i, q]", "s[i] = sum(q, Y[i, q] * intermediate0[i, q])"],
    # Both factors are one tensor.
    "C[p,q] = sum(i, (X[i,p] - m[p]) * (X[i,q] - m[q]))": [
        "intermediate0[i, p] = X[i, p] - m[p]",
        "C[p, q] = sum(i, intermediate0[i, p] * intermediate0[i, q])",
    ],
    # A divisor of rows divides a factor of rows, and not the elements of a matrix.
    "D[p,q] = sum(i, X[i,p] * (z[i] / (1 + exp(z[i])) ** 2) * X[i,q])": [
        "intermediate0[i, q] = z[i] / (1 + exp(z[i])) ** 2 * X[i, q]",
        "D[p, q] = sum(i, X[i, p] * intermediate0[i, q])",
    ],
    # The number 1 is not a factor behind a product by BLAS.
    "E[p,q] = sum(i, X[i,p] * (1 / (1 + z[i])) * (1 - 1 / (1 + z[i])) * X[i,q])": [
        "E[p, q] = sum(i, X[i, p] * intermediate0[i, q])"
    ],
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text):
    rng = np.random.default_rng(1)
    drawn = {"X": (ROWS, 32), "Y": (ROWS, 32), "W": (32, 32), "m": (32,), "z": (ROWS,)}
    kernel = it.compile(text)
    arrays = {name: rng.random(drawn[name]) for name in kernel.operand_names}
    found = kernel(**arrays)
    program = kernel.explain().partition("\nkernels\n")[2].partition("\n\n")[0]
    assert all(line in program for line in PROGRAMS[text]), program
    statement = insert_reductions(parse_statement(text))
    np.testing.assert_allclose(found, one_kernel(str(statement), {})(**arrays), rtol=1e-10)
