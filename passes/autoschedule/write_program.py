"""Writes a program that was found by a search in place of the definition that it computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.element_values import is_promotion
from irtensor.core.operators import Operator
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.concrete_index.protocols import STEP, protocols_attribute
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Forall,
    Indices,
    Literal,
    Sequence,
    Statement,
    Where,
    in_loop_order,
    located,
    reads_within_loops,
    stored_by,
)
from irtensor.passes.concrete_index.support.workspace_format import store_as, workspace_format
from irtensor.passes.support.operations_in import operations_in


def why_not_rewritten(compute: ComputeOp) -> str | None:
    """Why the program of a definition is not free to compute parts in another order; None if it is.

    It is where numbers are converted only as they are read, and absent entries annihilate, by which programs are found.
    """
    assert isinstance(compute.result.type, TensorType)
    element = compute.result.type.element_type
    values = [op.result for op in operations_in(compute, ApplyOp, ConstantOp, CastOp)]
    if any(op.exact is not None for op in operations_in(compute, ApplyOp)):
        return "the arithmetic is exact"
    constants = operations_in(compute, ConstantOp)
    if any(op.entry is not None or asks_if_stored(op) for op in operations_in(compute, ApplyOp)) or any(
        op.absent is not None for op in constants
    ):
        return "the computed values depend on which entries are stored"
    applied = [argument for op in operations_in(compute, ApplyOp) for argument in op.arguments]
    read = all(
        isinstance(op.operand.owner, AccessOp)
        and is_promotion(element_name(op.operand.type), element_name(op.result.type))
        for op in operations_in(compute, CastOp)
    )
    one_type = read and all(value.type == element for value in (*values, *applied))
    return None if one_type else "numbers of several types are computed with"


def write_program(compute: ComputeOp, program: Program, chosen: Statement) -> None:
    """Replace the body of a definition, which was read as `program`, by another program for it."""
    block = create_block((compute.result.type,))
    result = str(stored_by(program.statement).target.tensor)
    block.args[0].name_hint = program.tensors[result].name_hint
    writer = _Writer(compute, {**program.tensors, result: block.args[0]})
    compute.detach_region(compute.body).erase()
    # A user's operators are looked up from where they are applied.
    compute.add_region(create_region(block))
    writer.statement(chosen, block, {})


class _Writer:
    def __init__(self, compute: ComputeOp, tensors: Mapping[str, SSAValue]) -> None:
        assert isinstance(compute.result.type, TensorType)
        self.element = compute.result.type.element_type
        self.location = compute.location
        self.tensors = dict(tensors)
        # The index variables of a workspace in the order of its levels.
        self.orders: dict[str, Indices] = {}
        self.locations = {op.tensor: op.location for op in reversed(operations_in(compute, AccessOp))}

    def statement(self, statement: Statement, block: Block, variables: Mapping[str, SSAValue]) -> AssignOp:
        """Append a statement to a block; gives the assignment to what it computes."""
        match statement:
            case Forall(variable, body):
                inside = create_block((IndexType(),), (variable,))
                self._add(block, ForallOp.of(create_region(inside)))
                return self.statement(body, inside, {**variables, variable: inside.args[0]})
            case Where():
                return self._where(statement, block, variables)
            case Sequence(statements):
                first, *_ = [self.statement(one, block, variables) for one in statements]
                return first
            case Assign(target, operator, value):
                stored = self._value(value, block, variables)
                indices = [variables[index] for index in self._indices(target)]
                attribute = None if operator is None else _name(operator)
                store = AssignOp.of(stored, self.tensors[str(target.tensor)], indices, attribute)
                self._add(block, store)
                return store

    def _where(self, statement: Where, block: Block, variables: Mapping[str, SSAValue]) -> AssignOp:
        target = stored_by(statement.producer).target
        name = str(target.tensor)
        found = list(_reads_of(name, statement.consumer, ()))
        # Stored in the order in which it is read, so that a loop can iterate over it.
        self.orders[name] = in_loop_order(target.indices, found[0][1])
        where = WhereOp.of(TensorType(self.element, [DYNAMIC_INDEX] * len(target.indices)), name)
        self._add(block, where)
        self.tensors[name] = where.producer.block.args[0]
        store = self.statement(statement.producer, where.producer.block, variables)
        stepped = {index for read, _ in found for index, asked in _protocols(read) if asked == STEP}
        pairs = list(zip(store.indices, self._indices(target), strict=True))
        listed, slotted = ([one for one, index in pairs if index in some] for some in (stepped, located(target)))
        format = workspace_format(
            store, store.value, list(store.indices), set(variables.values()), None, listed=listed, slotted=slotted
        )
        if format is not None:
            type = TensorType(self.element, [DYNAMIC_INDEX] * len(target.indices), format)
            for side in (where.producer.block, where.consumer.block):
                store_as(side, type)
        self.tensors[name] = where.consumer.block.args[0]
        return self.statement(statement.consumer, where.consumer.block, variables)

    def _value(self, value: Expression, block: Block, variables: Mapping[str, SSAValue]) -> SSAValue:
        match value:
            case Access(tensor):
                operand = self.tensors[str(tensor)]
                indices = [variables[index] for index in self._indices(value)]
                read = AccessOp.of(operand, indices)
                self._add(block, read)
                read.location = self.locations.get(operand, self.location)
                self._ask(read, value)
                if read.result.type == self.element:
                    return read.result
                op: Operation = CastOp.of(read.result, self.element)
            case Literal(constant):
                op = ConstantOp.of(constant, self.element)
            case Call(operator, arguments):
                first, *rest = [self._value(argument, block, variables) for argument in arguments]
                name = _name(operator)
                while len(rest) >= operator.arity:
                    apply = ApplyOp.of(name, [first, rest.pop(0)], self.element)
                    self._add(block, apply)
                    first = apply.result
                op = ApplyOp.of(name, [first, *rest], self.element)
        self._add(block, op)
        return op.results[0]

    def _ask(self, read: AccessOp, access: Access) -> None:
        """Say how an operand or a workspace is read.

        Blocks, diagonals of a matrix and levels along them have no protocols that loops could go by.
        """
        format, order = format_of(read.tensor.type), self._indices(access)
        if access.protocols and not (format.is_blocked or format.has_diagonals) and len(set(order)) == len(order):
            read.protocols = protocols_attribute([access.protocols[access.indices.index(index)] for index in order])

    def _indices(self, access: Access) -> Indices:
        return self.orders.get(str(access.tensor), access.indices)

    def _add(self, block: Block, op: Operation) -> None:
        op.location = self.location
        block.add_op(op)


def _name(operator: Operator) -> Attribute:
    """How operations name an operator: a user's by its symbol."""
    name = operator.name
    return SymbolRefAttr(name[1:]) if name.startswith("@") else StringAttr(name)


def _reads_of(tensor: str, statement: Statement, loops: Indices) -> Iterator[tuple[Access, Indices]]:
    """The reads of a tensor, with the loops around each."""
    return ((read, path) for read, path in reads_within_loops(statement, loops) if read.tensor == tensor)


def _protocols(read: Access) -> Iterable[tuple[str, str]]:
    return zip(read.indices, read.protocols, strict=False)
