"""Steps beside operands in blocks are taken, and a refused step names another operand only where that is accepted."""

from typing import Any

import numpy as np
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
        ("y[i] = A[i,j] * x[j]", {"A": CSR, "x": LIST}, "vectorize(j, 4); pos(j, jp, y)", "omit the step"),
        (
            "y[i] = A[i,j] * x[j] * z[i]",
            {"A": it.Format("compressed, dense"), "x": LIST, "z": LIST},
            "unroll(i, 4); pos(i, ip, x)",
            "omit the step",
        ),
        # A parallel loop goes on where the iteration before has stopped.
        (
            "A[i,j] = b[i] + c[j]",
            {"b": LIST, "c": LIST},
            "parallelize(j, temporary); split(j, ja, jb, 3, tensor=b)",
            "omit tensor=",
        ),
    ],
)
def test_what_a_step_proposes(text: str, formats: dict[str, Any], steps: str, help: str):
    kernel = it.compile(text, formats=formats, schedule=it.schedule(steps))
    with pytest.raises(it.UserError) as refused:
        kernel.ir("parallel")
    assert refused.value.help == help


BLOCKED = "(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "text, formats, steps",
    [
        ("R[i] = sum(j, B[i,j] * x[j])", {}, "precompute(B[i,j] * x[j], over=j, workspace=w); reorder(j, i)"),
        ("R[i,j] = 2 * B[i,j]", {"R": it.BCSR(2, 3)}, "fuse(i, j, f); parallelize(f)"),
    ],
)
def test_steps_beside_tensors_in_blocks_are_taken(text: str, formats: dict[str, Any], steps: str, threads: int):
    """They are asked before the loops are split into those over blocks and those inside."""
    B, x = np.arange(24.0).reshape(4, 6) % 5, np.arange(6.0)
    given = {"B": it.Tensor.from_numpy(B, BLOCKED), **({"x": x} if "x[" in text else {})}
    found = it.compile(text, formats, schedule=it.schedule(steps), num_threads=threads)(**given)
    expected = B @ x if "x[" in text else 2 * B
    np.testing.assert_array_equal(found.to_numpy() if isinstance(found, it.Tensor) else found, expected)
