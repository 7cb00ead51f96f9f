"""Errors of results with computed indices, and of declared extents, as a whole."""

import numpy as np
import pytest

import irtensor as it
from irtensor import UserError

REFUSED = {
    "h[I[i]] += x[i]": (
        {"h": (3,)},
        """<notation>:1:1: error: [index-out-of-range] I[i] reaches 6 in h[I[i]], where dimension 0 of h has 3 elements
  h[I[i]] += x[i]
  ^^^^^^^
help: write pad(I[i]), which drops the terms outside, or give a larger result""",
    ),
    "h[I[i]-1] += x[i]": (
        {"h": (9,)},
        "<notation>:1:1: error: [index-out-of-range] I[i] - 1 reaches -1 in h[I[i] - 1], where dimension 0 of h has 9 "
        """elements
  h[I[i]-1] += x[i]
  ^^^^^^^^^
help: write pad(I[i] - 1), which drops the terms outside, or give a larger result""",
    ),
    "h[2 * I[i]] += x[i]": (
        {},
        """<notation>:1:1: error: [unknown-extent] nothing says how many elements dimension 0 of h[2 * I[i]] has
  h[2 * I[i]] += x[i]
  ^^^^^^^^^^^
help: declare the shape of h, extents={'h': (...)}, or give the result as out= or h=""",
    ),
    "h[K[i]] = x[i]": (
        {"h": (4,)},
        "<notation>:1:1: error: [scatter-twice] h[K[i]] = ... stores twice at coordinate 0: where i is 0, and where "
        """i is 2
  h[K[i]] = x[i]
  ^^^^^^^
help: say how values are combined: h[K[i]] += ..., or min=, max=, *=, |=, &=""",
    ),
    "h[I[i]] *= x[i]": (
        {"h": (1 << 60,)},
        """error: [storage-too-large] an index variable of the result that no operand has cannot have """
        """1152921504606846976 coordinates here
help: give the result a smaller extent, or an operand that has the variable""",
    ),
    "h[i + j] = x[i] * x[j]": (
        {"h": (8,)},
        "<notation>:1:1: error: [unsupported-index] i + j is the same for several i and j, so that h[i + j] = ... is a "
        """reduction
  h[i + j] = x[i] * x[j]
  ^^^^^^^^
help: say which: h[i + j] += ..., or min=, max=, *=, |=, &=""",
    ),
    "h[wrap(I[i])] += x[i]": (
        {},
        """<notation>:1:8: error: [unsupported-index] an index of the result h[wrap(I[i])] is written wrap(...)
  h[wrap(I[i])] += x[i]
         ^^^^
help: write pad(...) with nothing else: terms outside are dropped""",
    ),
    "h[x[i]] += I[i]": (
        {"h": (9,)},
        """<notation>:1:3: error: [unsupported-index] x[i] has dtype float64, and coordinates are integers
  h[x[i]] += I[i]
    ^^^^
help: convert it first: x.astype(int)""",
    ),
    "y[i] = x[i]": (
        {"i": 3},
        """<notation>:1:1: error: [extent-mismatch] index i has extent 4, but 3 values by extents= or a slice
  y[i] = x[i]
  ^^^^""",
    ),
    "y[i] += x[i]": (
        {"y": (4, 4)},
        "error: [bad-argument] extents= has 2 extents for y, which has 1 dimensions",
    ),
    "y[i] max= x[i]": (
        {"x": 4},
        """error: [bad-argument] extents= has a number for 'x', which is not an index variable
help: variables are i; for the result give a shape, such as (16,)""",
    ),
    "y[i] min= x[i]": ({"i": 2.5}, "error: [bad-argument] the extent of i is an integer, not 2.5"),
    "y[i] *= x[i]": (
        {"i": 4, "y": (5,)},
        """error: [extent-mismatch] i has 5 values by extents=, and 4 besides
help: declare each extent once""",
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text):
    extents, message = REFUSED[text]
    operands = {"x": np.ones(4), "I": np.array([0, 6, 2, 3]), "K": np.array([0, 2, 0, 3])}
    with pytest.raises(UserError) as caught:
        it.compile(text, extents=extents)(**{name: one for name, one in operands.items() if f"{name}[" in text})
    assert str(caught.value) == message
