"""Loads marked speculatable can be executed wherever their index is known: they are, and nothing else changes."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from xdsl.context import Context
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.loop.loop import SPECULATABLE, LoadOp
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.pipelines import passes_between
from irtensor.passes.support.operations_in import operations_in
from irtensor.tensors.tensor import Tensor

STATEMENTS: dict[str, tuple[str, Callable[..., np.ndarray]]] = {
    "s = A[i,k] * B[k,j] * C[k,j]": ("ik,kj,kj", lambda a, b, c: a * b * c),
    "s = A[i,k] * B[k,j] * C[i,j]": ("ik,kj,ij", lambda a, b, c: a * b * c),
    "s = T[i,j,k] * A[j,m] * B[k,m]": ("ijk,jm,km", lambda a, b, c: a * b * c),
    "s = T[i,j,k] * U[j,k,m] * A[i,m]": ("ijk,jkm,im", lambda a, b, c: a * b * c),
    # The last entry of one comes before that of another.
    "s = sum((i,k,j), (A[i,k] + B[i,k]) * C[k,j])": ("ik,ik,kj", lambda a, b, c: (a + b) * c),
    "s = sum((i,k), A[i,k] + B[i,k] + C[i,k])": ("ik,ik,ik", lambda a, b, c: a + b + c),
}
ABOVE = ("dense, compressed", "compressed, compressed", "dense, hashed", "dense, padded", "dense, bitmap")
RANK = {name: 3 if name in "TU" else 2 for name in "ABCTU"}


def _format(leading: str, rank: int, first: bool) -> TensorFormat:
    """Lists below all coordinates, but for the operands that lead the loops."""
    if first:
        return TensorFormat.parse(leading + ", compressed" * (rank - 2))
    return TensorFormat.parse("dense, " * (rank - 1) + "compressed")


def _operand(seed: int, shape: tuple[int, ...], density: float) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.random(shape) < density) * random.integers(1, 9, shape).astype(float)


def _request(notation: str, operands: dict[str, Tensor]):
    described = {name: OperandDescription(t.dtype, t.ndim, t.format) for name, t in operands.items()}
    request = build_index_notation(insert_reductions(parse_statement(notation)), described)
    for name in (*passes_between("index_notation", "loop"), "lower-algebra-to-arith"):
        if name == "narrow-sums":
            continue  # Sums of one operand may need another format of it: here all are read as they are stored.
        get_all_passes()[name]()().apply(Context(), request.module)
    return request


def _evaluate(request, operands: dict[str, Tensor]) -> float:
    result = np.full(1, np.nan)
    arguments: list[object] = []
    for name in request.argument_names:
        # Every array that a kernel is given has a readable element 0.
        arrays = [a if a.size else np.zeros(1, a.dtype) for a in operands[name].buffers()]
        arguments += [*operands[name].shape, *arrays]
    assert interpret_loop(request.module, "kernel", [*arguments, result]) == 0
    return result[0]


def _execute_early(load: LoadOp) -> None:
    """Move a load, with the arithmetic of its index, to right behind what that is computed from."""
    steps: list[Operation] = []
    roots: list[SSAValue] = []

    def visit(value: SSAValue) -> None:
        owner = value.owner
        if isinstance(owner, Operation) and is_speculatable(owner):
            if owner not in steps:
                for operand in owner.operands:
                    visit(operand)
                steps.append(owner)
        else:
            roots.append(value)

    visit(load.buffer)
    visit(load.index)
    latest = max(roots, key=_place)
    owner = latest.owner
    block = owner if isinstance(owner, Block) else owner.parent
    assert block is not None
    anchor = block.first_op if isinstance(owner, Block) else owner.next_op
    assert anchor is not None
    known: dict[SSAValue, SSAValue] = {}
    for op in (*steps, load):
        block.insert_op_before(op.clone(known), anchor)
    load.value.replace_all_uses_with(known[load.value])
    load.detach()
    load.erase()


def _place(value: SSAValue) -> tuple[int, int]:
    """How deep a value is defined, and after how many operations of its block."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    assert block is not None
    depth, around = 0, block.parent_op()
    while around is not None:
        depth, around = depth + 1, around.parent_op()
    return depth, -1 if isinstance(owner, Block) else list(block.ops).index(owner)


def _over_all(array: np.ndarray, subscripts: str) -> np.ndarray:
    """An array over i, j, k and m, with the same elements whatever the indices that it does not have."""
    order = sorted(subscripts)
    shape = [array.shape[subscripts.index(index)] if index in subscripts else 1 for index in "ijkm"]
    return np.transpose(array, [subscripts.index(index) for index in order]).reshape(shape)


# In a sum a hashed operand is handed over as a sorted list.
CASES = [
    case for case in product(STATEMENTS, ABOVE) if STATEMENTS[case[0]][1] is np.multiply or "hashed" not in case[1]
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("notation", "leading"), CASES)
@pytest.mark.parametrize("density", [0.0, 0.4])
def test_speculatable_loads_may_be_executed_early(notation: str, leading: str, density: float) -> None:
    extents: dict[str, int] = dict(zip("ijkm", (3, 4, 5, 3), strict=True))
    arrays, operands = {}, {}
    all_subscripts, combine = STATEMENTS[notation][0].split(","), STATEMENTS[notation][1]
    names = [character for character in notation if character in RANK]
    for number, (name, subscripts) in enumerate(zip(names, all_subscripts, strict=True)):
        shape = tuple(extents[index] for index in subscripts)
        arrays[name] = _operand(number, shape, density if number else max(density, 0.3))
        operands[name] = Tensor.from_numpy(arrays[name], _format(leading, len(shape), subscripts == all_subscripts[0]))
    over_all = [_over_all(array, one) for array, one in zip(arrays.values(), all_subscripts, strict=True)]
    expected = combine(*over_all).sum()
    request = _request(notation, operands)
    marked = [load for load in operations_in(request.module, LoadOp) if SPECULATABLE in load.attributes]
    assert marked or "+" in notation
    assert _evaluate(request, operands) == expected
    for load in marked:
        _execute_early(load)
    request.module.verify()
    get_all_passes()["verify-dominance"]()().apply(Context(), request.module)
    assert _evaluate(request, operands) == expected
