"""The statement that computes an assignment through a workspace (Kjolstad et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, IfOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr, fill_of
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.iteration_graph import enclosing_variables
from irtensor.passes.analysis.ranges import computes_range, forall_of, range_sources
from irtensor.passes.support.recompute import recomputed


def store_through_workspace(
    assign: AssignOp, loop: ForallOp, variables: Sequence[SSAValue], levels: Sequence[LevelFormat]
) -> WhereOp:
    """Let a nest of loops write a workspace over `variables`, stored by `levels`, and store that afterwards.

    Before: `forall %k { forall %j { assign add %p into %C[%i, %j] } }`
    After:  `where produce (%w) { forall %k { forall %j { assign add %p into %w[%j] } } }
             consume (%v) { forall %j { assign %v[%j] into %C[%i, %j] } }`
    """
    type = workspace_type(assign, levels)
    where = WhereOp.of(type, "w")
    producer, consumer = where.producer.block, where.consumer.block
    assert loop.parent is not None and assign.parent is not None
    loop.parent.insert_op_before(where, loop)
    store_workspace(assign, consumer, variables)
    loop.detach()
    producer.add_op(loop)
    write = AssignOp.of(assign.value, producer.args[0], variables, assign.operator)
    write.location = assign.location
    assign.parent.insert_op_before(write, assign)
    erase_operation(assign)
    return where


def workspace_type(assign: AssignOp, levels: Sequence[LevelFormat]) -> TensorType[Attribute]:
    """Elements that are not written read as the identity of the assignment's operator.

    Under a condition they have no entry, and read as those of the target.
    """
    target = assign.tensor.type
    assert isinstance(target, TensorType)
    fill = fill_of(target)
    if assign.operator is not None and innermost_around(assign, IfOp) is None:
        identity = find_operator(assign.operator, assign).identity(element_name(target.element_type))
        fill = fill if identity is None else identity
    format = TensorFormat.of(list(levels), fill=fill)
    return TensorType(target.element_type, [DYNAMIC_INDEX] * len(levels), FormatAttr(format))


def store_workspace(assign: AssignOp, block: Block, variables: Sequence[SSAValue]) -> None:
    """Store the workspace, its only content, where the assignment did."""
    workspace = block.args[0]
    block, renamed = nest_loops(block, variables)
    read = AccessOp.of(workspace, list(renamed.values()))
    store = AssignOp.of(read.result, assign.tensor, [renamed.get(index, index) for index in assign.indices], None)
    read.location = store.location = assign.location
    block.add_ops((read, store))


def nest_loops(block: Block, variables: Sequence[SSAValue]) -> tuple[Block, dict[SSAValue, SSAValue]]:
    """Nest new foralls into a block, the first outermost; gives the innermost block and what replaces the variables.

    A loop over a window that is selected around the block is over the same window, any other over all coordinates.
    """
    renamed: dict[SSAValue, SSAValue] = {}
    around = block.parent_op()
    bound = set() if around is None else set(enclosing_variables(around))
    for variable in variables:
        body = create_block((IndexType(),), (variable.name_hint,))
        loop = forall_of(variable)
        is_window = loop is not None and loop.bounds and range_sources(variable) <= bound
        known: dict[SSAValue, SSAValue] = {}
        windows = loop.bounds if is_window and loop is not None else ()
        bounds = [recomputed(value, known, block.add_op, computes_range) for value in windows]
        renamed[variable] = body.args[0]
        block.add_op(ForallOp.of(create_region(body), bounds))
        block = body
    return block, renamed
