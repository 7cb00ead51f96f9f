"""The laws by which a where is exchanged with the statements around it (Kjolstad et al. 2019, section 3.3).

Each function applies one law where its precondition holds, and says whether it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr
from irtensor.dialects.support.create_operation import (
    copy_of,
    create_block,
    create_operation,
    create_region,
    erase_operation,
    insert_operation,
)
from irtensor.passes.analysis.ranges import computes_range, only_statement, range_sources, sources
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of


def uses_within(value: SSAValue, block: Block) -> bool:
    """Whether anything in a block, however deep, uses a value."""
    return any(is_within(use.operation, block) for use in value.uses)


def loops_needed(block: Block) -> set[SSAValue]:
    """The variables of loops that anything in a block is computed from, by itself or by values computed around it, and
    those that the ranges of these loops are computed from."""
    found: set[SSAValue] = set()
    for op in block.walk():
        for value in op.operands:
            if isinstance(value.owner, Block) or not is_within(value.owner, block):
                found |= sources(value)
    while more := {outer for variable in found for outer in range_sources(variable)} - found:
        found |= more
    return found


def is_within(op: Operation, block: Block) -> bool:
    """Whether an operation stands in a block, however deep."""
    node: Operation | None = op
    while node is not None:
        if node.parent is block:
            return True
        node = node.parent_op()
    return False


def sides(where: WhereOp) -> tuple[Block, Block]:
    """Producer and consumer."""
    return where.producer.block, where.consumer.block


def sink_values(where: WhereOp) -> bool:
    """Compute the operations before a where, such as bounds of loops, inside of the sides that use them.

    Says whether the where is then alone in its block, so that the statement around it holds nothing else.
    """
    block = where.parent
    assert block is not None
    others = [op for op in block.ops if op is not where]
    if any(op.regions or not op.results for op in others) or block.last_op is not where:
        return False
    for op in reversed(others):
        for side in sides(where):
            users = [use for result in op.results for use in result.uses if is_within(use.operation, side)]
            if users:
                copy = copy_of(op)
                assert side.first_op is not None
                side.insert_op_before(copy, side.first_op)
                for old, new in zip(op.results, copy.results, strict=True):
                    new.name_hint = old.name_hint
                    for use in [use for use in old.uses if is_within(use.operation, side)]:
                        use.operation.operands[use.index] = new
        if not any(result.uses for result in op.results):
            erase_operation(op)
    return block.first_op is where


def share_values(where: WhereOp) -> None:
    """Compute before a where what both of its sides begin with, from the same values outside: `sink_values` backwards,
    which leaves such values on each side that uses them."""
    producer, consumer = sides(where)
    around = where.parent
    assert around is not None
    for op in _values_at_start(producer):
        if any(isinstance(operand.owner, Operation) and operand.owner.parent is producer for operand in op.operands):
            continue
        same = next((other for other in _values_at_start(consumer) if is_same(op, other)), None)
        if same is not None:
            for old, new in zip(same.results, op.results, strict=True):
                old.replace_all_uses_with(new)
            erase_operation(same)
            op.detach()
            around.insert_op_before(op, where)


def _values_at_start(block: Block) -> list[Operation]:
    return list(takewhile(computes_range, block.ops))


def is_same(op: Operation, other: Operation) -> bool:
    """Whether two operations compute the same."""
    same = op.name == other.name and op.properties == other.properties
    return same and list(op.operands) == list(other.operands)


def distribute_loop(where: WhereOp, loop: ForallOp) -> None:
    """L2 and L3 from right to left: the loop goes around those sides that use its variable, instead of around both.

    Precondition: the where is alone in the loop; if both sides use the variable, each component of the temporary that
    one iteration of the loop reads is written by that iteration.
    """
    variable = loop.variable
    for side in sides(where):
        if uses_within(variable, side):
            _wrap(side, loop)
    block = loop.parent
    assert block is not None
    where.detach()
    block.insert_op_before(where, loop)
    erase_operation(loop)


def _wrap(side: Block, loop: ForallOp) -> None:
    """Put the contents of a block into a loop like the given one."""
    body = _moved(side, loop.variable)
    copy = create_operation(
        ForallOp, loop.operands, properties=loop.properties, attributes=loop.attributes, regions=[create_region(body)]
    )
    copy.location = loop.location
    side.add_op(copy)


def _moved(side: Block, variable: SSAValue) -> Block:
    """A block with what one held, and an argument in place of a variable."""
    body = create_block((variable.type,), (variable.name_hint,))
    Emitter(body).take(operations_of(side))
    for use in [use for use in variable.uses if is_within(use.operation, body)]:
        use.operation.operands[use.index] = body.args[0]
    return body


def sink_let(let: LetOp) -> None:
    """Bind a coordinate as far inside as possible: inside of loops, and on those sides of wheres that use it."""
    match statement := only_statement(let.body.block):
        case ForallOp() if not _computes_ranges(let, statement):
            blocks = [statement.body.block]
        case WhereOp():
            sink_values(statement)
            blocks = sides(statement)
        case _:
            return
    around = let.parent
    assert around is not None
    inside: list[LetOp] = []
    for block in blocks:
        if uses_within(let.variable, block):
            inside.append(LetOp.of(let.coordinate, create_region(_moved(block, let.variable))))
            block.add_op(inside[-1])
    move_before(let.body.block, let)
    erase_operation(let)
    for one in inside:
        sink_let(one)


def _computes_ranges(let: LetOp, loop: ForallOp) -> bool:
    """Whether the range of a loop is computed from the coordinate that is bound around it."""
    return any(not is_within(use.operation, loop.body.block) for use in let.variable.uses)


def add_dimensions(where: WhereOp, variables: Sequence[SSAValue], format: FormatAttr | None) -> None:
    """Let the temporary of a where have a component for each value of variables around it, outermost dimensions first.

    Each iteration of their loops then writes and reads components of its own, which is what `distribute_loop` asks for.
    """
    for side in sides(where):
        old = side.args[0]
        assert isinstance(old.type, TensorType)
        shape = [DYNAMIC_INDEX] * (len(variables) + len(old.type.shape))
        type: TensorType[Attribute] = TensorType(old.type.element_type, shape, *([] if format is None else [format]))
        new = side.insert_arg(type, 0)
        new.name_hint = old.name_hint
        for access in [use.operation for use in old.uses]:
            assert isinstance(access, AccessOp | AssignOp)
            _replace(access, new, [*variables, *access.indices])
        side.erase_arg(old)


def _replace(access: AccessOp | AssignOp, tensor: SSAValue, indices: Sequence[SSAValue]) -> None:
    """Put an access of another tensor in place of one; protocols were for the levels of the one before."""
    if isinstance(access, AssignOp):
        new: AccessOp | AssignOp = AssignOp.of(access.value, tensor, indices, access.operator)
    else:
        new = AccessOp.of(tensor, indices)
        new.result.name_hint = access.result.name_hint
        access.result.replace_all_uses_with(new.result)
    new.location = access.location
    insert_operation(new, access)
    erase_operation(access)


def lift_out_of_consumer(where: WhereOp, outer: WhereOp) -> bool:
    """L4 and L5, which exchange a where with the one that it is the whole consumer of.

    L4: `(S1 where S2) where S3` is `S1 where (S2 where S3)` if S1 does not use the temporary of S3.
    L5: `(S1 where S2) where S3` is `(S1 where S3) where S2` if S2 does not use the temporary of S3.
    """
    temporary = outer.consumer.block.args[0]
    producer, consumer = sides(where)
    if uses_within(temporary, producer) and uses_within(temporary, consumer):
        return False
    _exchange(where, outer, outer.consumer.block, consumer if uses_within(temporary, consumer) else producer)
    return True


def lift_out_of_producer(where: WhereOp, outer: WhereOp) -> None:
    """L4 from right to left, for a where that is the whole producer of one: `S1 where (S2 where S3)` is
    `(S1 where S2) where S3`."""
    _exchange(where, outer, outer.producer.block, where.consumer.block)


def _exchange(where: WhereOp, outer: WhereOp, side: Block, moved: Block) -> None:
    """Put a where around the one that it is a whole side of: into that goes `moved`, a side of the where."""
    block = outer.parent
    assert block is not None
    where.detach()
    block.insert_op_before(where, outer)
    Emitter(side).take(operations_of(moved))
    outer.detach()
    moved.add_op(outer)
