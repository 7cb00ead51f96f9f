"""What [loop-order-cycle] tells to do: following it makes the statement compile, and compute the right result."""

import re

import numpy as np
import pytest

import irtensor as it
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.passes.analysis.iteration_graph import loop_name

DIAGONALS = "(i, j, k) -> (k : dense, j - i : compressed, i : range, j : offset)"
WIDE = "(i, j) -> (i floordiv 2 : compressed, i mod 2 : compressed, j floordiv 2 : compressed, j mod 2 : compressed)"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "notation, formats",
    [
        ("D[i,j] = A[i,j] * B[j,i]", {"A": it.CSR, "B": it.CSR}),
        ("D[i,j] = A[i,j] * B[j,i]", {"A": it.BCSR(2, 2), "B": it.BCSR(2, 2)}),
        ("D[i,j] = A[i,j] * B[j,i]", {"A": WIDE, "B": WIDE}),
        ("D[i,j,k] = A[i,j,k] * B[k,j,i]", {"A": it.CSF(3), "B": it.CSF(3)}),
        ("D[i,j,k] = A[i,j,k] * B[j,k,i] + C[k,i,j]", {"A": it.CSF(3), "B": it.CSF(3), "C": it.CSF(3)}),
        ("D[i,j] = A[i,j] + B[j,i] * C[j,i]", {"A": it.CSC, "B": it.CSC, "C": it.CSR}),
        ("D[k,i,j] = A[k,i,j] * B[k,j,i]", {"A": "(k, i, j) -> (j : dense, i : padded, k : dense)", "B": DIAGONALS}),
    ],
)
def test_following_the_help_ends_the_contradiction(notation, formats):
    rng = np.random.default_rng(0)
    shape = (4,) * len(notation[notation.index("[") + 1 : notation.index("]")].split(","))
    operands = {name: rng.integers(0, 3, shape) for name in formats}
    remaining, result = dict(formats), None
    for _ in range(len(formats)):
        try:
            stored = {name: it.Tensor.from_numpy(operands[name], remaining[name]) for name in operands}
            result = it.compile(notation, formats=remaining, convert=False)(**stored)
            break
        except it.UserError as error:
            told = re.search(r"\[loop-order-cycle\](?s:.*)\nhelp: convert '(\w)' to (.*)$", str(error))
            assert told is not None
            name, wanted = told.groups()
            remaining[name] = wanted
    assert remaining != formats and result is not None
    target, expression = notation.split(" = ")
    indices = re.findall(r"\[([\w,]+)\]", target)[0].split(",")
    expected = eval(  # the statement itself, over arrays with their dimensions in the order of the result
        re.sub(r"(\w)\[([\w,]+)\]", lambda m: f"aligned({m[1]!r}, {m[2].split(',')!r})", expression),
        {"aligned": lambda name, own: operands[name].transpose([own.index(index) for index in indices])},
    )
    np.testing.assert_array_equal(result, expected)


def test_an_operand_that_contradicts_itself_needs_a_copy():
    kernel = it.compile("D[i,j] = A[i,j] * A[j,i]", formats={"A": it.BCSR(2, 2)}, convert=False)
    with pytest.raises(it.UserError) as caught:
        kernel.ir("loop")
    assert caught.value.help is not None
    wanted = caught.value.help.removeprefix("pass a copy of 'A' as an operand of its own, converted to ")
    kernel = it.compile("D[i,j] = A[i,j] * B[j,i]", formats={"A": it.BCSR(2, 2), "B": wanted})
    np.testing.assert_array_equal(kernel(A=np.eye(4), B=np.eye(4)), np.eye(4))


def test_one_tensor_is_described_once():
    kernel = it.compile("D[i,j] = A[i,j] * B[j,i]", formats={"A": WIDE, "B": WIDE}, convert=False)
    with pytest.raises(it.UserError) as caught:
        kernel.ir("loop")
    assert [note.message.split(" is stored")[0] for note in caught.value.notes] == ["'B'", "'A'"]


PARTS = {"i (blocks)", "i (inside blocks)", "j (blocks)", "j (inside blocks)"}


@pytest.mark.parametrize(
    "format, stage, names",
    [
        (it.DIA, "split-diagonals", {"d", "i"}),
        (it.BCSR(2, 3), "split-blocked-dimensions", PARTS),
        (it.BCSR(1, 1), "split-blocked-dimensions", PARTS),
    ],
)
def test_only_the_parts_of_blocks_are_named_so(format, stage, names, parse_module):
    module = parse_module(it.compile("y[i] = A[i,j] * x[j]", formats={"A": format}, disk_cache=False).ir(stage))
    assert {loop_name(op.variable) for op in module.walk() if isinstance(op, ForallOp)} == names
