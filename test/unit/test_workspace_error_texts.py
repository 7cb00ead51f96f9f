"""The whole texts of errors about workspaces that a schedule asks for, and that the ways out which they name work."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

V = np.arange(13.0)
A = it.Tensor.from_numpy(np.eye(13), it.CSR)
T = it.Tensor.from_coo(np.array([[0, 1, 1], [2, 0, 2], [1, 1, 0]]), [1.0, 2.0, 3.0], shape=(3, 3, 3), format=it.COO(3))
SQUARES, ROWS = ("y[i] = x[i] * x[i]", {"x": V}), ("y[i] = A[i,j] * x[j]", {"A": A, "x": V})
PIECES = "fuse(i, j, f); split(f, block, entry, 4, tensor=A); precompute(A[i,j] * x[j], over="
CUT = "split(i, i0, i1, 8); precompute(x[i1] * x[i1], over="

# Statement and operands, steps, slug, text, and steps as the help says.
ERRORS = [
    (
        SQUARES,
        f"{CUT}i0)",
        "illegal-precompute",
        """<notation>:1:1: error: [illegal-precompute] precompute: the workspace of 'x[i1] * x[i1]' cannot have a dimension for i0, because the loop over i1 stays around both sides
  y[i] = x[i] * x[i]
  ^
note: this is step 2: precompute(x[i1] * x[i1], over=i0)
help: add i1, which runs over a block that i0 counts, to the variables""",
        f"{CUT}(i0, i1))",
    ),
    (
        SQUARES,
        f"{CUT}i1, producer=(p, q))",
        "bad-schedule-step",
        """<notation>:1:1: error: [bad-schedule-step] precompute: producer= has 2 names, and the workspace is over i1
  y[i] = x[i] * x[i]
  ^
note: this is step 2: precompute(x[i1] * x[i1], over=i1, producer=(p, q))
help: give one name for each variable of over=""",
        f"{CUT}i1, producer=p)",
    ),
    (
        SQUARES,
        f"{CUT}i1, producer=i0)",
        "bad-schedule-step",
        """<notation>:1:1: error: [bad-schedule-step] precompute: 'i0' is the name of another loop
  y[i] = x[i] * x[i]
  ^
note: this is step 2: precompute(x[i1] * x[i1], over=i1, producer=i0)
help: give each new loop a name of its own""",
        f"{CUT}i1, producer=p)",
    ),
    (
        SQUARES,
        f"{CUT}(i0, i1), format='dense, hashed'); parallelize(i0)",
        "parallel-race",
        """<notation>:1:1: error: [parallel-race] the loop over i0 cannot be parallel: all iterations put entries into 'w'
  y[i] = x[i] * x[i]
  ^
note: this is step 3: parallelize(i0, none)
help: have 'w' dense (format= of precompute)""",
        f"{CUT}(i0, i1), format='dense, dense'); parallelize(i0)",
    ),
    (
        ROWS,
        "split(i, i0, i1, 8); precompute(x[j], over=i0)",
        "illegal-precompute",
        """<notation>:1:1: error: [illegal-precompute] precompute: 'x[j]' does not depend on i0
  y[i] = A[i,j] * x[j]
  ^
note: this is step 2: precompute(x[j], over=i0)
help: it depends on j""",
        "split(i, i0, i1, 8); precompute(x[j], over=j)",
    ),
    (
        ROWS,
        f"{PIECES}i); parallelize(block)",
        "parallel-race",
        """<notation>:1:1: error: [parallel-race] the loop over block cannot be parallel: block does not index 'y', so that iterations store into the same component
  y[i] = A[i,j] * x[j]
  ^
note: this is step 4: parallelize(block, none)
help: say races=temporary or races=atomics""",
        f"{PIECES}i); parallelize(block, atomics)",
    ),
    (
        ROWS,
        f"{PIECES}f)",
        "illegal-precompute",
        """<notation>:1:1: error: [illegal-precompute] precompute: no loop around the assignment binds f
  y[i] = A[i,j] * x[j]
  ^
note: this is step 3: precompute(A[i, j] * x[j], over=f)
help: the loops around it bind block, i, j; entry stands for those that are fused""",
        f"{PIECES}entry)",
    ),
    (
        ROWS,
        f"{PIECES}(entry, i))",
        "illegal-precompute",
        """<notation>:1:1: error: [illegal-precompute] precompute: i is given twice
  y[i] = A[i,j] * x[j]
  ^
note: this is step 3: precompute(A[i, j] * x[j], over=(entry, i))
help: a workspace has one dimension per variable""",
        f"{PIECES}entry)",
    ),
    (
        ("y[i] = T[i,j,k]", {"T": T}),
        "split(j, a, b, 2, tensor=T); precompute(T[i,b,k], over=a)",
        "unknown-extent",
        """<notation>:1:1: error: [unknown-extent] how many blocks 'a' counts is not known before the loops around it
  y[i] = T[i,j,k]
  ^
help: remove a from the variables of the temporary, or split by coordinates""",
        "split(j, a, b, 2); precompute(T[i,b,k], over=a)",
    ),
]


def call(statement, steps):
    notation, operands = statement
    formats = {name: operand.format for name, operand in operands.items() if isinstance(operand, it.Tensor)}
    return it.compile(notation, formats, schedule=it.schedule(steps), num_threads=2)(**operands)


@pytest.mark.parametrize(("statement", "steps", "slug", "text", "instead"), ERRORS)
def test_text(statement, steps, slug, text, instead):
    check_error(lambda: call(statement, steps), slug, text)
    np.testing.assert_array_equal(call(statement, instead), call(statement, ""))
