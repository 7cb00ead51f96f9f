"""From statements to index_notation modules: promotion as the oracle's, fills from the algebra, ops with places."""

import random
from typing import Any

import numpy as np
import pytest
from reference.evaluate_dense import evaluate_dense

from irtensor.core.diagnostics import UserError, location_of
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.expression_tree import Access, Apply, Expression, Literal, Reduce, Statement
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

CSR = TensorFormat.parse("dense, compressed")
DTYPES = [np.dtype(code) for code in ("?", "i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16")]


def build(text: str, format: TensorFormat | None = None, **operands):
    descriptions = {
        name: OperandDescription(np.dtype(dtype), rank, fmt) for name, (dtype, rank, fmt) in operands.items()
    }
    built = build_index_notation(insert_reductions(parse_statement(text)), descriptions, format)
    built.module.verify()
    return built


def test_the_module_of_spmv():
    built = build("y[i] = A[i,j] * x[j] + b[i]", A=("f8", 2, CSR), x=("i4", 1, None), b=("f4", 1, None))
    assert built.argument_names == ("A", "x", "b")
    assert built.result_dtype == np.float64 and built.result_format is None
    text = str(built.module)
    for line in [
        "func.func @kernel(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, "
        "%x: tensor<?xi32>, %b: tensor<?xf32>) -> tensor<?xf64>",
        "%y = index_notation.assign (%i) : tensor<?xf64>",
        "index_notation.reduce add (%j) : f64",
        " : i32 to f64",
        "func.return %y : tensor<?xf64>",
    ]:
        assert line in text


def test_ops_know_their_place():
    built = build("y[i] = A[i,j] * x[j]", A=("f8", 2, CSR), x=("f8", 1, None))
    place = next(location_of(op) for op in built.module.walk() if op.name == "index_notation.access")
    assert place is not None and (place.file, place.line, place.column) == ("<notation>", 1, 8)


UNARY = [
    *["neg", "abs", "sqrt", "exp", "sign", "square", "not", "conj", "real", "imag", "floor", "isnan", "tanh"],
    *["asin", "cbrt", "cosh", "cube", "erf", "expm1", "isfinite", "isinf", "log10", "round", "sigmoid", "trunc"],
]
BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "floordiv",
    "mod",
    "min",
    "max",
    "and",
    "or",
    "xor",
    "eq",
    "lt",
    "first",
    "second",
]


def random_expression(generator: random.Random, depth: int) -> Expression:
    choice = generator.random()
    if depth == 0 or choice < 0.15:
        if generator.random() < 0.3:
            return Literal(generator.choice([True, 0, 1, 2, -3, 0.5, -1.5, 2j]))
        return Access(f"t{generator.randrange(len(DTYPES))}", ("i",))
    if choice < 0.35:
        return Apply(generator.choice(UNARY), (random_expression(generator, depth - 1),))
    if choice < 0.9:
        arguments = (random_expression(generator, depth - 1), random_expression(generator, depth - 1))
        return Apply(generator.choice(BINARY), arguments)
    return Apply("where", tuple(random_expression(generator, depth - 1) for _ in range(3)))


def build_or_refuse(statement: Statement, descriptions: dict[str, OperandDescription]):
    try:
        built = build_index_notation(statement, descriptions)
    except UserError as error:
        if error.slug not in ("unsupported-operator", "number-too-large", "unknown-extent"):
            raise
        return None
    built.module.verify()
    return built


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_types_are_the_oracles(seed: int):
    generator = random.Random(seed)
    operands = {f"t{number}": np.array([0, 1, 3]).astype(dtype) for number, dtype in enumerate(DTYPES)}
    descriptions = {name: OperandDescription(array.dtype, 1) for name, array in operands.items()}
    accepted = 0
    for _ in range(700):
        body = random_expression(generator, 3)
        if generator.random() < 0.3:
            operator = generator.choice(["add", "mul", "min", "or"])
            body = Apply("add", (Reduce(operator, ("i",), body), Access("t1", ("i",))))
        statement = Statement(Access("y", ("i",)), None, Apply("add", (body, Access("t0", ("i",)))))
        built = build_or_refuse(statement, descriptions)
        if built is None:
            continue
        accepted += 1
        expected = evaluate_dense(statement, operands)
        assert expected.dtype == built.result_dtype, str(statement)
    assert accepted > 200


