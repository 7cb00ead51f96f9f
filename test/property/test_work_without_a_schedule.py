"""What a kernel without a schedule executes grows with what its operands store, whatever these are stored in."""

from itertools import product

import numpy as np
import pytest
from count_operations import Counter, executed
from reference import interpret_loop

import irtensor as it
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.options import current_options

FORMATS = {
    "CSR": "(i, j) -> (i : dense, j : compressed)",
    "CSC": "(i, j) -> (j : dense, i : compressed)",
    "COO": "(i, j) -> (i : compressed(nonunique), j : singleton)",
    "columns of COO": "(i, j) -> (j : compressed(nonunique), i : singleton)",
    "DCSR": "(i, j) -> (i : compressed, j : compressed)",
    "DCSC": "(i, j) -> (j : compressed, i : compressed)",
    "hashed rows": "(i, j) -> (i : dense, j : hashed)",
    "hashed columns": "(i, j) -> (j : dense, i : hashed)",
    "hashed": "(i, j) -> (i : hashed, j : hashed)",
    "columns hashed twice": "(i, j) -> (j : hashed, i : hashed)",
    "rows in no order": "(i, j) -> (i : dense, j : compressed(nonordered))",
    "blocks": "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)",
    "padded": "(i, j) -> (i : dense, j : padded)",
}
RESULTS = ["CSR", "CSC", "COO", "DCSR"]
EXTENTS = (12, 48)


def _arrays(count, extent, seed):
    """Matrices with two entries in each row and column."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        array = np.zeros((extent, extent))
        for _ in range(2):
            array[np.arange(extent), rng.permutation(extent)] = rng.integers(1, 5, extent)
        found.append(array)
    return found


def growth(statement, oracle, operands, result, monkeypatch):
    """How many times as many operations a statement takes on operands that are four times as large."""
    monkeypatch.setattr(interpret_loop, "Interpreter", Counter)
    counts = []
    for extent in EXTENTS:
        arrays: dict[str, np.ndarray] = dict(zip("ABCD", _arrays(len(operands), extent, 3), strict=False))
        formats = dict(zip("ABCD", map(it.Format, operands), strict=False))
        described = {name: OperandDescription(np.dtype("f8"), 2, format) for name, format in formats.items()}
        parsed = insert_reductions(parse_statement(statement))
        request = build_index_notation(parsed, described, it.Format(result) if result else None)
        choices = PipelineChoices.of(True, current_options(num_threads=1))
        lower_module(request.module, "index_notation", "concrete_index", choices=choices)
        expected = oracle(*arrays.values())
        found, count = executed(request.module, request.argument_names, arrays, expected.shape)
        np.testing.assert_array_equal(found, expected)
        counts.append(count)
    return counts[1] / counts[0]


# Linear in what is stored but for searches; a loop over all rows for each row makes it 16 times.
MOST = 7


@pytest.mark.one_in(240)
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize(("left", "right"), list(product(FORMATS, FORMATS)))
def test_products(left, right, result, monkeypatch):
    formats = FORMATS[left], FORMATS[right]
    assert growth("R[i,j] = A[i,k] * B[k,j]", lambda a, b: a @ b, formats, FORMATS[result], monkeypatch) < MOST


STATEMENTS = {
    "R[i,j] = (A[i,k] + B[i,k]) * C[k,j]": lambda a, b, c: (a + b) @ c,
    "R[i,j] = A[i,k] * (B[k,j] - C[k,j])": lambda a, b, c: a @ (b - c),
    "R[i,j] = A[i,j] * B[i,k] * C[k,j]": lambda a, b, c: a * (b @ c),
    "R[i,j] = A[k,i] * B[k,j] * C[i,j]": lambda a, b, c: (a.T @ b) * c,
    "R[i,j] = A[i,k] * B[k,l] * C[l,j]": lambda a, b, c: a @ b @ c,
    "R[i,j] = A[k,i] * B[k,j] + C[i,j]": lambda a, b, c: a.T @ b + c,
    "R[i,j] = C[i,j] - A[i,k] * B[j,k]": lambda a, b, c: c - a @ b.T,
    "R[i,j] = sum(k, A[i,k] * B[k,j]) + sum(k, C[k,i] * A[k,j])": lambda a, b, c: a @ b + c.T @ a,
}


@pytest.mark.one_in(6400)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("formats", list(product(FORMATS, repeat=3)))
def test_three_operands(formats, statement, monkeypatch):
    stored = [FORMATS[name] for name in formats]
    result = FORMATS[RESULTS[sum(map(ord, "".join(formats))) % len(RESULTS)]]
    assert growth(statement, STATEMENTS[statement], stored, result, monkeypatch) < MOST


REDUCTIONS = {
    "R[j] = max(i, A[i,j])": lambda a: a.max(0),
    "R[i] = min(j, A[i,j])": lambda a: a.min(1),
    "R[j] = sum(i, (A[i,j] + 1) * 2)": lambda a: ((a + 1) * 2).sum(0),
    "R[i] = prod(j, A[i,j])": lambda a: a.prod(1),
    "R = max(i, j, A[i,j] - 3)": lambda a: np.asarray((a - 3).max()),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("statement", REDUCTIONS)
@pytest.mark.parametrize("format", FORMATS)
def test_reductions_of_fills(format, statement, monkeypatch):
    """Between the entries there is the fill value, which is not what a reduction starts from."""
    assert growth(statement, REDUCTIONS[statement], [FORMATS[format]], None, monkeypatch) < MOST


SUM, TWO = "R[i,j] = A[k,i] * B[k,j] + C[i,j]", "R[i,j] = sum(k, A[i,k] * B[k,j]) + sum(k, C[k,i] * A[k,j])"
FOUND = [
    # Each column of A was combined with each column of B, and every coordinate of the result stored.
    (SUM, ("CSC", "CSC", "CSR"), "CSR"),
    # A was looked up in each row for each coordinate.
    (SUM, ("hashed rows", "CSR", "CSR"), "CSR"),
    # So was B, whose order is no better for a loop that could look it up.
    (SUM, ("hashed columns", "columns hashed twice", "CSR"), "CSR"),
    # The order of C kept the loops of the product in theirs.
    (SUM, ("DCSR", "CSC", "CSR"), "CSC"),
    # Of two tables the outermost one was gone through for each column, and the other one looked up.
    (SUM, ("hashed", "hashed columns", "columns hashed twice"), "CSC"),
    (TWO, ("columns hashed twice", "blocks", "hashed"), "CSC"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("statement", "formats", "result"), FOUND)
def test_what_was_quadratic(statement, formats, result, monkeypatch):
    stored = [FORMATS[name] for name in formats]
    assert growth(statement, STATEMENTS[statement], stored, FORMATS[result], monkeypatch) < MOST
