"""Planning of statements with many terms: its work, counted in calls."""

from functools import partial

import numpy as np
from calls_made import calls_made
from whole_statements import split_of

import irtensor as it
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions


def test_planning_of_many_terms():
    """Each is looked at once, and not for each other one, which would be four times the work for twice as many."""
    random, made = np.random.default_rng(0), list[int]()
    A, x = random.random((3, 4)) + 1, random.random(4)
    for count in (20, 40):
        terms = " + ".join(f"exp(A[i,j] * {n})" for n in range(count))
        statement = insert_reductions(parse_statement(f"y[i] = x[j] * ({terms})"), accumulate=True)
        given = (statement, {"A": it.CSR}, {"A": A, "x": x}, {"i": 3, "j": 4})
        made.append(calls_made(partial(split_of, *given)))
    assert made[1] <= 3.2 * made[0]