INF = float("inf")


@pytest.mark.parametrize(
    ("text", "fills", "expected"),
    [
        ("C[i,j] = A[i,j] * B[i,j]", (None, None), None),
        ("C[i,j] = A[i,j] + B[i,j]", (2.0, 3.0), 5.0),
        ("C[i,j] = A[i,j] * 5 + 1", (None, None), 1.0),
        ("C[i,j] min= A[i,k] + B[k,j]", (INF, INF), INF),
        ("C[i,j] max= A[i,k] * B[k,j]", (-INF, 1.0), -INF),
        ("C[i,j] = A[i,k] * B[k,j]", (None, 3.0), None),
        # Sums of a fill that is not zero depend on the extent.
        ("C[i,j] = A[i,k] + B[i,j]", (2.0, None), None),
        ("C[i,j] = A[i,j] == B[i,j]", (None, None), True),
        ("C[i,j] = exp(A[i,j])", (None, None), 1.0),
        ("C[i,j] = A[i,j] * -1", (None, None), None),
        ("C[i,j] = A[i,j] * x[j]", (None, None), None),
        ("C[i,j] = A[i,j] + x[j]", (None, None), None),
    ],
)
def test_result_fill(text: str, fills: tuple[Any, Any], expected):
    operands = {"A": ("f8", 2, CSR.with_fill(fills[0])), "B": ("f8", 2, CSR.with_fill(fills[1])), "x": ("f8", 1, None)}
    used = {name: value for name, value in operands.items() if name in text}
    format = build(text, CSR, **used).result_format
    assert format is not None and format.fill == expected


def test_a_requested_fill_stays():
    format = build("C[i,j] = A[i,j]", CSR.with_fill(7.0), A=("f8", 2, CSR)).result_format
    assert format is not None and format.fill == 7.0


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("y[i] = A[i] - t[i]", None),
        ("y[i] = t[i] - t[i]", "unsupported-operator"),
        ("y[i] = A[i] & t[i]", "unsupported-operator"),
        ("y[i] = z[i] < A[i]", "unsupported-operator"),
        ("y[i] = z[i] // A[i]", "unsupported-operator"),
        ("y = max(i, z[i])", "unsupported-operator"),
        ("y[i] = n[i] + 300", "number-too-large"),
        ("y[i] = n[i] < 300", None),
        ("y[i] = A[i] + 2 ** 64", "number-too-large"),
        ("y[i] = A[i] + 2 ** -1", "unsupported-operator"),
        ("y[i] = A[i] + 0 ** -1", "unsupported-operator"),
        ("y[i] = A[i] + (-8.0) ** 0.5", None),
        ("y[i] = A[i] + 10 ** 10 ** 10", "number-too-large"),
        ("y[i,j] = A[i]", "unknown-extent"),
        ("y[i] = sum(k, A[i])", "unknown-extent"),
        ("y[i] = u[i]", "unsupported-dtype"),
        ("y[i] = missing[i]", "missing-operand"),
        ("y[i] = sum(j, A[i,j])", "rank-mismatch"),
        ("y[i] = f(A[i])", "unknown-operator"),
    ],
)
def test_refusals(text: str, slug: str | None):
    operands = {
        name: OperandDescription(np.dtype(code), 1)
        for name, code in {"A": "f8", "t": "?", "z": "c16", "n": "i1", "u": "m8[s]"}.items()
    }
    statement = insert_reductions(parse_statement(text, operators=("f",)))
    if slug is None:
        build_index_notation(statement, operands).module.verify()
        return
    with pytest.raises(UserError) as caught:
        build_index_notation(statement, operands)
    assert caught.value.slug == slug
