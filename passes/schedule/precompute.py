"""`precompute`: a part of an expression is computed before it is used, into a workspace of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.diagnostics import Note, UserError
from irtensor.core.expression_text import Term, parse_expression
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.analysis.distribution import check_order
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.find_expression import occurrences, reduces_to, term_of
from irtensor.passes.analysis.find_part import Part, parts
from irtensor.passes.analysis.iteration_graph import accesses_in, enclosing_variables, name_of
from irtensor.passes.analysis.ranges import BLOCKS, block_variables, counts_blocks, covered_by, sources
from irtensor.passes.analysis.renamed_expression import renamed_expressions
from irtensor.passes.analysis.temporaries import variables_of
from irtensor.passes.concrete_index.support.loop_ranges import fused_name
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.concrete_index.support.reuse_result import reuse_result
from irtensor.passes.concrete_index.support.where_laws import share_values
from irtensor.passes.concrete_index.support.workspace_format import workspace_format
from irtensor.passes.schedule.support.loops_of_workspace import name_producer, push_loops
from irtensor.passes.schedule.support.room_for_a_block import make_room_for_a_block
from irtensor.passes.schedule.support.room_for_entries import entry_groups, make_room_for_entries
from irtensor.passes.support.operations_in import computed_from, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option
from irtensor.passes.support.recompute import recomputed


@dataclass(frozen=True)
class PrecomputePass(TensorPass):
    """Compute an expression over some index variables into a workspace, and read the workspace where it stood.

    The expression is a part of one assignment, written as in index notation, with the sums in it. Names of variables
    that earlier steps have cut stand for the coordinates that there are now. Arguments of commutative operators may be
    exchanged, and of a product it may have any of the factors, which are then multiplied first. The workspace has a
    dimension per variable. From the innermost outwards, a loop over one of these variables goes around producer and
    consumer each, a loop that only one side needs goes there, and one that both need stays around both: the loops over
    these variables go inside of it, also through the temporary of a sum, unless an order has to be kept. If only some
    components of the expression are ever computed, its workspace keeps a set of them; otherwise it is dense. `format`
    gives another, outermost level first: `dense`, `bitmap` (a slot for each coordinate, and a set of those that are
    stored: an `accumulator`; flags below a hash table) or `hashed` (a hash table of its entries: a `map`). A variable
    that counts blocks gives a component for each block, the name of loops that are fused stands for all of them; along
    a block, and over its entries, there is room for one block. With `producer`, the producer's loops over the variables
    have names of their own. With `reuse`, the result itself is the workspace: the expression is stored into it, and the
    rest of the right-hand side is combined with the stored values.

    Before: `forall %i { forall %k { forall %j { assign add %p into %A[%i, %j] } } }`, where %p is B[i,k] * C[k,j]
    After `precompute{expression="B[i,k] * C[k,j]" variables=j}`:
            `forall %i { where produce (%w) { forall %k { forall %j { assign add %p into %w[%j] } } }
             consume (%v) { forall %j { assign %v[%j] into %A[%i, %j] } } }`
    Source: Kjolstad et al. 2019 (workspaces), section 4; Kjolstad 2020, section 6.2.
    """

    name = "precompute"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    expression: str = option("The expression, written as in index notation.", "")
    variables: tuple[str, ...] = option(
        "The index variables that the workspace has a dimension for; the name of fused loops stands for all of them.",
        (),
    )
    producer: tuple[str, ...] = option("Names for the producer's loops over these variables, in the same order.", ())
    workspace: str | None = option("The name of the workspace, if other steps refer to it.", None)
    format: str | None = option(
        "The levels of the workspace, the outermost first; chosen by the stored entries if nothing is given.", None
    )
    reuse: bool = option("Whether the result itself is the workspace.", False)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        term = parse_expression(self.expression)
        renamed = [] if _is_computed(term, op) else renamed_expressions(term, op)
        if len(renamed) == 1:
            (term,) = renamed
        assign, values = _find(term, op)
        record_step(self.name, [assign])
        named = [(name, _variables(name, term, assign, values)) for name in self.variables]
        over = [variable for _, variables in named for variable in variables]
        _check_once(over, assign)
        by_entries = [] if self.reuse or self.format is not None else entry_groups(assign, values[0], over)
        where = _split(assign, values, over, self._type(assign, values, over, by_entries), self._name(assign))
        (write,) = _stores(where.producer.block.args[0], where.producer.block)
        store = _store_of(where)
        push_loops(where, write, store, term)
        name_producer(write, named, self.producer)
        for stored in (write, store):
            _demote(stored)
        check_order(where, write, store, term)
        if self.reuse:
            reuse_result(where, write, store)
        else:
            make_room_for_entries(where, by_entries)
            make_room_for_a_block(where, write)
            share_values(where)

    def _name(self, assign: AssignOp) -> str:
        function: Operation = assign
        while not isinstance(function, FuncOp) and (parent := function.parent_op()) is not None:
            function = parent
        taken = _tensor_names(function)
        if self.workspace is None:
            names = ["w", *(f"w{number}" for number in range(2, len(taken) + 3))]
            return next(name for name in names if name not in taken)
        if self.workspace in taken:
            message = f"precompute: there is a tensor '{self.workspace}' already"
            raise UserError("illegal-precompute", message, op=assign, help="give the workspace another name, or none")
        return self.workspace

    def _type(
        self, assign: AssignOp, values: Sequence[SSAValue], over: Sequence[SSAValue], by_entries: Sequence[range]
    ) -> TensorType[Attribute]:
        element = values[0].type
        if any(value.type != element for value in values):
            types = ", ".join(dict.fromkeys(str(value.type) for value in values))
            message = f"precompute: '{self.expression}' has several types where it is used: {types}"
            help = "precompute a larger expression around one of them"
            raise UserError("illegal-precompute", message, op=assign, help=help)
        rest = {index for access in computed_from([assign.value], AccessOp, values) for index in access.indices}
        around = {*assign.indices, *rest}.difference(over)
        slotted = [over[dimension] for group in by_entries for dimension in group]
        format = workspace_format(
            assign, values[0], over, around, self.format, slotted=slotted, by_blocks=not self.reuse
        )
        return TensorType(element, [DYNAMIC_INDEX] * len(over), *([] if format is None else [format]))


def _tensor_names(function: Operation) -> set[str]:
    found: set[str] = set()
    for op in function.walk():
        blocks = [block for region in op.regions for block in region.blocks]
        values = [*op.results, *(argument for block in blocks for argument in block.args)]
        found |= {name_of(value) for value in values if isinstance(value.type, TensorType)}
    return found


def _is_computed(term: Term, module: ModuleOp) -> bool:
    """Whether an assignment computes a term, or a part of what it combines is that."""
    assigns = operations_in(module, AssignOp)
    return any(occurrences(term, one) or reduces_to(term, one) or parts(term, one) for one in assigns)


def _find(term: Term, module: ModuleOp) -> tuple[AssignOp, list[SSAValue]]:
    """The one assignment that computes the term, and the values there that are equal to it."""
    assigns = operations_in(module, AssignOp)
    found = [(assign, values) for assign in assigns if (values := occurrences(term, assign))]
    # What a statement reduces as a whole is the value of its assignment.
    found = found or [(assign, [assign.value]) for assign in assigns if reduces_to(term, assign)]
    grouped = [] if found else [(assign, some) for assign in assigns if (some := parts(term, assign))]
    if len(found) == 1:
        return found[0]
    if len(grouped) == 1:
        return _grouped(term, *grouped[0])
    found = found or [(assign, []) for assign, _ in grouped]
    if not found:
        notes = [Note(f"{name_of(a.tensor)} is computed as {term_of(a.value)}", op=a) for a in assigns]
        notes += _coordinates_instead(term, module)
        message = f"precompute: no assignment computes '{term}'"
        help = "write a part of one of them, with the parentheses that it has there"
        raise UserError("expression-not-found", message, op=module, notes=notes, help=help)
    notes = [Note(f"{name_of(a.tensor)} is computed as {term_of(a.value)}", op=a) for a, _ in found]
    message = f"precompute: {len(found)} assignments compute '{term}'"
    help = "write a larger part of the one that is meant"
    raise UserError("ambiguous-expression", message, op=found[0][0], notes=notes, help=help)


def _coordinates_instead(term: Term, module: ModuleOp) -> Iterator[Note]:
    """The variables that index components instead of named loops that count blocks, or offsets in them: a `split`
    leaves such a loop, and a `reorder` of its two loops makes another one."""
    named = set(re.findall(r"\w+", str(term)))
    loops = operations_in(module, ForallOp)
    for outer in (loop for loop in loops if name_of(loop.variable) in named and counts_blocks(loop.variable)):
        inner = [name_of(loop.variable) for loop in loops if outer.variable in block_variables(loop.variable)]
        if inner:
            counted = "offsets in blocks" if constant_index(outer.bounds[1]) is not None else "blocks"
            yield Note(f"{name_of(outer.variable)} counts {counted}: the coordinates there are {', '.join(inner)}")


def _grouped(term: Term, assign: AssignOp, some: Sequence[Part]) -> tuple[AssignOp, list[SSAValue]]:
    """Combine what the term combines before it is combined with the operands beside it."""
    if not all(part.may_be_grouped(assign) for part in some):
        message = f"precompute: '{term}' would group the factors of a floating-point product otherwise than they are "
        help = "write a part as it stands there, with its parentheses, or omit strict_fp"
        note = Note(f"{name_of(assign.tensor)} is computed as {term_of(assign.value)}", op=assign)
        raise UserError(
            "illegal-precompute", f"{message}written, which is kept (strict_fp)", op=assign, notes=[note], help=help
        )
    return assign, [part.group() for part in some]


def _variables(name: str, term: Term, assign: AssignOp, values: Sequence[SSAValue]) -> list[SSAValue]:
    """The index variable of this name, or those of the loops that are fused under it, which loops around the assignment
    bind and the expression uses. One that counts blocks is used where a coordinate of the blocks is."""
    loops = list(reversed(list(enclosing_loops(assign))))
    named = [loop for loop in loops if name_of(loop.variable) == name][-1:]
    named = named or [loop for loop in loops if fused_name(loop) == name]
    indexed = set[SSAValue]().union(*map(sources, variables_of(values)))
    blocks = set[SSAValue]().union(*map(block_variables, indexed))
    if not named:
        known = ", ".join(name_of(loop.variable) for loop in loops)
        problem, help = f"no loop around the assignment binds {name}", f"the loops around it bind {known or 'nothing'}"
        if fused := dict.fromkeys(one for one in map(fused_name, loops) if one is not None):
            help += f"; {', '.join(fused)} {'stands' if len(fused) == 1 else 'stand'} for those that are fused"
    elif not any(loop.variable in (*indexed, *blocks) for loop in named):
        problem = f"'{term}' does not depend on {name}"
        known = dict.fromkeys(name_of(loop.variable) for loop in loops if loop.variable in (*indexed, *blocks))
        help = f"it depends on {', '.join(known) or 'no index variable'}"
    else:
        for loop in named:
            if loop.variable in blocks:
                loop.attributes[BLOCKS] = UnitAttr()
        return [loop.variable for loop in named]
    raise UserError("illegal-precompute", f"precompute: {problem}", op=assign, help=help)


def _check_once(over: Sequence[SSAValue], assign: AssignOp) -> None:
    twice = next((variable for number, variable in enumerate(over) if variable in over[:number]), None)
    if twice is not None:
        message = f"precompute: {name_of(twice)} is given twice"
        help = "a workspace has one dimension per variable"
        raise UserError("illegal-precompute", message, op=assign, help=help)


def _split(
    assign: AssignOp, values: Sequence[SSAValue], over: Sequence[SSAValue], type: TensorType[Attribute], name: str
) -> WhereOp:
    """Replace an assignment by a where that computes one of its values first."""
    where = WhereOp.of(type, name)
    producer, consumer = where.producer.block, where.consumer.block
    write = AssignOp.of(
        recomputed(values[0], {}, producer.add_op, lambda op: True), producer.args[0], over, assign.operator
    )
    producer.add_op(write)
    read = AccessOp.of(consumer.args[0], over)
    consumer.add_op(read)
    result = recomputed(assign.value, dict.fromkeys(values, read.result), consumer.add_op, lambda op: True)
    store = AssignOp.of(result, assign.tensor, assign.indices, assign.operator, assign.protocols)
    consumer.add_op(store)
    write.location = read.location = store.location = assign.location
    where.location = assign.location
    block = assign.parent
    assert block is not None
    block.insert_op_before(where, assign)
    erase_operation(assign)
    for op in reversed(operations_of(block)):
        if op.results and not op.regions and not any(result.uses for result in op.results):
            erase_operation(op)
    return where


def _stores(tensor: SSAValue, block: Block) -> list[AssignOp]:
    return [access for access in accesses_in(block) if isinstance(access, AssignOp) and access.tensor is tensor]


def _store_of(where: WhereOp) -> AssignOp:
    last = where.consumer.block.last_op
    assert isinstance(last, AssignOp)
    return last


def _demote(assign: AssignOp) -> None:
    """A compound assignment that reaches each component once is a plain one: it combined with the identity."""
    binder = assign.tensor.owner.parent_op() if isinstance(assign.tensor.owner, Block) else None
    if assign.operator is None or not isinstance(binder, ComputeOp | WhereOp):
        return
    parent, covered = assign.parent_op(), covered_by(assign.indices, enclosing_variables(binder))
    while parent is not binder:
        if parent is None or (isinstance(parent, ForallOp) and parent.variable not in covered):
            return
        parent = parent.parent_op()
    if len([use for use in assign.tensor.uses if isinstance(use.operation, AssignOp)]) == 1:
        del assign.properties["operator"]
