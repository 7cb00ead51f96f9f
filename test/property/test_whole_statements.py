"""A statement takes no more steps than the same statement in parts, of which one is computed before by itself.

Steps are counted in the interpreter. One that touches another cache line than the same operation did before counts as
more, so that loops down the columns of a matrix count as what they are.
"""

from __future__ import annotations

import numpy as np
import pytest
from count_operations import Counter, executed
from reference import interpret_loop
from xdsl.ir import Operation

import irtensor as it
from irtensor.compiler.lower_module import lower_module
from irtensor.compiler.pipeline_choices import PipelineChoices
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.summation import insert_reductions
from irtensor.options import current_options

# Elements of a cache line, and how many steps it takes to get another one.
LINE, MISS = 8, 4
# What makes a difference to steps, of the passes on loops.
PASSES = ("fuse-equal-loops", "skip-unread-sums", "lower-algebra-to-arith", "hoist-invariants")
CSR, CSC = it.Format("dense, compressed"), it.Format("(i, j) -> (j : dense, i : compressed)")
# Extents of index variables: rows and columns of sparse matrices, and those of dense ones beside them.
EXTENTS = {"i": 24, "j": 24, "f": 16, "d": 16}


class Lines(Counter):
    """Counts operations, and a load or a store in another cache line as several."""

    last: dict[int, int] = {}

    def run(self, op: Operation) -> None:
        if op.name in ("loop.load", "loop.store"):
            number = 1 if op.name == "loop.load" else 2
            line = int(self.get(op, number)) // LINE
            if self.last.get(id(op)) != line:
                Counter.executed += MISS
            self.last[id(op)] = line
        elif op.name == "loop.get":
            # What a cell has is in a register.
            Counter.executed -= 1
        super().run(op)


# The whole, and then its parts in order, each of which defines the tensor on its left for those behind it.
CASES = [
    # After a sum: a bias, a factor, another matrix, functions, old values.
    ("R[i,f] = b[f] + A[i,j] * B[j,f]", ["P[i,f] = A[i,j] * B[j,f]", "R[i,f] = b[f] + P[i,f]"]),
    ("R[i,f] = c[i] * sum(j, A[i,j] * B[j,f])", ["P[i,f] = A[i,j] * B[j,f]", "R[i,f] = c[i] * P[i,f]"]),
    ("R[i,f] = max(sum(j, A[i,j] * B[j,f]), 0)", ["P[i,f] = A[i,j] * B[j,f]", "R[i,f] = max(P[i,f], 0)"]),
    ("R[i,f] = C[i,f] + A[i,j] * B[j,f]", ["P[i,f] = A[i,j] * B[j,f]", "R[i,f] = C[i,f] + P[i,f]"]),
    ("R[i,f] = C[i,f] - X[i,j] * B[j,f]", ["P[i,f] = X[i,j] * B[j,f]", "R[i,f] = C[i,f] - P[i,f]"]),
    ("R[i,f] = C[i,f] * sum(j, X[i,j] * B[j,f])", ["P[i,f] = X[i,j] * B[j,f]", "R[i,f] = C[i,f] * P[i,f]"]),
    (
        "R[i,f] = min(C[i,f], min(j, X[i,j] + B[j,f]))",
        ["P[i,f] = min(j, X[i,j] + B[j,f])", "R[i,f] = min(C[i,f], P[i,f])"],
    ),
    (
        "R[i,f] = A[i,j] * B[j,f] + X[i,k] * E[k,f]",
        ["P[i,f] = A[i,j] * B[j,f]", "Q[i,f] = X[i,k] * E[k,f]", "R[i,f] = P[i,f] + Q[i,f]"],
    ),
    ("v[f] = max(sum(j, x[j] * B[j,f]), 0)", ["p[f] = x[j] * B[j,f]", "v[f] = max(p[f], 0)"]),
    # A sum that does not depend on a loop around it.
    (
        "o[j] = sum(i, A[i,j] * c[i] / (2 + c[i] * sum(k, D[i,k] * x[k])))",
        ["p[i] = c[i] / (2 + c[i] * sum(k, D[i,k] * x[k]))", "o[j] = A[i,j] * p[i]"],
    ),
    (
        "R[i,j] = A[i,j] * (sum(k, X[i,k] * Y[j,k]) - sum(l, D[i,l] * x[l]))",
        ["p[i] = D[i,l] * x[l]", "R[i,j] = A[i,j] * (sum(k, X[i,k] * Y[j,k]) - p[i])"],
    ),
    ("R[i,j] = X[i,j] / sum(k, x[k])", ["p = x[k]", "R[i,j] = X[i,j] / p[]"]),
    ("R[i,j] = X[i,j] / sum(k, Y[i,k])", ["p[i] = Y[i,k]", "R[i,j] = X[i,j] / p[i]"]),
    ("R[i,j] = A[i,j] / (1 + sum(k, D[i,k]))", ["p[i] = D[i,k]", "R[i,j] = A[i,j] / (1 + p[i])"]),
    (
        "R[i,d] = sum(j, A[i,j] * exp(sum(k, X[i,k] * Y[j,k])) * B[j,d])",
        ["S[i,j] = where(A[i,j] != 0, A[i,j] * exp(sum(k, X[i,k] * Y[j,k])), 0)", "R[i,d] = S[i,j] * B[j,d]"],
    ),
    (
        "o[j] = sum(i, F[i,j] * c[i] / (2 + c[i] * sum(k, D[i,k] * x[k])))",
        ["p[i] = 2 + c[i] * sum(k, D[i,k] * x[k])", "o[j] = sum(i, F[i,j] * c[i] / p[i])"],
    ),
    ("o[j] = sum(i, Y[j,i] / (1 + sum(k, D[i,k])))", ["p[i] = 1 + sum(k, D[i,k])", "o[j] = sum(i, Y[j,i] / p[i])"]),
    # The same sum twice.
    (
        "R[i,j] = A[i,j] * sum(k, X[i,k] * Y[j,k]) / (c[i] + sum(k, X[i,k] * Y[j,k]))",
        ["P[i,j] = where(A[i,j] != 0, sum(k, X[i,k] * Y[j,k]), 0)", "R[i,j] = A[i,j] * P[i,j] / (c[i] + P[i,j])"],
    ),
    ("y[i] = sum(j, X[i,j]) * sum(k, X[i,k])", ["p[i] = X[i,j]", "y[i] = p[i] * p[i]"]),
    (
        "y[i] = sum(j, X[i,j]) / (1 + sum(l, X[i,l] * sum(k, X[i,k])))",
        ["p[i] = X[i,j]", "y[i] = p[i] / (1 + sum(l, X[i,l] * p[i]))"],
    ),
    # The same sum inside of different sums: weighted means, and attention.
    (
        "y[i] = sum(j, exp(0.01 * sum(k, X[i,k] * Y[j,k])) * c[j]) / sum(j, exp(0.01 * sum(k, X[i,k] * Y[j,k])))",
        ["P[i,j] = exp(0.01 * sum(k, X[i,k] * Y[j,k]))", "y[i] = sum(j, P[i,j] * c[j]) / sum(j, P[i,j])"],
    ),
    (
        "R[i,d] = sum(j, A[i,j] * exp(0.01 * sum(k, X[i,k] * Y[j,k])) * B[j,d])"
        " / sum(j, A[i,j] * exp(0.01 * sum(k, Y[j,k] * X[i,k])))",
        [
            "P[i,j] = where(A[i,j] != 0, A[i,j] * exp(0.01 * sum(k, X[i,k] * Y[j,k])), 0)",
            "R[i,d] = sum(j, P[i,j] * B[j,d]) / sum(j, P[i,j])",
        ],
    ),
    (
        "y[i] = sum(j, sum(f, (1 + sum(k, X[i,k] * Y[j,k])) * B[j,f]))"
        " / sum(j, sum(f, (1 + sum(k, X[i,k] * Y[j,k])) * E[j,f]))",
        [
            "P[i,j] = 1 + sum(k, X[i,k] * Y[j,k])",
            "y[i] = sum(j, sum(f, P[i,j] * B[j,f])) / sum(j, sum(f, P[i,j] * E[j,f]))",
        ],
    ),
]


