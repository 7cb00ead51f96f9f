"""`expand-symmetric`: each stored entry of a symmetric operand is read once, for itself and for all its mirrors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from irtensor.core.diagnostics import UserError, remark
from irtensor.core.element_values import is_float, is_integer
from irtensor.core.operators import OPERATORS
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, IfOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import (
    append_operation,
    clone_operation,
    create_block,
    create_operation,
    create_region,
)
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.mirrored_statements import mirrored_statements
from irtensor.passes.analysis.symmetric_access import symmetric_access, symmetric_arguments
from irtensor.passes.concrete_index.support.loop_paths import move_inside
from irtensor.passes.repairs.insert_conversions import stored_part_argument
from irtensor.passes.schedule.reorder import loops_around
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.insertion import Insertion
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
            for where in found.temporaries:
                if loops := loops_around(where):
                    move_inside(where, loops)
            _expand(found.access, format_of(argument.type))
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


def _expand(access: AccessOp, format: TensorFormat) -> None:
    block = access.parent
    assert block is not None
    statement = operations_of(block)
    (assign,) = (op for op in statement if isinstance(op, AssignOp))
    variables = [access.indices[dimension] for dimension in format.symmetric]
    first, *mirrors = mirrored_statements(access.result, assign, variables)
    # Equal conditions are computed once.
    emit = Insertion(assign, behind=not first.repeated)
    unequal = [emit.apply("ne", pair, i1) for pair in pairwise(variables)]
    # Mirrors that there are under the same condition are taken together.
    mirrored = dict[frozenset[int], Block]()
    for one in mirrors:
        exchanged = {variables[number]: variables[source] for number, source in enumerate(one.order)}
        body = mirrored.setdefault(one.unequal, create_block(()))
        copies = _mirror(statement, access, exchanged, body)
        _repeat(expect(copies[assign], AssignOp), one.repeated, unequal)
    _repeat(assign, first.repeated, unequal)
    for pairs, body in mirrored.items():
        _execute_if([unequal[pair] for pair in sorted(pairs)], body, block)
    # A mirror that changes nothing has no condition.
    erase_unused([expect(one.owner, ApplyOp) for one in unequal])
    if format.may_hold_fill:
        _skip_below_diagonal(block, variables)


def _mirror(
    statement: Sequence[Operation], access: AccessOp, exchanged: dict[SSAValue, SSAValue], block: Block
) -> dict[Operation, Operation]:
    """Append the statement with variables exchanged, for the same entry. Gives its operations by those they are of."""
    values = {**exchanged, access.result: access.result}
    copies = {op: clone_operation(op, values) for op in statement if op is not access}
    for op in copies.values():
        append_operation(block, op)
    return copies


def _repeat(assign: AssignOp, repeated: Sequence[frozenset[int]], unequal: Sequence[SSAValue]) -> None:
    """Let an assignment store its value once more for each of some equal mirrors, where their coordinates differ."""
    if not repeated or assign.operator is None:
        return
    times, element = Counter(repeated), element_name(assign.value.type)
    multiple = find_operator(assign.operator, assign).of_equals
    if multiple is not None and OPERATORS[multiple].commutative and (is_float(element) or is_integer(element)):
        _multiply(assign, multiple, times, unequal)
    else:
        _assign_again(assign, times, unequal)


def _multiply(
    assign: AssignOp, multiple: str, times: Mapping[frozenset[int], int], unequal: Sequence[SSAValue]
) -> None:
    """Store a multiple of a value: how many times follows from which coordinates differ."""
    emit, type = Insertion(assign), assign.value.type
    conditions = {pairs: _all([unequal[pair] for pair in sorted(pairs)], emit) for pairs in times if pairs}
    least, weight = 1 + times.get(frozenset(), 0), None
    for pairs, condition in conditions.items():
        numbers = [emit.constant(number, type) for number in (least + times[pairs], least)]
        more, least = emit.apply("where", (condition, *numbers), type), 0
        weight = more if weight is None else emit.apply("add", (weight, more), type)
    weight = emit.constant(least, type) if weight is None else weight
    assign.operands[0] = emit.apply(multiple, (weight, assign.value), type)


def _assign_again(assign: AssignOp, times: Mapping[frozenset[int], int], unequal: Sequence[SSAValue]) -> None:
    """Store a value again, combined with itself, where coordinates differ."""
    emit, operator, value = Insertion(assign, behind=True), assign.operator, assign.value
    assert operator is not None
    for pairs, count in times.items():
        body, total = create_block(()), value
        for _ in range(count - 1):
            combined = ApplyOp.of(operator, (total, value), value.type)
            body.add_op(combined)
            total = combined.result
        body.add_op(AssignOp.of(total, assign.tensor, tuple(assign.indices), operator))
        if pairs:
            condition = _all([unequal[pair] for pair in sorted(pairs)], emit)
            emit.insert_statement(create_operation(IfOp, (condition,), regions=[create_region(body)]))
        for op in () if pairs else operations_of(body):
            op.detach()
            emit.insert_statement(op)


def _all(conditions: Sequence[SSAValue], emit: Insertion) -> SSAValue:
    """Whether all conditions hold."""
    return reduce(lambda one, other: emit.apply("and", (one, other), i1), conditions)


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
