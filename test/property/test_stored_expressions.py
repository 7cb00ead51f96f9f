"""`stored` of an expression: where a sparse tensor that it is assigned to has an entry."""

import warnings
from itertools import product

import numpy as np
import pytest
from reference.absent_arithmetic import Traced, functions

import irtensor as it

# What operands are at a coordinate: absent, a stored zero or another number.
STATES = list(product(("absent", "zero", "number"), repeat=2))
SAMPLES = (0.0, 1.0, -2.5, 3.0, np.inf, -np.inf, np.nan)
NUMBERS = (3.0, 5.0)


class Symbol:
    """An expression as text, and as a function of the operands' values that `stored` may be asked of."""

    def __init__(self, text, value):
        self.text, self.value = text, value


A, B = (Symbol(f"{name}[i]", lambda f, operands, n=number: operands[n]) for number, name in enumerate("AB"))


def number(value):
    return Symbol(str(value), lambda f, operands: Traced(float(value), literal=True))


def is_stored(operand):
    """Of a tensor's element, whether it is stored: no number that samples change."""
    return Symbol(
        f"stored({operand.text})",
        lambda f, operands: Traced(not operand.value(f, operands).absent, operand.value(f, operands).absent),
    )


def apply(name, *arguments):
    text = f"{name}({', '.join(one.text for one in arguments)})"
    symbols = {"add": "+", "sub": "-", "mul": "*", "div": "/", "gt": ">", "and": "&", "or": "|", "xor": "^"}
    if name in symbols:
        text = f"({arguments[0].text} {symbols[name]} {arguments[1].text})"
    return Symbol(text, lambda f, operands: f[name](*(one.value(f, operands) for one in arguments)))


def complement(one):
    def value(f, operands):
        found = one.value(f, operands)
        return Traced(not found.value, found.absent)

    return Symbol(f"~{one.text}", value)


def logical(function):
    return lambda a, b: Traced(function(bool(a.value), bool(b.value)), a.absent and b.absent)


LOGIC = {
    "and": logical(lambda a, b: a and b),
    "or": logical(lambda a, b: a or b),
    "xor": logical(lambda a, b: a != b),
}
CONDITIONS = [is_stored(A), is_stored(B), *(apply(name, is_stored(A), is_stored(B)) for name in LOGIC)]
CONDITIONS += [apply("and", is_stored(A), complement(is_stored(B)))]
CONDITIONS += [complement(one) for one in CONDITIONS]
VALUES = [A, B, *(apply(name, A, B) for name in ("add", "sub", "mul", "div", "max")), apply("add", A, number(1))]
VALUES += [apply("mul", apply("sub", B, number(2)), A), number(0), number(7)]
SIMPLE = [one for one in VALUES if not one.text.startswith("max")]
EXPRESSIONS = [
    *CONDITIONS,
    *VALUES[:-2],
    apply("gt", A, B),
    # max(A, B) is 0 wherever 0 > B, which samples see, and nobody has to.
    *(apply("where", apply("gt", *pair), one, number(0)) for pair in ((A, B), (B, number(0))) for one in SIMPLE),
    *(apply("where", condition, yes, no) for condition in CONDITIONS for yes in VALUES for no in VALUES),
    *(apply("add", apply("where", one, B, number(0)), A) for one in CONDITIONS),
    *(
        apply("where", one, apply("where", other, number(0), number(7)), A)
        for one in CONDITIONS
        for other in CONDITIONS
    ),
]


def sampled(expression, is_dense, state):
    """The values that an expression may have where its operands are so."""
    may_vary = [dense or what != "absent" for dense, what in zip(is_dense, state, strict=True)]
    found = {}
    for values in product(*(SAMPLES if varies else (0.0,) for varies in may_vary)):
        operands = [Traced(value, not varies) for value, varies in zip(values, may_vary, strict=True)]
        value = float(expression.value(functions(False) | LOGIC, operands).value)
        found[repr(value)] = value
    return list(found.values())


def entries(expression, is_dense):
    """Where the values of operands matter, or there is another value than without any entry."""
    if all(is_dense[number] for number, name in enumerate("AB") if f"{name}[" in expression.text):
        return [True] * len(STATES)
    nowhere = sampled(expression, is_dense, ("absent", "absent"))
    fill = nowhere[0] if len(nowhere) == 1 else 0.0
    found = [sampled(expression, is_dense, state) for state in STATES]
    return [len(values) > 1 or repr(values[0]) != repr(fill) for values in found]


def operand(place, is_dense):
    values = np.array([NUMBERS[place] if state[place] == "number" else 0.0 for state in STATES])
    there = np.array([state[place] != "absent" for state in STATES])
    if is_dense:
        return values
    return it.Tensor.from_coo(np.nonzero(there), values[there], shape=there.shape, format="compressed")


@pytest.mark.one_in(640)
@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda one: one.text)
@pytest.mark.parametrize("is_dense", list(product((False, True), repeat=2)))
def test_expressions_of_two_operands(expression, is_dense):
    given = {name: operand(place, is_dense[place]) for place, name in enumerate("AB") if f"{name}[" in expression.text}
    wanted = entries(expression, is_dense)
    asked = it.compile(f"c[i] = stored({expression.text})")
    assert asked(**given).tolist() == wanted
    kernel = it.compile(f"C[i] = {expression.text}", {"C": "compressed"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", it.DenseResultWarning)
        result = kernel(**given)
    found = np.zeros(len(STATES), bool)
    found[result.to_coo()[0][0]] = True
    assert found.tolist() == wanted
