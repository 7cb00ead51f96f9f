"""Operators from outside of irtensor: one that is an operation upstream, and others that are made of operators.

`exp2` is a function of NumPy's, and has no complex numbers here. `absdiff` is none of NumPy's. `rootsum` has complex
numbers, in a definition of their own. `logaddexp` reduces.
"""

import math

import numpy as np

import irtensor as it
from irtensor.core.arithmetic import BOOL, COMPLEX, FLOAT, INTEGER, Upstream
from irtensor.core.constant_functions import of_float
from irtensor.core.scalar_operator import Operator, always, symmetric


def absdiff(by, a, b):
    return by.abs(by.sub(a, b))


def absolute_difference(a, b):
    """Of arrays, and of numbers of Python's beside them."""
    return a ^ b if np.result_type(a, b).kind == "b" else np.abs(np.subtract(a, b))


def rootsum(by, a, b):
    return by.add(by.sqrt(a), by.sqrt(b))


def rootsum_of_complex(by, a, b):
    """Of the conjugates."""
    return rootsum(by, by.conj(a), by.conj(b))


def logaddexp(by, a, b):
    """log(exp(a) + exp(b)), without numbers that are too large; of equal infinities, one of them."""
    largest, gap = by.max(a, b), by.neg(by.abs(by.sub(a, b)))
    sum = by.add(largest, by.log1p(by.exp(gap)))
    return by.select(by.compare("eq", a, b), by.add(a, by.constant(math.log(2), a)), sum)


it.register_operator(
    Operator("exp2", 1, definitions={FLOAT: Upstream("math.exp2", of_float("exp2"))}, numpy="exp2", takes_long=True)
)
it.register_operator(
    Operator(
        "absdiff",
        2,
        commutative=True,
        definitions={FLOAT: absdiff, INTEGER: absdiff, BOOL: lambda by, a, b: by.xor(a, b)},
        numpy=absolute_difference,
    )
)
it.register_operator(
    Operator(
        "rootsum",
        2,
        definitions={FLOAT: rootsum, COMPLEX: rootsum_of_complex},
        numpy=lambda a, b: np.sqrt(np.conj(a)) + np.sqrt(np.conj(b)),
        also=("sum_of_roots",),
        default=0,
    )
)
it.register_operator(symmetric("logaddexp", {FLOAT: logaddexp}, always(-math.inf), numpy="logaddexp", takes_long=True))
