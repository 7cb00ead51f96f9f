"""Statements of linear and multilinear algebra in random storages: nothing that is legal is refused, no value is wrong.

The statements are those of reference.pattern_space. By default a few storages of each are tried, with
`-m exhaustive` many.
"""

import random

import numpy as np
import pytest
from reference.compare_with_oracle import compare_with_oracle
from reference.pattern_space import PATTERNS, draw
from sampling import few_or_many

import irtensor as it
from irtensor.errors import UserError

pytestmark = pytest.mark.usefixtures("small_parts")


def check(pattern, seeds, verified=1):
    """Every second kernel runs on three threads, in parts as small as they come; the compiler checks its own work on
    every so many cases."""
    for number, seed in enumerate(seeds, 1):
        case = draw(pattern, random.Random(f"{pattern} {seed}"))
        try:
            compare_with_oracle(case, convert=True, num_threads=(1, 3)[seed % 2], verify=number % verified == 0)
        except UserError as error:
            raise AssertionError(f"{case}, seed {seed}, is refused") from error


@pytest.mark.one_in(16)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_some_storages(pattern):
    check(pattern, range(few_or_many(3, 8)), verified=3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("pattern", PATTERNS)
def test_many_storages(pattern):
    check(pattern, range(500), verified=16)


@pytest.mark.soak
def test_random_storages(soak_seeds):
    for seed in soak_seeds:
        choose = random.Random(seed)
        check(choose.choice(list(PATTERNS)), [choose.randrange(1 << 40) for _ in range(20)])


def test_arrays_stay_arrays_beside_blocks():
    """Where blocks of operands and result differ, only what is stored in blocks or lists is converted."""
    rng = np.random.default_rng(0)
    a, b = (rng.random((5, 7)) * (rng.random((5, 7)) < 0.4) for _ in range(2))
    kernel = it.compile(
        "C[i,j] = A[i,j] + B[i,j] + x[i,j]", formats={"A": it.BCSR(2, 3), "B": it.CSR, "C": it.BCSR(2, 2)}
    )
    np.testing.assert_allclose(kernel(A=a, B=b, x=np.ones((5, 7))).to_numpy(), a + b + 1)
