"""A refused step names another operand to count only where the schedule is accepted with that one."""

from typing import Any

import pytest

import irtensor as it

CSR = it.CSR
LIST = it.Format("compressed")


@pytest.mark.parametrize(
    ("text", "formats", "steps", "help"),
    [
        ("y[i] = A[i,j] * x[j] * z[i]", {"A": CSR, "z": LIST}, "split(j, j0, j1, 8, tensor=z)", "name A"),
        # A loop over one of two lists that are merged does not have its number of iterations known before.
        ("y[i] = A[i,j] * x[j]", {"A": CSR, "x": LIST}, "pos(j, jp, y)", "name A or x"),
        ("y[i] = A[i,j] * x[j]", {"A": CSR, "x": LIST}, "vectorize(j, 4); pos(j, jp, y)", "leave the step out"),
        (
            "y[i] = A[i,j] * x[j] * z[i]",
            {"A": it.Format("compressed, dense"), "x": LIST, "z": LIST},
            "unroll(i, 4); pos(i, ip, x)",
            "leave the step out",
        ),
        # A parallel loop goes on where the iteration before has stopped.
        (
            "A[i,j] = b[i] + c[j]",
            {"b": LIST, "c": LIST},
            "parallelize(j, temporary); split(j, ja, jb, 3, tensor=b)",
            "leave tensor= out",
        ),
    ],
)
def test_what_a_step_proposes(text: str, formats: dict[str, Any], steps: str, help: str):
    kernel = it.compile(text, formats=formats, schedule=it.schedule(steps))
    with pytest.raises(it.UserError) as refused:
        kernel.ir("parallel")
    assert refused.value.help == help
