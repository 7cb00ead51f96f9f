"""`precompute` of any factors of a product, terms of a sum and arguments of `min`, `max` and the bitwise operators."""

import random

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

OPERATORS = {
    "*": np.multiply.reduce,
    "+": np.add.reduce,
    "&": np.bitwise_and.reduce,
    "|": np.bitwise_or.reduce,
    "^": np.bitwise_xor.reduce,
    "min": np.minimum.reduce,
    "max": np.maximum.reduce,
    "@both": lambda given: np.multiply.reduce(np.array(given) + 1) - 1,
}
BOTH = it.operator("both", lambda a, b: a + b + a * b, identity=0, associative=True, commutative=True)


def nested(operator, names, drawn):
    """A chain over names in their order, with parentheses drawn."""
    if len(names) == 1:
        return names[0]
    place = drawn.randrange(1, len(names))
    left, right = nested(operator, names[:place], drawn), nested(operator, names[place:], drawn)
    return f"({left} {operator} {right})" if operator in "*+&|^" else f"{operator}({left}, {right})"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(few_or_many(40, 1000)))
def test_any_part_of_a_chain(seed):
    """Integers have the same bits, whatever is grouped."""
    drawn, numbers = random.Random(seed), np.random.default_rng(seed)
    operator = drawn.choice(list(OPERATORS))
    names = [f"{drawn.choice('abcde')}[i]" for _ in range(drawn.randrange(3, 7))]
    some = drawn.sample(names, drawn.randrange(2, len(names) + 1))
    statement = f"y[i] = {nested(operator, names, drawn)}"
    schedule = it.schedule().precompute(nested(operator, some, drawn), over="i")
    formats = {name[0]: it.Format(drawn.choice(["dense", "dense", "compressed"])) for name in names}
    operands = {name: numbers.integers(-4, 5, 6) for name in formats}
    kernel = it.compile(statement, formats, operators=[BOTH], schedule=schedule, strict_fp=True)
    expected = OPERATORS[operator]([operands[name[0]] for name in names])
    np.testing.assert_array_equal(kernel(**operands), expected)


def test_mttkrp_in_the_order_of_its_paper():
    """The factors that the innermost sparse loop reads do not stand together in the statement."""
    numbers = np.random.default_rng(0)
    B = numbers.integers(0, 3, (4, 5, 6)).astype(float)
    C, D = numbers.integers(1, 4, (5, 3)).astype(float), numbers.integers(1, 4, (6, 3)).astype(float)
    schedule = it.schedule().reorder("i", "k", "l", "j").precompute("B[i,k,l] * D[l,j]", over="j", workspace="w")
    kernel = it.compile("A[i,j] = B[i,k,l] * C[k,j] * D[l,j]", {"B": it.CSF(3)}, schedule=schedule)
    np.testing.assert_array_equal(kernel(B=B, C=C, D=D), np.einsum("ikl,kj,lj->ij", B, C, D))
    assert "w[j] += B[i, k, l] * D[l, j]" in kernel.explain()


def test_a_part_is_used_wherever_it_is_one():
    x = dict(zip("abcd", np.arange(1.0, 9).reshape(4, 2), strict=True))
    schedule = it.schedule().precompute("c[i] * a[i]", over="i", workspace="w")
    kernel = it.compile("y[i] = a[i] * b[i] * c[i] + a[i] * d[i] * c[i]", schedule=schedule)
    np.testing.assert_array_equal(kernel(**x), x["a"] * x["c"] * (x["b"] + x["d"]))
    assert "y[i] = w[i] * b[i] + w[i] * d[i]" in kernel.explain()
