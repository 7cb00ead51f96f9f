"""Parts that one other part reads element by element are computed where they are read."""

from collections.abc import Sequence

import numpy as np
import pytest

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.joined_parts import with_joined_parts
from irtensor.frontend.parts.kernel_steps import Part
from irtensor.frontend.summation import insert_reductions


def joined(texts: Sequence[str], sparse: Sequence[str] = ()) -> list[str]:
    parts: list[Part] = []
    described: dict[str, OperandDescription] = {}
    for text in texts:
        statement = insert_reductions(parse_statement(text))
        for access in [statement.target, *accesses(statement.expression)]:
            format: TensorFormat | None = it.CSR if access.tensor in sparse else None
            described[access.tensor] = OperandDescription(np.dtype(float), len(access.indices), format)
        parts.append(Part(statement, described[statement.target.tensor].format, 1))
    return [str(part.statement) for part in with_joined_parts(parts, described)]


@pytest.mark.parametrize(
    "texts, found",
    [
        (["T[i,j] = A[i,j] / 8", "R[i,j] = exp(T[i,j])"], ["R[i, j] = exp(A[i, j] / 8)"]),
        (["T[i,j] = A[i,j] + x[j]", "R[j,i] = exp(T[j,i])"], ["R[j, i] = exp(A[j, i] + x[i])"]),
        (
            ["S[i,j] = A[i,k] * B[k,j]", "T[i,j] = S[i,j] / 8", "U[i,j] = exp(T[i,j])", "R[i] = U[i,j] * x[j]"],
            ["S[i, j] = sum(k, A[i, k] * B[k, j])", "U[i, j] = exp(S[i, j] / 8)", "R[i] = sum(j, U[i, j] * x[j])"],
        ),
    ],
)
def test_joined(texts: list[str], found: list[str]):
    assert joined(texts) == found


@pytest.mark.parametrize(
    "texts, sparse",
    [
        (["T[i,j] = A[i,j] / 8", "R[i,j] = exp(T[i,j]) + T[j,i]"], ""),  # Read twice.
        (["T[i,j] = A[i,j] / 8", "U[i,j] = T[i,j]", "R[i,j] = U[i,j] + T[i,j]"], ""),  # In two statements.
        (["T[i,j] = A[i,j] / 8", "R[i] = T[i,j] * x[j]"], ""),  # In a sum, which reads it as it is stored.
        (["T[j] = exp(x[j])", "R[i,j] = A[i,j] * T[j]"], ""),  # For all rows.
        (["T[i,j] = exp(A[i,j])", "R[i] = T[i,i]"], ""),  # On the diagonal.
        (["T[i,j] = A[i,k] * B[k,j]", "R[i,j] = exp(T[i,j])"], ""),  # A sum, which BLAS may compute.
        (["T[i,j] = A[i,j] * 2", "R[i,j] = exp(T[i,j])"], "A"),
        (["T[i,j] = A[i,j] * 2", "R[i,j] = B[i,j] * T[i,j]"], "BR"),
    ],
)
def test_not_joined(texts: list[str], sparse: str):
    assert len(joined(texts, sparse)) == len(texts) - texts[1].startswith("U")


def test_attention_has_no_tensor_between_a_product_and_its_function(always: None):
    kernel = it.compile(
        "O[i,d] = sum(j, exp(sum(e, Q[i,e] * K[j,e]) / 8) * V[j,d]) / sum(j, exp(sum(e, Q[i,e] * K[j,e]) / 8))"
    )
    q, k, v = np.random.default_rng(0).random((3, 700, 32))
    weights = np.exp(q @ k.T / 8)
    np.testing.assert_allclose(kernel(Q=q, K=k, V=v), weights @ v / weights.sum(1, keepdims=True))
    text = kernel.explain()
    assert "exp(intermediate" in text and "] / 8)" in text
