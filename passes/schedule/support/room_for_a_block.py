"""A workspace over the coordinates of a block has room for one block: it is indexed by offsets in the block."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import SubiOp
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.analysis.iteration_graph import accesses_in
from irtensor.passes.analysis.ranges import computes_range, forall_of
from irtensor.passes.analysis.windows import block_size
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_of


def make_room_for_a_block(where: WhereOp, write: AssignOp) -> None:
    """Index dense dimensions by how far a coordinate lies behind where its block begins, if blocks have a size.

    Before: `forall %i from %lo to %hi { assign %x into %w[%i] }`, where %hi is min(%n, %lo + 8)
    After:  `forall %i from %lo to %hi { let %p = %i - %lo { assign %x into %w[%p] } }`
    The members of a set stay coordinates: loops iterate over them.
    """
    temporary = where.consumer.block.args[0]
    assert isinstance(temporary.type, TensorType)
    levels = format_of(temporary.type).levels
    dense = [level.expression.dimension for level in levels if level.format.pattern.full]
    blocks = [dimension for dimension in dense if block_size(write.indices[dimension]) is not None]
    if blocks:
        reads = [access for access in accesses_in(where.consumer.block) if access.tensor is temporary]
        for access in (write, *reads):
            _index_by_offset(access, blocks)


def _index_by_offset(access: AssignOp | AccessOp, dimensions: Sequence[int]) -> None:
    """Put the statements of a block into lets that bind the offsets."""
    around = access.parent
    assert around is not None
    statements = [op for op in operations_of(around) if not computes_range(op)]
    first = len(access.operands) - len(access.indices)
    for dimension in dimensions:
        variable = access.indices[dimension]
        start = SubiOp(variable, _start(variable))
        body = create_block((IndexType(),), (variable.name_hint,))
        Emitter(body).take(statements)
        let = LetOp.of(start.result, create_region(body))
        let.location = access.location
        around.add_ops((start, let))
        access.operands[first + dimension] = body.args[0]
        around, statements = body, operations_of(body)


def _start(variable: SSAValue) -> SSAValue:
    loop = forall_of(variable)
    assert loop is not None
    return loop.bounds[0]
