"""What schedules that are searched for are timed beside computes the same as its statement."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.autoscheduler_report import AUTO
from benchmarks.scheduled_kernels import KERNELS
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.notation_parser import parse_notation
from irtensor.tensor import Tensor


def _dense(operand: object) -> np.ndarray:
    return operand.to_numpy() if isinstance(operand, Tensor) else np.asarray(operand)


@pytest.mark.parametrize("name", KERNELS)
def test_scipy_computes_the_statement(name: str) -> None:
    kernel = KERNELS[name]
    ours, theirs = kernel.operands(12, 0.2)
    statement = parse_notation(kernel.statement)
    inputs = ["".join(access.indices) for access in accesses(statement.expression)]
    subscripts = f"{','.join(inputs)}->{''.join(statement.target.indices)}"
    expected = np.einsum(subscripts, *(_dense(operand) for operand in ours.values()))
    found = kernel.scipy(**theirs)
    assert expected.any()
    np.testing.assert_allclose(found if isinstance(found, np.ndarray) else found.toarray(), expected)


def test_default_loops_go_by_name() -> None:
    assert KERNELS["SpGEMM2"].variables == ["i", "j", "k", "l"]


@pytest.mark.parametrize("name", KERNELS)
def test_operands_that_are_stored_as_they_are_read_give_the_same(name: str) -> None:
    kernel = KERNELS[name]
    ours, _ = kernel.operands(12, 0.2)
    searched = kernel.kernels()[AUTO]
    expected = searched(**ours)
    np.testing.assert_array_equal(_dense(kernel.stored_as_read(searched, ours)()), _dense(expected))
    formats = {one: format for one, format in searched.read_formats.items() if ours[one].format != format}
    assert bool(formats) == ("is converted to" in searched.explain())