def cost(statement: str, arrays: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, int]:
    """The result of a statement, and the steps that it takes."""
    monkeypatch.setattr(interpret_loop, "Interpreter", Lines)
    Lines.last.clear()
    parsed = insert_reductions(parse_notation(statement))
    names = {name for name in arrays if f"{name}[" in statement.partition("=")[2]}
    formats = {"A": CSR, "D": CSR, "F": CSC}
    described = {n: OperandDescription(np.dtype("f8"), arrays[n].ndim, formats.get(n)) for n in names}
    request = build_index_notation(parsed, described, None)
    choices = PipelineChoices.of(True, current_options(num_threads=1))
    lower_module(request.module, "index_notation", "concrete_index", choices=choices)
    shape = tuple(EXTENTS[index] for index in parsed.target.indices)
    return executed(request.module, request.argument_names, arrays, shape, passes=PASSES)


@pytest.mark.parametrize(("whole", "parts"), CASES)
def test_a_whole_is_no_more_than_its_parts(whole: str, parts: list[str], monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(0)
    arrays = {name: rng.integers(1, 4, (24, 24)).astype(float) for name in "XY"}
    arrays |= {name: rng.integers(1, 4, (24, 16)).astype(float) for name in "BCE"}
    arrays |= {name: rng.integers(1, 4, (24, 24)) * (rng.random((24, 24)) < 0.2) * 1.0 for name in "ADF"}
    arrays |= {name: rng.integers(1, 4, 24).astype(float) for name in "cx"} | {"b": rng.random(16)}
    found, steps = cost(whole, arrays, monkeypatch)
    in_parts = 0
    expected = np.zeros(())
    for part in parts:
        expected, its = cost(part, arrays, monkeypatch)
        in_parts += its
        arrays[part[0]] = expected
    np.testing.assert_allclose(found, expected)
    assert steps <= 1.05 * in_parts
