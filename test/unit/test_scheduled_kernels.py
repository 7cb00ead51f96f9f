"""What schedules that are searched for are timed beside computes the same as its statement."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from benchmarks.autoscheduler_report import UNSCHEDULED
from benchmarks.scheduled_kernels import KERNELS
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.tensors.tensor import Tensor


def _dense(operand: object) -> np.ndarray:
    return operand.to_numpy() if isinstance(operand, Tensor) else np.asarray(operand)


@pytest.mark.parametrize("name", KERNELS)
def test_scipy_computes_the_statement(name: str) -> None:
    kernel = KERNELS[name]
    ours, theirs = kernel.operands(12, 0.2)
    statement = parse_statement(kernel.statement)
    inputs = ["".join(access.plain_indices) for access in accesses(statement.expression)]
    subscripts = f"{','.join(inputs)}->{''.join(statement.target.plain_indices)}"
    expected = np.einsum(subscripts, *(_dense(operand) for operand in ours.values()))
    found = kernel.scipy(**theirs)
    assert expected.any()
    np.testing.assert_allclose(found if isinstance(found, np.ndarray) else found.toarray(), expected)


def test_default_loops_go_by_name() -> None:
    assert KERNELS["SpGEMM2"].variables == ["i", "j", "k", "l"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KERNELS)
def test_published_schedules_give_the_same_and_convert_nothing(name: str) -> None:
    kernel = KERNELS[name]
    ours, _ = kernel.operands(12, 0.2)
    call = kernel.as_published(ours)
    np.testing.assert_allclose(_dense(call()), _dense(kernel.kernels()[UNSCHEDULED](**ours)))
    compiled = inspect.getclosurevars(call).nonlocals["kernel"]
    assert "is converted to" not in compiled.explain()
