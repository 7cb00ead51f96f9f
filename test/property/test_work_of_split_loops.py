"""What a kernel executes whose loops are split again and again grows with what its operands store."""

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

EXTENTS = (64, 256)
# Four times as many entries take four times as many operations, and longer searches; blocks times blocks take 16 times.
MOST = 6.5


def _growth(format, steps, monkeypatch):
    monkeypatch.setattr(interpret_loop, "Interpreter", Counter)
    choices = PipelineChoices.of(True, current_options(num_threads=1), schedule=it.schedule(steps))
    counts = []
    for extent in EXTENTS:
        rng = np.random.default_rng(extent)
        arrays = {
            "A": rng.integers(1, 5, (2, extent)).astype(float),
            "B": rng.integers(0, 3, (2, extent)).astype(float),
        }
        described = {name: OperandDescription(np.dtype("f8"), 2, it.Format(format)) for name in "AB"}
        request = build_index_notation(insert_reductions(parse_statement("y[i] = A[i,j] * B[i,j]")), described, None)
        lower_module(request.module, "index_notation", "concrete_index", choices=choices)
        found, count = executed(request.module, request.argument_names, arrays, (2,))
        np.testing.assert_array_equal(found, (arrays["A"] * arrays["B"]).sum(1))
        counts.append(count)
    return counts[1] / counts[0]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "format",
    [
        "(i, j) -> (i : dense, j : compressed)",
        "(i, j) -> (i : compressed, j : compressed)",
        "(i, j) -> (i : compressed(nonunique), j : singleton)",
    ],
)
@pytest.mark.parametrize(
    "steps",
    [
        "split(j, j0, j1, 8, tensor=A); split(j1, j2, j3, 2, tensor=A)",
        # The entries in a block of coordinates, or of entries of another operand, are found by a search.
        "split(j, j0, j1, 8); split(j1, j2, j3, 2, tensor=A)",
        "split(j, j0, j1, 8); split(j1, j2, j3, 4, tensor=A); split(j3, j4, j5, 2, tensor=A)",
        "split(j, j0, j1, 8, tensor=A); split(j1, j2, j3, 2, tensor=B)",
        "split(j, j0, j1, 8, tensor=A); split(j1, j2, j3, 4, tensor=B); split(j3, j4, j5, 2, tensor=A)",
        "fuse(i, j, f); split(f, b, e, 8, tensor=A); split(e, c, d, 2)",
        "fuse(i, j, f); split(f, b, e, 8); split(e, c, d, 2)",
    ],
)
def test_blocks_of_blocks(format, steps, monkeypatch):
    assert _growth(format, steps, monkeypatch) < MOST
