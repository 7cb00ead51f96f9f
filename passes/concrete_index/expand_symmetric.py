"""`expand-symmetric`: each stored entry of a symmetric operand is read once, for itself and for all its mirrors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from irtensor.core.diagnostics import UserError, remark
from irtensor.core.exchanged_dimensions import unequal_neighbours
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ComputeOp, IfOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import (
    append_operation,
    clone_operation,
    create_block,
    create_operation,
    create_region,
)
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.symmetric_access import SymmetricAccess, symmetric_access, symmetric_arguments
from irtensor.passes.concrete_index.support.loop_paths import move_inside
from irtensor.passes.repairs.insert_conversions import stored_part_argument
from irtensor.passes.schedule.reorder import loops_around
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class ExpandSymmetricPass(TensorPass):
    """Read the stored part of a symmetric operand, and execute its statement for each entry and for its mirrors.

    Before: `forall %i { forall %j { %a = access %A[%i, %j] ... assign add (%a * %x[%j]) into %y[%i] } }`
    After:  `forall %i { forall %j { %a = access %A[%i, %j] ... assign add (%a * %x[%j]) into %y[%i]
             if (%i != %j) { assign add (%a * %x[%i]) into %y[%j] } } }`
    A number that a statement computes in loops for further use, as in `%y[%i] = sum + %x[%i]`, becomes a vector before:
    the mirrors belong to other elements of it.
    The argument becomes the stored part of the operand, whose arrays it shares. Where levels of it have all
    coordinates, those below the diagonal are skipped. Of several mirrors, each is taken where no other one is the same
    element. Operands that cannot be read so are refused: `match-symmetric` has them converted before. So are results
    and temporaries in a symmetric format, which nothing here writes.
    """

    name = "expand-symmetric"
    accepts = ("concrete_index",)
    leaves = ("concrete_index", "algebra")
    after = {"concretize": "a statement is executed again for mirrors inside of its loops"}
    before = {
        "choose-loop-order": "loops are ordered by the levels of the stored part",
        "insert-conversions": "further conversions are those of the stored part",
    }

    def on_function(self, function: FuncOp) -> None:
        for op in operations_in(function, ComputeOp):
            _refuse_written(op.result, op)
        for where in operations_in(function, WhereOp):
            _refuse_written(where.producer.block.args[0], where)
        for argument in symmetric_arguments(function):
            found = symmetric_access(argument)
            if isinstance(found, str):
                raise _refused(argument, found)
            if found.temporary is not None and (loops := loops_around(found.temporary)):
                move_inside(found.temporary, loops)
            _expand(found, format_of(argument.type))
            name = name_of(argument)
            text = f"'{name}', stored {format_of(argument.type)}, is read once: each entry stands for its mirrors too"
            remark(text, found.access, by=self.name, about=[name])
            stored_part_argument(function, argument)


def _refuse_written(tensor: SSAValue, op: Operation) -> None:
    format = format_of(tensor.type)
    if format.symmetric:
        message = f"'{name_of(tensor)}' would be written {format}, and only operands are {format.symmetric_text}"
        help = f"compute it as {format.with_mirrors}, and convert that: .to_format('{format}')"
        raise UserError("symmetric-result", message, op=op, help=help)


def _refused(argument: BlockArgument, reason: str) -> UserError:
    format, function = format_of(argument.type), argument.owner.parent_op()
    assert isinstance(function, FuncOp)
    reads = [access for access in operations_in(function, AccessOp) if access.tensor is argument]
    return UserError(
        "symmetric-operand",
        f"'{name_of(argument)}', stored {format}, is not read for an entry and its mirrors at once: {reason}",
        op=reads[0] if reads else function,
        help=f"store it {format.with_mirrors}, or allow conversions (convert=True; the pass match-symmetric)",
    )


def _expand(found: SymmetricAccess, format: TensorFormat) -> None:
    access, block = found.access, found.access.parent
    assert block is not None
    statement = operations_of(block)
    variables = [access.indices[dimension] for dimension in format.symmetric]
    # Equal conditions are computed once.
    unequal = [_compared("ne", pair, block) for pair in pairwise(variables)]
    # Mirrors that there are under the same condition are taken together.
    mirrored = dict[tuple[int, ...], Block]()
    for order in permutations(range(len(variables))):
        if pairs := tuple(unequal_neighbours(order)):
            exchanged = {variables[number]: variables[source] for number, source in enumerate(order)}
            _mirror(statement, access, exchanged, mirrored.setdefault(pairs, create_block(())))
    for pairs, body in mirrored.items():
        _execute_if([unequal[pair] for pair in pairs], body, block)
    if format.may_hold_fill:
        _skip_below_diagonal(block, variables)


def _mirror(
    statement: Sequence[Operation], access: AccessOp, exchanged: dict[SSAValue, SSAValue], block: Block
) -> None:
    """Append the statement with variables exchanged, for the same entry."""
    values = {**exchanged, access.result: access.result}
    for op in statement:
        if op is not access:
            append_operation(block, clone_operation(op, values))


def _execute_if(conditions: Sequence[SSAValue], statement: Block, block: Block) -> None:
    """Append a statement that is executed where all conditions hold."""
    condition = conditions[0]
    for other in conditions[1:]:
        condition = _compared("and", (condition, other), block)
    block.add_op(create_operation(IfOp, (condition,), regions=[create_region(statement)]))


def _skip_below_diagonal(block: Block, variables: Sequence[SSAValue]) -> None:
    """Execute a block only at coordinates that do not decrease: below the diagonal, arrays hold the fill value."""
    inside = create_block(())
    for op in operations_of(block):
        op.detach()
        inside.add_op(op)
    _execute_if([_compared("le", pair, block) for pair in pairwise(variables)], inside, block)


def _compared(operator: str, arguments: Sequence[SSAValue], block: Block) -> SSAValue:
    """Append a comparison, or a conjunction."""
    apply = ApplyOp.of(StringAttr(operator), arguments, i1)
    block.add_op(apply)
    return apply.result
